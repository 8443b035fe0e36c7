internal import SedimentDisk
internal import SedimentFormat

/// A piece of a file in memory that moves along it and does not stop where the disk cannot read.
///
/// What cannot be read is zeros in it, and noted.
struct CarefulWindow {
  private let file: StoreFile
  /// What the window was made of; only the first `byteCount` bytes are the file's.
  private(set) var buffer: [UInt8] = []
  /// Where in the file it begins.
  private(set) var start: UInt64 = 0
  private(set) var byteCount = 0
  /// What could not be read so far.
  private(set) var unreadable = ByteRanges()

  /// The least that is read alone to find out which part of a piece cannot be read.
  private static let sectorByteCount: UInt64 = 512

  init(_ file: StoreFile) {
    self.file = file
  }

  /// Behind its last byte.
  var end: UInt64 { start + UInt64(byteCount) }

  /// Moves the window to `offset`; it ends a piece or `minimum` bytes behind that, or where `limit` or the file
  /// does.
  mutating func load(from offset: UInt64, limit: UInt64, minimum: Int = 0) {
    let wanted = Int(min(limit - min(offset, limit), UInt64(max(FileWindow.pieceByteCount, minimum))))
    if buffer.count < wanted { buffer = [UInt8](repeating: 0, count: wanted) }
    start = offset
    byteCount = wanted == 0 ? 0 : fill(offset..<offset + UInt64(wanted))
  }

  /// Where in the buffer the bytes lie from a position of the file on; empty where the window does not reach.
  func range(from offset: UInt64) -> Range<Int> {
    guard offset >= start, offset <= end else { return 0..<0 }
    return Int(offset - start)..<byteCount
  }

  /// Reads a range of the window, by halves where it cannot be read at once; the result is how much there was.
  private mutating func fill(_ range: Range<UInt64>) -> Int {
    if let count = read(range) { return count }
    let middle = (range.lowerBound + UInt64(range.count / 2)) & ~(Self.sectorByteCount - 1)
    guard middle > range.lowerBound, middle < range.upperBound else {
      for place in Int(range.lowerBound - start)..<Int(range.upperBound - start) { buffer[place] = 0 }
      unreadable.insert(range)
      return range.count
    }
    let first = fill(range.lowerBound..<middle)
    guard first == Int(middle - range.lowerBound) else { return first }
    return first + fill(middle..<range.upperBound)
  }

  /// Reads a range of the window; nil if the disk cannot.
  private mutating func read(_ range: Range<UInt64>) -> Int? {
    let place = Int(range.lowerBound - start)
    return try? file.read(into: &buffer, place..<place + range.count, at: range.lowerBound)
  }
}
