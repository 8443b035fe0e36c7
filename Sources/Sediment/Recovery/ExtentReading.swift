internal import SedimentDisk
internal import SedimentFormat

/// Reads one piece of a large value, verified chunk by chunk (DESIGN.md 3.7).
struct ExtentReading {
  let piece: ValuePlace.Piece
  let file: StoreFile
  let seed: Checksum

  init(_ piece: ValuePlace.Piece, of file: StoreFile, _ identity: FileIdentity) {
    self.piece = piece
    self.file = file
    seed = piece.extent.seed(in: identity)
  }

  /// Whether the chunk table and all chunks match their checksums; each of them is shown as it was verified, with
  /// its place in the file.
  func verify(
    _ visit: (RawSpan, UInt64) throws(SedimentError) -> Void = { _, _ in }
  ) throws(SedimentError) -> Bool {
    let layout = ExtentLayout(storedByteCount: piece.storedByteCount)
    let start = piece.extent.run.byteRange.lowerBound
    let table = try file.bytes(at: start + layout.tableOffset, count: layout.tableByteCount)
    guard table.count == layout.tableByteCount,
      seed.continued(with: unsafe table.span.bytes) == piece.checksum
    else { return false }
    try visit(unsafe table.span.bytes, start + layout.tableOffset)
    for number in 0..<layout.chunkCount {
      let range = layout.chunk(number)
      let place = start + ExtentLayout.bytesOffset + range.lowerBound
      let chunk = try file.bytes(at: place, count: range.count)
      guard chunk.count == range.count else { return false }
      let checksum = ExtentLayout.checksum(ofChunk: number, unsafe chunk.span.bytes, seed: seed)
      guard checksum == Checksum(unsafe table.span.bytes.integer(at: number * 4)) else { return false }
      try visit(unsafe chunk.span.bytes, place)
    }
    return true
  }
}
