internal import Synchronization

/// The place of one entry in a table; every access is atomic.
@safe
struct IndexSlot {
  private let address: UnsafeMutablePointer<Atomic<UInt64>>

  @inline(__always)
  init(_ address: UnsafeMutablePointer<Atomic<UInt64>>) {
    unsafe self.address = address
  }

  /// A slot further on, which must lie in the same table.
  @inline(__always)
  func advanced(by distance: Int) -> IndexSlot {
    unsafe IndexSlot(address + distance)
  }

  /// What the slot holds; what was stored elsewhere before that is seen, too.
  @inline(__always)
  func load() -> UInt64 {
    unsafe address.pointee.load(ordering: .acquiring)
  }

  /// What the slot holds, for the writer, who put it there, but for the reference bit.
  @inline(__always)
  func loadAsWriter() -> UInt64 {
    unsafe address.pointee.load(ordering: .relaxed)
  }

  /// Makes the slot hold a value, for readers as well.
  @inline(__always)
  func store(_ rawValue: UInt64) {
    unsafe address.pointee.store(rawValue, ordering: .releasing)
    SchedulePoint.reach(.published)
  }

  /// Makes the slot of a table that is not published yet hold a value.
  @inline(__always)
  func storeUnpublished(_ rawValue: UInt64) {
    unsafe address.pointee.store(rawValue, ordering: .relaxed)
  }

  /// Sets the reference bit if the slot still holds an entry as it was loaded.
  @inline(__always)
  func setReference(of rawValue: UInt64) {
    // Not an "or", which could make an entry of a slot that was freed.
    _ = unsafe address.pointee.compareExchange(
      expected: rawValue, desired: rawValue | IndexEntry.referenceBit, ordering: .relaxed)
  }
}
