import Sediment
import SedimentTesting

/// A store on a simulated disk, and beside it what it must hold.
final class Life {
  static let path = "/store"

  let disk: SimulatedDisk
  let background = ManualBackground()
  private var options: SedimentOptions
  private(set) var store: SedimentStore
  private(set) var contents = Contents()
  /// The contents after each change since the last sync, those at the sync first.
  private(set) var moments: [Contents] = []

  init(
    access: SedimentOptions.Access = .automatic, capacity: SedimentCapacity = .unlimited,
    compression: SedimentCompression = .off
  ) throws {
    disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, fileByteCountMax: 64 << 20))
    options = SedimentOptions(
      durability: .unsynced, access: access, capacity: capacity, compression: compression)
    store = try SedimentStore(path: Self.path, options: options, disk: disk, background: background)
  }

  // MARK: Changes

  func set(_ value: [UInt8], _ key: String, in name: String = "", expiry: UInt64 = 0) throws {
    try set(value, Array(key.utf8), in: name, expiry: expiry)
  }

  func set(_ text: String, _ key: String, in name: String = "", expiry: UInt64 = 0) throws {
    try set(Array(text.utf8), key, in: name, expiry: expiry)
  }

  func set(_ value: [UInt8], _ key: [UInt8], in name: String = "", expiry: UInt64 = 0) throws {
    try place(name).set(value, forKey: key, expiry: expiry == 0 ? .never : .at(milliseconds: expiry))
    contents[name, key] = Contents.Entry(value: value, expiry: expiry)
    moments.append(contents)
  }

  func remove(_ key: String, in name: String = "") throws {
    try place(name).remove(forKey: key)
    contents[name, Array(key.utf8)] = nil
    moments.append(contents)
  }

  /// Sets all of these in one batch.
  func batch(_ values: [(key: String, value: String, name: String)]) throws {
    for value in values { contents.add(value.name) }
    try store.batch { batch in
      for (key, value, name) in values {
        if name.isEmpty {
          batch.set(value, forKey: key)
        } else {
          batch.set(value, forKey: key, in: try store.collection(name))
        }
      }
    }
    for (key, value, name) in values {
      contents[name, Array(key.utf8)] = Contents.Entry(value: Array(value.utf8), expiry: 0)
    }
    moments.append(contents)
  }

  func clear(_ name: String) throws {
    try place(name).removeAll()
    contents.clear(name)
  }

  func drop(_ name: String) throws {
    try store.dropCollection(name)
    contents.drop(name)
  }

  func clearEverything() throws {
    try store.removeEverything()
    for name in contents.collections.keys { contents.clear(name) }
  }

  func sync() throws {
    try store.sync()
    moments = [contents]
  }

  /// Takes out of the contents the keys that the store has evicted; none of the others may differ.
  func noteEvicted() throws {
    for key in contents.collections[""]!.keys {
      guard let value = try store.retrieve(forKey: key) else {
        contents["", key] = nil
        continue
      }
      precondition(value == contents["", key]?.value, "an evicting store has another value")
    }
  }

  private func place(_ name: String) throws -> any SedimentKeyspace {
    if name.isEmpty { return store }
    contents.add(name)
    return try store.collection(name)
  }

  // MARK: The file

  func close() throws { try store.close() }

  func reopen(compression: SedimentCompression? = nil) throws {
    if let compression { options.compression = compression }
    store = try SedimentStore(path: Self.path, options: options, disk: disk, background: background)
  }

  /// The file of a closed store, or as the death of the process leaves it.
  var file: ReleasedFile { ReleasedFile(disk, contents) }
}

/// A file, and what is in it.
struct ReleasedFile {
  var bytes: [UInt8]
  var contents: Contents
  var clock: UInt64

  init(_ disk: SimulatedDisk, _ contents: Contents, path: String = Life.path) {
    guard let bytes = disk.contents(of: path) else { preconditionFailure("there is no file") }
    self.bytes = bytes
    self.contents = contents
    clock = disk.wallClock()
  }
}

/// Opens a copy of a disk's store and reads all of it.
func read(_ disk: SimulatedDisk) throws -> Contents {
  let options = SedimentOptions(durability: .unsynced, mustExist: true)
  let store = try SedimentStore(
    path: Life.path, options: options, disk: disk.afterProcessDeath(), background: ManualBackground())
  var contents = Contents()
  for name in [""] + store.collectionNames {
    let place: any SedimentKeyspace = name.isEmpty ? store : try store.collection(name)
    contents.add(name)
    for key in try place.keys() {
      guard let value = try place.retrieve(forKey: key) else { continue }
      var expiry: UInt64 = 0
      if case .at(let milliseconds) = try place.expiry(forKey: key) { expiry = milliseconds }
      contents[name, key] = Contents.Entry(value: value, expiry: expiry)
    }
  }
  try store.close()
  return contents
}
