internal import CSediment
internal import SedimentFormat
internal import Synchronization

/// Finds the segment that a position of the file lies in, without a lock.
///
/// A table of one word for each slot, the address of its segment's block. It grows by being replaced; the one
/// before is freed when no reader can have it.
@safe final class SlotTable: @unchecked Sendable {
  // Sendable: the words of a table are atomic, and changes take the writer's permit.

  /// The address of the table in force: its length, then a word for each slot.
  private let current: Atomic<UInt>
  private let retired: RetiredList

  init(slotCount: Int, retired: RetiredList) {
    self.retired = retired
    current = Atomic(unsafe UInt(bitPattern: Self.make(slotCount: max(slotCount, 8))))
  }

  deinit {
    let table = unsafe Self.table(current.load(ordering: .relaxed))
    var blocks: Set<UInt> = []
    for slot in 0..<Int(unsafe table[0]) where unsafe table[slot + 1] != 0 {
      blocks.insert(UInt(unsafe table[slot + 1]))
    }
    for block in blocks {
      unsafe UnsafeMutableRawPointer(bitPattern: block)?.deallocate()
    }
    unsafe sediment_zeros_free(table)
  }

  /// The segment of a slot; nil if it is free.
  ///
  /// Inside a reader's scope or with the writer.
  @inline(__always) func segment(at slot: UInt64) -> Segment? {
    SchedulePoint.reach(.reading)
    let table = unsafe Self.table(current.load(ordering: .acquiring))
    guard unsafe slot < table[0] else { return nil }
    // Published with release ordering by `set`, so what it leads to is complete.
    let word = unsafe Atomic<UInt64>.load(table + Int(slot) + 1)
    guard word != 0, let address = unsafe UnsafeMutableRawPointer(bitPattern: UInt(word)) else { return nil }
    return unsafe Segment(at: address)
  }

  /// Lets the slots of a run lead to its segment.
  func add(_ segment: Segment, _ run: SlotRun, _ permit: borrowing WritePermit) {
    reserve(slotCount: Int(run.end))
    set(run, to: UInt64(UInt(bitPattern: unsafe segment.address)))
  }

  /// Lets the slots of a run lead nowhere; the segment's block goes when no reader can have it.
  func remove(_ run: SlotRun, _ permit: borrowing WritePermit) {
    guard let segment = segment(at: UInt64(run.first)) else { return }
    set(run, to: 0)
    unsafe retired.retire(segment.address, byteCount: 128)
  }

  private func set(_ run: SlotRun, to word: UInt64) {
    let table = unsafe Self.table(current.load(ordering: .relaxed))
    for slot in Int(run.first)..<Int(run.end) {
      unsafe Atomic<UInt64>.store(word, table + slot + 1)
      SchedulePoint.reach(.published)
    }
  }

  private func reserve(slotCount: Int) {
    let old = unsafe Self.table(current.load(ordering: .relaxed))
    let oldCount = Int(unsafe old[0])
    guard slotCount > oldCount else { return }
    let new = unsafe Self.make(slotCount: max(slotCount, oldCount * 2))
    for slot in 0..<oldCount { unsafe new[slot + 1] = unsafe old[slot + 1] }
    current.store(UInt(bitPattern: new), ordering: .releasing)
    SchedulePoint.reach(.published)
    let address = UInt(bitPattern: old)
    retired.retire(byteCount: oldCount * 8) {
      unsafe sediment_zeros_free(UnsafeMutableRawPointer(bitPattern: address))
    }
  }

  private static func make(slotCount: Int) -> UnsafeMutablePointer<UInt64> {
    // Only the parts of it that segments lie in take memory: a forged file can name a slot far away.
    let zeros = unsafe sediment_zeros_new((slotCount + 1) * 8)!
    let table = unsafe zeros.bindMemory(to: UInt64.self, capacity: slotCount + 1)
    unsafe table[0] = UInt64(slotCount)
    return unsafe table
  }

  @inline(__always)
  private static func table(_ word: UInt) -> UnsafeMutablePointer<UInt64> {
    // Always the address of a table.
    unsafe UnsafeMutablePointer(bitPattern: word).unsafelyUnwrapped
  }
}

extension Atomic where Value == UInt64 {
  /// Loads a word of plain memory with acquire ordering.
  @inline(__always) static func load(_ place: UnsafeMutablePointer<UInt64>) -> UInt64 {
    unsafe UnsafeRawPointer(place).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(
      ordering: .acquiring)
  }

  /// Stores a word of plain memory with release ordering.
  @inline(__always) static func store(_ value: UInt64, _ place: UnsafeMutablePointer<UInt64>) {
    unsafe UnsafeRawPointer(place).assumingMemoryBound(to: Atomic<UInt64>.self)
      .pointee.store(value, ordering: .releasing)
  }
}
