internal import BenchmarkHarness
internal import CBench
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store whose compaction runs beside sets at full speed, and what that takes of the processors.
///
/// Nothing is synced and nothing compressed, so that all that other threads do is compaction.
struct CompactedStore {
  private static let valueByteCount = 100
  private static let roundCount = 3

  private let keyCount: Int
  private let directory: String
  private let path: String

  init(_ scale: EngineScale, directory: String) {
    keyCount = scale.keyCount
    self.directory = directory
    path = "\(directory)/compacted"
  }

  /// What the threads that do not set took of the processors, by the records that compaction read meanwhile.
  ///
  /// A record that was in the file or came to it, and is not in it any more, was in a segment that compaction has read.
  func read() throws -> Sample {
    let recordByteCount = recordByteCountOfValue(CompactedStore.valueByteCount)
    try Room.warm(directory, storeByteCount: 2 * keyCount * recordByteCount)
    let store = try SedimentStore(path: path, options: .plain(durability: .unsynced))
    defer {
      try? store.close()
      try? FileManager.default.removeItem(atPath: path)
    }
    let keys = BenchmarkKeys.stored(count: keyCount, seed: 84)
    let value = valueBytes(count: CompactedStore.valueByteCount)
    var random = SplitMix64(seed: 85)
    func shuffled() -> ArraySlice<BenchmarkKey> { BenchmarkKeys.shuffled(keys, using: &random)[...] }
    try setAll(store, keys[...], value: value)
    try setAll(store, shuffled(), value: value)
    let orders = (0..<CompactedStore.roundCount).map { _ in shuffled() }
    let (moved, held) = (store.statistics.movedByteCount, heldCount(store))
    let spending = try Spending.of(keys.count * orders.count) {
      for order in orders { try setAll(store, order, value: value) }
    }
    let movedCount = Int(store.statistics.movedByteCount - moved) / recordByteCount
    let readCount = held + spending.count + movedCount - heldCount(store)
    try expectNone(countWrongInPlaceBatched(store, keys[...]), "after compaction")
    return Sample(
      nanoseconds: spending.process - min(spending.thread, spending.process), amount: max(readCount, 1))
  }

  /// How many records the segments hold, dead ones included.
  private func heldCount(_ store: SedimentStore) -> Int {
    store.segments.reduce(0) { count, segment in
      [.hot, .survivors].contains(segment.kind) ? count + segment.recordCount : count
    }
  }
}
