internal import Synchronization

/// What every handle of a collection shares.
///
/// Read without a lock, changed under the writer's.
@usableFromInline
final class CollectionState: Sendable {
  let number: UInt32
  let name: [UInt8]
  /// Records up to this sequence are dead; the highest number once the collection was dropped.
  let clearedAt: Atomic<UInt64>
  let isDropped = Atomic<Bool>(false)
  /// How many keys the index has for it, those that have expired among them.
  let keyCount: Atomic<Int>
  /// How many of these expire some day.
  let expiringCount: Atomic<Int>

  init(number: UInt32, name: [UInt8], clearedAt: UInt64, keyCount: Int = 0, expiringCount: Int = 0) {
    self.number = number
    self.name = name
    self.clearedAt = Atomic(clearedAt)
    self.keyCount = Atomic(keyCount)
    self.expiringCount = Atomic(expiringCount)
  }

  /// Counts a key that appeared or went.
  func count(_ change: Int, expiring: Bool) {
    keyCount.wrappingAdd(change, ordering: .relaxed)
    if expiring { expiringCount.wrappingAdd(change, ordering: .relaxed) }
  }

  /// Makes every record up to a sequence dead.
  func clear(at sequence: UInt64) {
    clearedAt.store(sequence, ordering: .releasing)
    keyCount.store(0, ordering: .relaxed)
    expiringCount.store(0, ordering: .relaxed)
  }
}
