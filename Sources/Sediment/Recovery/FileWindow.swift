internal import SedimentDisk

/// A piece of a file in memory, which moves along it; so memory is bounded, whatever the file claims.
struct FileWindow {
  private let file: StoreFile
  /// What the window was made of; only the first `byteCount` bytes are the file's.
  private(set) var buffer: [UInt8] = []
  /// Where in the file it begins.
  private(set) var start: UInt64 = 0
  private(set) var byteCount = 0

  /// How much is read at once, unless a record is longer.
  static let pieceByteCount = 1 << 20

  init(_ file: StoreFile) {
    self.file = file
  }

  /// Behind its last byte.
  var end: UInt64 { start + UInt64(byteCount) }

  /// Moves the window to `offset`; it ends a piece or `minimum` bytes behind that, or where `limit` or the file
  /// does.
  mutating func load(from offset: UInt64, limit: UInt64, minimum: Int = 0) throws(SedimentError) {
    let wanted = Int(min(limit - min(offset, limit), UInt64(max(Self.pieceByteCount, minimum))))
    if buffer.count < wanted {
      // Segments become larger one by one while a store is loaded.
      buffer = [UInt8](repeating: 0, count: max(wanted, min(2 * buffer.count, Self.pieceByteCount)))
    }
    start = offset
    byteCount = 0
    byteCount = try file.read(into: &buffer, 0..<wanted, at: offset)
  }

  /// Where in the buffer the bytes lie from a position of the file on; empty where the window does not reach.
  func range(from offset: UInt64) -> Range<Int> {
    guard offset >= start, offset <= end else { return 0..<0 }
    return Int(offset - start)..<byteCount
  }
}
