internal import Synchronization

/// What every handle of a collection shares.
///
/// Read without a lock, changed under the writer's.
@usableFromInline
@safe
final class CollectionState: @unchecked Sendable {
  let number: UInt32
  let name: [UInt8]
  /// Records up to this sequence are dead; the highest number once the collection was dropped.
  let clearedAt: Atomic<UInt64>
  let isDropped = Atomic<Bool>(false)
  let compression: CollectionCompression
  let compressionCells: CompressionCells
  // Unchecked for this constant pointer, to atomics.
  private let counters: UnsafeMutablePointer<Counters>

  /// On a cache line of their own: writers change them, and readers look at what lies near.
  private struct Counters: ~Copyable {
    let keys: Atomic<Int>
    let expiring: Atomic<Int>

    static let memoryByteCount = 64
  }

  init(number: UInt32, name: [UInt8], clearedAt: UInt64, keyCount: Int = 0, expiringCount: Int = 0) {
    self.number = number
    self.name = name
    self.clearedAt = Atomic(clearedAt)
    compression = CollectionCompression()
    compressionCells = compression.cells
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Counters.memoryByteCount, alignment: 64)
    unsafe counters = memory.bindMemory(to: Counters.self, capacity: 1)
    unsafe counters.initialize(to: Counters(keys: Atomic(keyCount), expiring: Atomic(expiringCount)))
  }

  deinit {
    unsafe UnsafeMutableRawPointer(counters).deallocate()
  }

  /// How many keys the index has for it, those that have expired among them.
  var keyCount: Int { unsafe counters.pointee.keys.load(ordering: .relaxed) }

  /// How many of these expire some day.
  var expiringCount: Int { unsafe counters.pointee.expiring.load(ordering: .relaxed) }

  /// Counts a key that appeared or went.
  ///
  /// Under the writer's lock, so no other change comes between.
  @inline(__always)
  func count(_ change: Int, expiring: Bool) {
    unsafe counters.pointee.keys.store(keyCount &+ change, ordering: .relaxed)
    if expiring { unsafe counters.pointee.expiring.store(expiringCount &+ change, ordering: .relaxed) }
  }

  /// Makes every record up to a sequence dead.
  func clear(at sequence: UInt64) {
    clearedAt.store(sequence, ordering: .releasing)
    unsafe counters.pointee.keys.store(0, ordering: .relaxed)
    unsafe counters.pointee.expiring.store(0, ordering: .relaxed)
  }
}
