internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment

/// A store with all its keys, some of which are set again with a sync each.
final class SyncedStore {
  private let keys: [BenchmarkKey]
  private let path: String
  private let value: [UInt8]
  private let store: SedimentStore
  private var sampleCount: UInt64 = 0

  /// Loads a store and makes it durable, so that a later sync has only its own to write.
  init(_ scale: EngineScale, valueByteCount: Int, directory: String) throws {
    keys = BenchmarkKeys.stored(count: scale.keyCount, seed: 31)
    path = "\(directory)/synced-\(valueByteCount)"
    value = valueBytes(count: valueByteCount)
    store = try SedimentStore(path: path, options: SedimentOptions(durability: .unsynced))
    try setAll(store, keys[...], value: value)
    try store.sync()
  }

  deinit {
    try? store.close()
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Each of the threads sets so many keys of its own, one after another, and waits each time until it is durable.
  func set(threadCount: Int, countEach: Int) throws -> Sample {
    sampleCount += 1
    let (store, value, mask) = (store, value, sampleCount)
    let shares = try (0..<threadCount).map { try share($0, count: countEach) }
    let stopwatch = Stopwatch()
    try inParallel(threadCount: threadCount) { number in
      try setAll(store, shares[number], value: value, mask: mask, durability: .synced)
    }
    let nanoseconds = stopwatch.nanoseconds
    for share in shares { try expectNone(countWrongInPlace(store, share, mask: mask), "in synced sets") }
    return Sample(nanoseconds: nanoseconds, amount: threadCount * countEach)
  }

  private func share(_ number: Int, count: Int) throws -> ArraySlice<BenchmarkKey> {
    guard (number + 1) * count <= keys.count else { throw Unsupported("there are too few keys") }
    return keys[number * count..<(number + 1) * count]
  }
}
