internal import SedimentFormat

/// Reads the fields before the keys of many records, which are visited in the order of the file.
///
/// One read takes the heads of neighbouring records together with the bytes between them, so an index of a large store is
/// copied with few reads. `record` returns records whose keys and values may not be in memory.
@safe
struct RecordHeads: ~Copyable {
  private let reader: Reader
  /// The bytes of the last read, in memory that this owns.
  private let memory: UnsafeMutableRawPointer
  /// The part of the file that is in memory.
  private var range: Range<UInt64> = 0..<0

  /// The bytes of a head at most.
  private static let headByteCountMax = 64
  /// Records that are further apart are read by calls of their own: reading what lies between would take longer.
  private static let gapByteCountMax: UInt64 = 16 << 10
  /// The bytes of one read at most.
  private static let pieceByteCountMax: UInt64 = 1 << 20

  init(_ reader: Reader) {
    self.reader = reader
    unsafe memory = .allocate(
      byteCount: Int(Self.pieceByteCountMax) + Self.headByteCountMax, alignment: 8)
  }

  deinit {
    unsafe memory.deallocate()
  }

  /// The record at a position, of which only the head may be used, until the next call.
  ///
  /// `next` returns the positions of the records to be visited after this one, in ascending order. Nil if the record has
  /// to be found in another way: a record in the window, or bytes that make no sense.
  mutating func record(
    at position: UInt64, in segment: Segment, next: (Int) -> UInt64?
  ) throws(SedimentError) -> FoundRecord? {
    guard position < segment.readableEnd else { return nil }
    if !range.contains(position) || range.upperBound - position < UInt64(Self.headByteCountMax) {
      try load(from: position, next)
    }
    let available = Int(range.upperBound - position)
    let start = unsafe memory + Int(position - range.lowerBound)
    let longest = Int(segment.end - position)
    guard let view = unsafe RecordView(start, available: available, recordByteCountMax: longest),
      view.headByteCount <= available, view.kind == .put
    else { return nil }
    return unsafe FoundRecord(view: view, position: position, segment: segment, owner: nil)
  }

  private mutating func load(
    from position: UInt64, _ next: (Int) -> UInt64?
  ) throws(SedimentError) {
    var last = position
    var number = 0
    while let following = next(number), following - last <= Self.gapByteCountMax,
      following - position <= Self.pieceByteCountMax
    {
      last = following
      number += 1
    }
    range = position..<position
    let count = Int(last - position) + Self.headByteCountMax
    range = position..<position + UInt64(unsafe try reader.readBytes(into: memory, count, at: position))
  }
}
