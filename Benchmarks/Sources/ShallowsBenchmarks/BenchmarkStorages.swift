internal import Foundation
internal import MachineLimits
internal import Sediment
internal import Shallows

/// A value as a program has it.
struct City: Codable, Equatable, Sendable {
  var name: String
  var foundationYear: Int
  var districts: [String]

  init(_ number: Int) {
    name = "City number \(number)"
    foundationYear = 1_000 + number
    districts = ["North", "South", "Old town"]
  }
}

/// The storages that the rows ask, all of which have all keys.
final class BenchmarkStorages {
  static let keyCount = 1_000
  static let dataByteCount = 100

  let keys = (0..<BenchmarkStorages.keyCount).map { "key-number-\($0)" }
  let memory = MemoryStorage<String, Int>()
  let words = MemoryStorage<String, String>()
  let cache = LRUStorage<String, Int>(capacity: .count(10_000))
  let front = LRUStorage<String, Data>(capacity: .count(10_000))
  let log: Storage<String, Data>
  let combined: Storage<String, Data>
  let zipped: Storage<String, (Int, String)>
  let cities: Storage<String, City>
  /// What the cities are in the log.
  let encodedCities: Storage<String, Data>
  let folder: Storage<String, Data>
  /// A storage of a user's own, made of closures that complete at once.
  let inline: Storage<String, Int>
  private let store: SedimentStore
  private let place: URL

  init(directory: String) throws {
    place = URL(fileURLWithPath: directory).appendingPathComponent("storages")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    store = try SedimentStore(url: place.appendingPathComponent("log.sediment"))
    log = SedimentStorage(store).usingStringKeys()
    combined = front.combined(with: SedimentStorage(store).usingStringKeys())
    zipped = zip(memory, words)
    cities = SedimentStorage(store, collection: "cities").usingStringKeys().mapJSONObject(City.self)
    encodedCities = SedimentStorage(store, collection: "cities").usingStringKeys()
    folder = DiskFolderStorage(
      folderURL: place.appendingPathComponent("folder"), filenameEncoder: .base64URL
    ).usingStringKeys()
    inline = Storage(
      storageName: "inline", retrieve: { key, completion in completion(.success(key.utf8.count)) },
      set: { _, _, completion in completion(.success(())) })
    try fill()
  }

  deinit {
    try? store.close()
    try? FileManager.default.removeItem(at: place)
  }

  private func fill() throws {
    let (log, folder) = (combined.makeSyncStorage(), folder.makeSyncStorage())
    let cities = cities.makeSyncStorage()
    for (number, key) in keys.enumerated() {
      memory.storage[key] = number
      words.storage[key] = key
      cache.insert(number, forKey: key)
      try log.set(Self.data(number), forKey: key)
      try cities.set(City(number), forKey: key)
      // Each is a file, and slow to make.
      if number < 100 { try folder.set(Self.data(number), forKey: key) }
    }
  }

  /// Data that nobody can compress, whose first byte tells the key that it belongs to.
  static func data(_ number: Int) -> Data {
    var random = SplitMix64(seed: UInt64(number))
    var data = Data((0..<dataByteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    data[0] = UInt8(truncatingIfNeeded: number)
    return data
  }

  /// Data of one byte again and again, which tells the key that it belongs to.
  static func compressibleData(_ number: Int) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: number), count: dataByteCount)
  }
}

/// A storage answered with something else than was put into it, or not at all: then no figure means anything.
struct WrongAnswer: Error, CustomStringConvertible {
  let description: String

  init(_ row: String) { description = "a storage is wrong in the row \"\(row)\"" }
}
