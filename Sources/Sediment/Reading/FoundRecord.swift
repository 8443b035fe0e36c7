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
  @usableFromInline let bytes: UnsafeRawBufferPointer
  private let owner: UnsafeMutableRawPointer?
  /// Whether that is the thread's codec's.
  private let isLent: Bool

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, owner: UnsafeMutableRawPointer?, isLent: Bool = false) {
    unsafe self.bytes = unsafe bytes
    unsafe self.owner = unsafe owner
    self.isLent = isLent
  }

  /// Gives back the memory that it has.
  @inline(__always)
  func release() {
    if unsafe owner != nil { giveBack() }
  }

  /// The same value in memory that no other reading of the thread takes.
  func kept() -> FoundValue {
    guard isLent else { return self }
    defer { release() }
    // One byte at least, for a value without any.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(unsafe bytes.count, 1), alignment: 8)
    unsafe copy.copyMemory(from: bytes)
    let kept = unsafe UnsafeRawBufferPointer(start: copy.baseAddress, count: bytes.count)
    return unsafe FoundValue(kept, owner: copy.baseAddress)
  }

  @inline(never)
  private func giveBack() {
    guard let owner = unsafe owner else { return }
    if isLent {
      ZstdCodec.withCurrent { $0?.takeBack() }
    } else {
      unsafe owner.deallocate()
    }
  }
}
