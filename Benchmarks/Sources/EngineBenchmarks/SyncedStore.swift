internal import BenchmarkHarness
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store some of whose keys are set again with a sync each.
final class SyncedStore {
  private let loaded: LoadedStore
  private var sampleCount: UInt64 = 0

  init(_ scale: EngineScale, valueByteCount: Int, directory: String) throws {
    loaded = try LoadedStore(
      "synced-\(valueByteCount)", keys: BenchmarkKeys.stored(count: scale.keyCount, seed: 31),
      valueByteCount: valueByteCount, directory: directory)
  }

  /// Each of the threads sets so many keys of its own, one after another, and waits each time until it is durable.
  func set(threadCount: Int, countEach: Int) throws -> Sample {
    sampleCount += 1
    let (store, value, mask) = (loaded.store, loaded.value, sampleCount)
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
    guard (number + 1) * count <= loaded.keys.count else { throw Unsupported("there are too few keys") }
    return loaded.keys[number * count..<(number + 1) * count]
  }
}
