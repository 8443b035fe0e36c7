/// Takes a source apart into its lines, of which it has only a piece in memory.
struct LineReader<Source: ImportSource> {
  let source: Source
  /// Where the next line begins.
  private(set) var offset: UInt64
  private var piece: ArraySlice<UInt8> = []

  private static var pieceByteCount: Int { 64 << 10 }

  init(_ source: Source, from offset: UInt64) {
    self.source = source
    self.offset = offset
  }

  /// The next line without its end, which the last one may lack; nil behind that.
  mutating func next() throws -> ArraySlice<UInt8>? {
    var searched = 0
    while true {
      if let end = piece.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
        let line = piece[..<end]
        take(line.count + 1)
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      }
      searched = piece.count
      let more = try source.bytes(from: offset + UInt64(piece.count), max: Self.pieceByteCount)
      if more.isEmpty { break }
      piece += more
    }
    let line = piece
    take(line.count)
    return line.isEmpty ? nil : line
  }

  private mutating func take(_ byteCount: Int) {
    piece = piece.dropFirst(byteCount)
    offset += UInt64(byteCount)
  }
}
