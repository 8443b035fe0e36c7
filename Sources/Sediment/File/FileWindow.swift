internal import SedimentFormat

/// A piece of a file in memory, which moves along it; so memory is bounded, whatever the file claims.
///
/// A careful one does not stop where the disk cannot read: what cannot be read is zeros in it, and noted.
struct FileWindow {
  let file: StoreFile
  private let isCareful: Bool
  private let pieceByteCount: Int
  /// What the window was made of; only the first `byteCount` bytes are the file's.
  private(set) var buffer: [UInt8] = []
  /// Where in the file it begins.
  private(set) var start: UInt64 = 0
  private(set) var byteCount = 0
  /// What could not be read so far.
  private(set) var unreadable = ByteRuns()

  /// How much is read at once, unless a record is longer or less is asked for.
  static let pieceByteCount = 1 << 20
  /// The least that is read alone to find out which part of a piece cannot be read.
  private static let sectorByteCount: UInt64 = 512

  init(_ file: StoreFile, isCareful: Bool = false, pieceByteCount: Int = Self.pieceByteCount) {
    self.file = file
    self.pieceByteCount = pieceByteCount
    self.isCareful = isCareful
  }

  /// Behind its last byte.
  var end: UInt64 { start + UInt64(byteCount) }

  /// Moves the window to `offset`; it ends a piece or `minimum` bytes behind that, or where `limit` or the file
  /// does.
  ///
  /// It throws only if it is not careful.
  mutating func load(from offset: UInt64, limit: UInt64, minimum: Int = 0) throws(SedimentError) {
    let wanted = Int(min(limit - min(offset, limit), UInt64(max(pieceByteCount, minimum))))
    if buffer.count < wanted {
      // Segments become larger one by one while a store is loaded.
      buffer = [UInt8](repeating: 0, count: max(wanted, min(2 * buffer.count, pieceByteCount)))
    }
    start = offset
    byteCount = 0
    byteCount = try fill(offset..<offset + UInt64(wanted))
  }

  /// Forgets what is in it.
  mutating func empty() {
    byteCount = 0
  }

  /// Moves the window to `offset`, where it had too little; false if there is no more before `limit`.
  mutating func grow(from offset: UInt64, limit: UInt64) throws(SedimentError) -> Bool {
    let have = range(from: offset).count
    guard offset + UInt64(have) < limit else { return false }
    try load(from: offset, limit: limit, minimum: 2 * have)
    return byteCount > have
  }

  /// Where in the buffer the bytes lie from a position of the file on; empty where the window does not reach.
  func range(from offset: UInt64) -> Range<Int> {
    guard offset >= start, offset <= end else { return 0..<0 }
    return Int(offset - start)..<byteCount
  }

  /// Shows the bytes in it.
  func withBytes<Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    unsafe try buffer.span.bytes.extracting(0..<byteCount).withUnsafeBytes(body)
  }

  /// Reads a range of the window, by halves where a careful one cannot read it at once; the result is how much there
  /// was.
  private mutating func fill(_ range: Range<UInt64>) throws(SedimentError) -> Int {
    let place = Int(range.lowerBound - start)..<Int(range.upperBound - start)
    do throws(SedimentError) {
      return try file.read(into: &buffer, place, at: range.lowerBound)
    } catch {
      guard isCareful, error.code != .cancelled else { throw error }
    }
    let middle = (range.lowerBound + UInt64(range.count / 2)) & ~(Self.sectorByteCount - 1)
    guard middle > range.lowerBound, middle < range.upperBound else {
      for index in place { buffer[index] = 0 }
      unreadable.insert(range)
      return range.count
    }
    let first = try fill(range.lowerBound..<middle)
    guard first == Int(middle - range.lowerBound) else { return first }
    return first + (try fill(middle..<range.upperBound))
  }
}

extension FileWindow {
  /// The sound headers that slots in a range of the file begin with, in ascending order; holes are not read.
  mutating func headers(
    in range: Range<UInt64>
  ) throws(SedimentError) -> [(file: FileIdentity, header: SegmentHeader)] {
    let slotByteCount = UInt64(Limits.slotByteCount)
    var found: [(file: FileIdentity, header: SegmentHeader)] = []
    var position = range.lowerBound
    while position < range.upperBound, let data = try data(from: position, limit: range.upperBound),
      !data.isEmpty
    {
      // Of a slot that begins in a hole nothing is left.
      position = (data.lowerBound + slotByteCount - 1) / slotByteCount * slotByteCount
      while position < data.upperBound {
        let end = max(data.upperBound, position + UInt64(SegmentHeader.byteCount))
        if let header = try header(at: position, limit: end) { found.append(header) }
        position += slotByteCount
      }
    }
    return found
  }

  private func data(from position: UInt64, limit: UInt64) throws(SedimentError) -> Range<UInt64>? {
    isCareful
      ? file.readableRange(from: position, limit: limit) : try file.data(from: position, limit: limit)
  }

  private mutating func header(
    at position: UInt64, limit: UInt64
  ) throws(SedimentError) -> (file: FileIdentity, header: SegmentHeader)? {
    if self.range(from: position).count < SegmentHeader.byteCount {
      do throws(SedimentError) {
        try load(from: position, limit: limit)
      } catch {
        // What else lies in the slots need not be readable.
        try load(from: position, limit: min(limit, position + UInt64(SegmentHeader.byteCount)))
      }
    }
    let bytes = unsafe buffer.span.bytes.extracting(self.range(from: position))
    return try? SegmentHeader.decode(
      bytes, at: UInt32(truncatingIfNeeded: position / UInt64(Limits.slotByteCount)))
  }
}
