package import Sediment
package import SedimentTesting

internal import FuzzSupport

/// A sound store's file, from which damaged ones are made, and everything that it ever held.
package struct SeedStore {
  package let name: String
  package let bytes: [UInt8]
  /// What it held after each change, from nothing on.
  package let states: [StoreContents]
  package let landmarks: [Landmark]
  /// Every key that it ever had, in an order that is always the same.
  package let places: [StoreContents.Place]

  /// Where the file lies on the disks of the targets.
  package static let path = "/data/store"

  /// Builds a store by the changes of `script`; left open, its file ends in a log that was not closed.
  package init(
    _ name: String, compression: SedimentCompression = .off, isClosed: Bool,
    _ script: (SeedScript) throws -> Void
  ) {
    do {
      let made = try SeedScript(compression)
      try script(made)
      // The bytes must be there before the log is closed.
      let open = made.disk.contents(of: Self.path)
      try made.store.close()
      guard let bytes = isClosed ? made.disk.contents(of: Self.path) : open else {
        fail("\(name) has no file")
      }
      self.init(name, bytes, made.states)
    } catch {
      fail("\(name) could not be made: \(error)")
    }
  }

  private init(_ name: String, _ bytes: [UInt8], _ states: [StoreContents]) {
    self.name = name
    self.bytes = bytes
    self.states = states
    landmarks = Landmark.all(in: bytes)
    places = Set(states.flatMap(\.places)).sorted {
      ($0.collection, String(decoding: $0.key, as: UTF8.self))
        < ($1.collection, String(decoding: $1.key, as: UTF8.self))
    }
  }

  package var last: StoreContents { states[states.count - 1] }

  /// Whether a key ever had that value, with that expiry.
  package func everHad(_ entry: StoreContents.Entry, at place: StoreContents.Place) -> Bool {
    states.contains { $0[place] == entry }
  }

  /// A disk with a file on which a store may live that grows by little.
  package static func disk(holding bytes: [UInt8]) -> SimulatedDisk {
    let disk = SimulatedDisk(
      SimulatedDiskOptions(
        seed: 5, fileByteCountMax: 8 << 20, violationRule: .record, wallClock: SeedScript.wallClock))
    disk.install(bytes, at: path)
    return disk
  }

  /// Opens the file of a disk; what the store does in the background is left undone.
  package static func open(
    _ disk: SimulatedDisk, _ change: (inout SedimentOptions) -> Void = { _ in }
  ) throws -> SedimentStore {
    var options = SedimentOptions(
      durability: .unsynced, mustExist: true, compaction: .manual, compression: .off)
    options.slackSlotCount = 3
    options.useSmallWindow()
    change(&options)
    return try SedimentStore(path: path, options: options, disk: disk, scheduler: ManualScheduler())
  }
}

/// The making of a seed: a store and what it held after each change.
package final class SeedScript {
  package let disk = SimulatedDisk(
    SimulatedDiskOptions(seed: 3, fileByteCountMax: 8 << 20, wallClock: SeedScript.wallClock))
  package let store: SedimentStore
  package let scheduler = ManualScheduler()
  package private(set) var states = [StoreContents()]

  /// Long before anything that expires in a seed does.
  static let wallClock: UInt64 = 1_000

  init(_ compression: SedimentCompression) throws {
    var options = SedimentOptions(durability: .unsynced, compression: compression)
    options.slackSlotCount = 3
    options.useSmallWindow()
    store = try SedimentStore(
      path: SeedStore.path, options: options, disk: disk, scheduler: scheduler)
  }

  /// Makes one change, which counts as a whole or not at all.
  package func change(_ body: (SedimentStore) throws -> Void) throws {
    try body(store)
    let reading = StoreReading(store)
    expect(reading.isWhole && reading.contradictions.isEmpty, "a seed cannot be read: \(reading.errors)")
    states.append(reading.contents)
  }

  package func set(_ value: [UInt8], _ key: String, in collection: String = "") throws {
    let keys = try keyspace(collection)
    try change { _ in try keys.set(value, forKey: key) }
  }

  package func set(_ value: String, _ key: String, in collection: String = "") throws {
    try set(Array(value.utf8), key, in: collection)
  }

  package func remove(_ key: String, in collection: String = "") throws {
    let keys = try keyspace(collection)
    try change { _ in try keys.remove(forKey: key) }
  }

  package func keyspace(_ collection: String) throws -> SedimentCollection {
    if collection.isEmpty { return store.defaultCollection }
    if store.collectionNames.contains(collection) { return try store.collection(collection) }
    try change { store in _ = try store.collection(collection) }
    return try store.collection(collection)
  }
}
