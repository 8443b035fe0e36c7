internal import Synchronization

/// What every handle of a collection shares.
///
/// Read without a lock, changed by whoever has the writer.
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
  // Sendable: unchecked for this constant pointer, to atomics.
  private let counters: UnsafeMutablePointer<Counters>

  /// On a cache line of their own: writers change them, and readers look at what lies near.
  private struct Counters: ~Copyable {
    let keys: Atomic<Int>
    let expiring: Atomic<Int>
    /// Odd while the keys that expire, or their number, are being changed; another one after each such change.
    let expiringVersion: Atomic<Int>
    let extentSlots: Atomic<Int>

    static let memoryByteCount = 64
  }

  init(number: UInt32, name: [UInt8], clearedAt: UInt64, _ keys: IndexBuildResult.Keys = .init()) {
    self.number = number
    self.name = name
    self.clearedAt = Atomic(clearedAt)
    compression = CollectionCompression()
    compressionCells = compression.cells
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Counters.memoryByteCount, alignment: 64)
    unsafe counters = memory.bindMemory(to: Counters.self, capacity: 1)
    unsafe counters.initialize(
      to: Counters(keys: Atomic(0), expiring: Atomic(0), expiringVersion: Atomic(0), extentSlots: Atomic(0)))
    recount(keys, WritePermit())
  }

  deinit {
    unsafe UnsafeMutableRawPointer(counters).deallocate()
  }

  /// How many keys the index has for it, those that have expired among them.
  var keyCount: Int { unsafe counters.pointee.keys.load(ordering: .relaxed) }

  /// How many of these expire some day.
  var expiringCount: Int { unsafe counters.pointee.expiring.load(ordering: .relaxed) }

  /// The slots of the extents of its values.
  var extentSlotCount: Int { unsafe counters.pointee.extentSlots.load(ordering: .relaxed) }

  /// Counts a key that appeared or went, after the index was told.
  @inline(__always)
  func count(_ change: Int, expiring: Bool, _ permit: borrowing WritePermit) {
    if expiring { return countExpiring(change, permit) }
    unsafe counters.pointee.keys.store(keyCount &+ change, ordering: .relaxed)
  }

  @inline(never)
  private func countExpiring(_ change: Int, _ permit: borrowing WritePermit) {
    changeExpiring(permit) {
      // Whoever sees the number sees that the version is odd.
      unsafe counters.pointee.keys.store(keyCount &+ change, ordering: .releasing)
      unsafe counters.pointee.expiring.store(expiringCount &+ change, ordering: .relaxed)
    }
  }

  private func changeExpiring(_ permit: borrowing WritePermit, _ body: () -> Void) {
    let version = expiringVersion
    unsafe counters.pointee.expiringVersion.store(version &+ 1, ordering: .relaxed)
    body()
    unsafe counters.pointee.expiringVersion.store(version &+ 2, ordering: .releasing)
  }

  /// The version of the keys that expire; what readers find in the index later is as new, or newer.
  var expiringVersion: Int { unsafe counters.pointee.expiringVersion.load(ordering: .acquiring) }

  /// How many keys there are at a time that is not before `expired` was counted; nil if more may have expired since, or
  /// one that expires was changed.
  func keyCount(without expired: ExpiredKeys, at time: UInt64) -> Int? {
    guard expired.version == expiringVersion, expired.times.contains(time) else { return nil }
    let count = unsafe counters.pointee.keys.load(ordering: .acquiring)
    return expired.version == expiringVersion ? count &- expired.count : nil
  }

  /// Counts slots of the extents of a value that appeared or, below 0, went.
  func countExtents(_ change: Int, _ permit: borrowing WritePermit) {
    unsafe counters.pointee.extentSlots.store(extentSlotCount &+ change, ordering: .relaxed)
  }

  /// Takes over what was counted anew.
  func recount(_ found: IndexBuildResult.Keys, _ permit: borrowing WritePermit) {
    changeExpiring(permit) {
      unsafe counters.pointee.keys.store(Int(clamping: found.count), ordering: .releasing)
      unsafe counters.pointee.expiring.store(Int(clamping: found.expiringCount), ordering: .relaxed)
    }
    unsafe counters.pointee.extentSlots.store(Int(clamping: found.extentSlotCount), ordering: .relaxed)
  }

  /// Whether a record of it is among those that are counted: what is cleared is taken out at once.
  @inline(__always)
  func counts(_ sequence: UInt64) -> Bool {
    let clearedAt = clearedAt.load(ordering: .relaxed)
    return clearedAt == 0 || sequence > clearedAt
  }

  /// Makes every record up to a sequence dead.
  func clear(at sequence: UInt64, _ permit: borrowing WritePermit) {
    clearedAt.store(sequence, ordering: .releasing)
    SchedulePoint.reach(.published)
    recount(IndexBuildResult.Keys(), permit)
  }
}

/// How many keys of a collection had expired when all were looked at, and were still counted.
struct ExpiredKeys {
  let count: Int
  /// The version of the keys that expire which this is true of: an even number.
  let version: Int
  /// From when they were looked at until the next of the others expires.
  let times: Range<UInt64>
}
