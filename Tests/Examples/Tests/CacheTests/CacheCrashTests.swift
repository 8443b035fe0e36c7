import Cache
import Sediment
import SedimentTesting
import Testing

/// What the crash checks have to know of a cache.
private struct CacheScenario: CrashScenario {
  enum Operation {
    case set(String, CacheExpiry)
    case create(String, CacheExpiry)
    case remove(String)
    case sync
  }

  /// A value and when it ceases to be there: a crash must lose neither, nor separate them.
  struct Entry: Equatable {
    var value: Int
    var expiry: SedimentExpiry
  }

  struct Storage {
    let store: SedimentStore
    let keyspace: SedimentCollection
    let table: CacheTable
  }

  var empty: [String: Entry] { [:] }

  func open(on disk: SimulatedDisk) throws -> Storage {
    let store = try SedimentStore(
      path: "/cache", options: SedimentOptions(durability: .unsynced), disk: disk,
      background: ManualBackground())
    let collection = try store.collection("cache")
    return Storage(store: store, keyspace: collection, table: CacheTable(collection))
  }

  func close(_ storage: Storage) throws -> CrashPromise {
    try storage.store.close()
    return .forEver
  }

  func contents(of storage: Storage) throws -> [String: Entry] {
    var contents: [String: Entry] = [:]
    for key in try storage.keyspace.keys().map({ String(decoding: $0, as: UTF8.self) }) {
      guard let value = try storage.table.value(forKey: key, as: Int.self),
        let expiry = try storage.keyspace.expiry(forKey: key)
      else { continue }
      contents[key] = Entry(value: value, expiry: expiry)
    }
    return contents
  }

  func operation(using generator: inout SeededGenerator) -> Operation {
    let key = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
    let seconds = Int.random(in: 1...1_000, using: &generator)
    let expiry =
      [CacheExpiry.never, .after(.seconds(seconds)), .kept].randomElement(using: &generator) ?? .never
    return [.set(key, expiry), .set(key, expiry), .create(key, expiry), .remove(key), .sync]
      .randomElement(using: &generator) ?? .sync
  }

  func perform(_ operation: Operation, number: Int, on storage: Storage) throws -> CrashPromise {
    switch operation {
    case .set(let key, let expiry): try storage.table.set(number, forKey: key, expiry: expiry)
    case .create(let key, let expiry): _ = try storage.table.create(number, forKey: key, expiry: expiry)
    case .remove(let key): _ = try storage.table.remove(forKey: key)
    case .sync:
      try storage.store.sync()
      return .forEver
    }
    return .untilPowerFails
  }

  func apply(_ operation: Operation, number: Int, to contents: inout [String: Entry], on disk: SimulatedDisk)
  {
    func entry(_ key: String, _ expiry: CacheExpiry) -> Entry {
      switch expiry {
      case .never: return Entry(value: number, expiry: .never)
      case .kept: return Entry(value: number, expiry: contents[key]?.expiry ?? .never)
      case .after(let duration):
        let time = disk.wallClock() + UInt64(duration.components.seconds) * 1_000
        return Entry(value: number, expiry: .at(milliseconds: time))
      }
    }
    switch operation {
    case .set(let key, let expiry): contents[key] = entry(key, expiry)
    case .create(let key, let expiry): contents[key] = contents[key] ?? entry(key, expiry)
    case .remove(let key): contents[key] = nil
    case .sync: break
    }
  }
}

/// What the cache promises of crashes, tried at every moment of random histories.
@Suite struct CacheCrashTests {
  @Test func `Whenever it crashes, every value is found with its own expiry`() {
    let report = CrashCheck(CacheScenario()).run(seeds: 0..<2)
    #expect(report.findings == [])
    #expect(report.imageCount > 200)
  }
}
