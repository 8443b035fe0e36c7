internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store that evicts, asked for keys some of which are far more wanted than others, beside an exact LRU.
final class CacheStore {
  private let keys: [BenchmarkKey]
  private let directory: String
  private let requests: [UInt32]
  private var nanoseconds: UInt64?

  private static let valueByteCount = 100
  private static let requestsPerKey = 4

  init(_ scale: EngineScale, directory: String) {
    keys = BenchmarkKeys.stored(count: scale.keyCount, seed: 81)
    self.directory = directory
    var zipf = Zipf(count: scale.keyCount, seed: 82)
    requests = (0..<scale.keyCount * CacheStore.requestsPerKey).map { _ in UInt32(zipf.next()) }
  }

  private var capByteCount: Int {
    max(keys.count * recordByteCountOfValue(CacheStore.valueByteCount) / 10, 1 << 20)
  }

  private var firstCounted: Int { requests.count / 3 }

  /// The hits of a cache that always leaves out what was used longest ago.
  func leastRecentlyUsed() throws -> Sample {
    var cache = LeastRecentlyUsed(
      keyCount: keys.count, count: capByteCount / recordByteCountOfValue(CacheStore.valueByteCount))
    var hits = 0
    for (place, number) in requests.enumerated() {
      if cache.use(Int(number)), place >= firstCounted { hits += 1 }
    }
    return Sample(count: hits, of: requests.count - firstCounted)
  }

  /// The hits of a store with the same number of bytes for all of its file.
  func hits() throws -> Sample {
    let path = "\(directory)/cache"
    try? FileManager.default.removeItem(atPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let options = SedimentOptions.plain(capacity: .evicting(maxBytes: UInt64(capByteCount)))
    let store = try SedimentStore(path: path, options: options)
    var value = valueBytes(count: CacheStore.valueByteCount)
    var hits = 0
    let stopwatch = Stopwatch()
    for (place, number) in requests.enumerated() {
      let key = keys[Int(number)]
      if let word = try store.withValue(forKey: key, { firstWord($0) }) {
        guard word == key.word else { throw WrongValue("a cache that gives another value") }
        if place >= firstCounted { hits += 1 }
      } else {
        unsafe value.withUnsafeMutableBytes { unsafe $0.storeBytes(of: key.word, as: UInt64.self) }
        try store.set(value, forKey: key)
      }
      if place % 4096 == 0, store.statistics.fileByteCount > UInt64(capByteCount) {
        throw WrongValue("its file is larger than its cap")
      }
    }
    nanoseconds = stopwatch.nanoseconds
    try store.close()
    return Sample(count: hits, of: requests.count - firstCounted)
  }

  /// What a request of ``hits()`` took.
  func time() throws -> Sample {
    guard let nanoseconds else { throw Unsupported("nothing was asked for") }
    return Sample(nanoseconds: nanoseconds, amount: requests.count)
  }
}

/// An exact LRU of so many keys: a ring of those it holds, the one used last in front.
struct LeastRecentlyUsed {
  private var before: [Int32]
  private var after: [Int32]
  private let head: Int
  private var left: Int

  init(keyCount: Int, count: Int) {
    before = [Int32](repeating: -1, count: keyCount + 1)
    after = before
    head = keyCount
    before[head] = Int32(head)
    after[head] = Int32(head)
    left = count
  }

  /// Uses a key; whether it was there.
  mutating func use(_ key: Int) -> Bool {
    let isThere = after[key] >= 0
    if isThere {
      takeOut(key)
    } else if left == 0 {
      let last = Int(before[head])
      takeOut(last)
      after[last] = -1
    } else {
      left -= 1
    }
    let first = after[head]
    (after[key], before[key]) = (first, Int32(head))
    before[Int(first)] = Int32(key)
    after[head] = Int32(key)
    return isThere
  }

  private mutating func takeOut(_ key: Int) {
    after[Int(before[key])] = after[key]
    before[Int(after[key])] = before[key]
  }
}
