internal import SedimentFormat

/// A record that the index led to and whose key is the one that was asked for.
@safe struct FoundRecord {
  let view: RecordView
  /// Its first byte in the file.
  let position: UInt64
  let segment: Segment
  /// Memory of its own, to be deallocated, where the record was not read in place.
  let owner: UnsafeMutableRawPointer?

  var sequence: UInt64 { segment.sequence(low: view.sequenceLow) }

  /// The slot of the file in which it begins.
  @inline(__always) var slot: UInt64 { position &>> UInt64(Limits.slotByteCountLog2) }

  @inline(__always) func release() {
    if let owner = unsafe owner { unsafe owner.deallocate() }
  }

  @inline(__always) var account: RecordAccount {
    RecordAccount(
      segment: segment, position: position, byteCount: view.byteCount, sequence: sequence,
      expires: !view.isPlainPut && view.expiry != 0)
  }

  /// Where its value lies, if that is a large one.
  @inline(__always) var place: ValuePlace? {
    view.kind == .putLarge ? unsafe Self.place(of: view.value) : nil
  }

  // A record that is passed to a call is laid out in memory also where the call is not made.
  @inline(never)
  private static func place(of bytes: UnsafeRawBufferPointer) -> ValuePlace? {
    try? ValuePlace.decode(unsafe RawSpan(_unsafeBytes: bytes))
  }

  /// The same record, whose memory somebody else gives back.
  var borrowed: FoundRecord {
    unsafe FoundRecord(view: view, position: position, segment: segment, owner: nil)
  }
}

/// What the accounts have of a record.
struct RecordAccount {
  let segment: Segment
  let position: UInt64
  let byteCount: Int
  let sequence: UInt64
  let expires: Bool
}

/// A value that was found: bytes in the mapped file or in memory of its own, until the reading ends.
@usableFromInline
@safe struct FoundValue {
  // Three words, of which the first is never 0: a value or none is returned in three registers.
  @usableFromInline let start: UnsafeRawPointer
  @usableFromInline let byteCount: Int
  /// The address of memory of its own; `lent` if that is the thread's codec's, and 0 where it lies in the file.
  @usableFromInline let owner: UInt

  // No memory begins there.
  private static var lent: UInt { 1 }

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, owner: UnsafeMutableRawPointer?, isLent: Bool = false) {
    unsafe start = bytes.baseAddress.unsafelyUnwrapped
    byteCount = bytes.count
    self.owner = isLent ? Self.lent : UInt(bitPattern: owner)
  }

  @inlinable @inline(__always)
  var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: byteCount) }

  /// Gives back the memory that it has.
  @inline(__always)
  func release() { Self.release(owner) }

  /// Gives back the memory that a value has of which nothing else is known.
  @inline(__always)
  static func release(_ owner: UInt) {
    if owner != 0 { giveBack(owner) }
  }

  /// The same value in memory that no other reading of the thread takes.
  func kept() -> FoundValue {
    guard owner == Self.lent else { return self }
    defer { release() }
    // One byte at least, for a value without any.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(byteCount, 1), alignment: 8)
    unsafe copy.copyMemory(from: bytes)
    let kept = unsafe UnsafeRawBufferPointer(start: copy.baseAddress, count: byteCount)
    return unsafe FoundValue(kept, owner: copy.baseAddress)
  }

  @inline(never)
  private static func giveBack(_ owner: UInt) {
    if owner == lent {
      ZstdCodec.withCurrent { $0?.takeBack() }
    } else {
      unsafe UnsafeMutableRawPointer(bitPattern: owner)?.deallocate()
    }
  }
}
