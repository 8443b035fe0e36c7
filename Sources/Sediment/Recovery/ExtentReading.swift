internal import SedimentFormat

/// Reads one piece of a large value, verified chunk by chunk (DESIGN.md 3.7).
struct ExtentReading {
  private let piece: ValuePlace.Piece
  private let file: StoreFile
  private let seed: Checksum
  private let layout: ExtentLayout

  init(_ piece: ValuePlace.Piece, of file: StoreFile, _ identity: FileIdentity) {
    self.piece = piece
    self.file = file
    seed = piece.extent.seed(in: identity)
    layout = ExtentLayout(storedByteCount: piece.storedByteCount)
  }

  var chunks: Range<Int> { 0..<layout.chunkCount }

  /// Where in the file the chunk table lies.
  var tableRange: Range<UInt64> {
    let start = piece.extent.run.byteRange.lowerBound + layout.tableOffset
    return start..<start + UInt64(layout.tableByteCount)
  }

  /// What lies after the chunk table in the last slot.
  var restRange: Range<UInt64> { tableRange.upperBound..<piece.extent.run.byteRange.upperBound }

  /// Where in the file a chunk lies.
  func range(ofChunk number: Int) -> Range<UInt64> {
    let chunk = layout.chunk(number)
    let start = piece.extent.run.byteRange.lowerBound + ExtentLayout.bytesOffset
    return start + chunk.lowerBound..<start + chunk.upperBound
  }

  /// The chunk table; nil if it is not what the piece says.
  func table() throws(SedimentError) -> [UInt8]? {
    let table = try file.bytes(at: tableRange.lowerBound, count: tableRange.count)
    let isSound = seed.continued(with: unsafe table.span.bytes) == piece.checksum
    return table.count == tableRange.count && isSound ? table : nil
  }

  /// A chunk; nil if it is not what the table says or, without a table, if not all of it is there.
  func chunk(_ number: Int, _ table: [UInt8]?) throws(SedimentError) -> [UInt8]? {
    let range = range(ofChunk: number)
    let chunk = try file.bytes(at: range.lowerBound, count: range.count)
    guard chunk.count == range.count else { return nil }
    guard let table else { return chunk }
    let checksum = ExtentLayout.checksum(ofChunk: number, unsafe chunk.span.bytes, seed: seed)
    return checksum == Checksum(unsafe table.span.bytes.integer(at: number * 4)) ? chunk : nil
  }

  /// Whether the chunk table and all chunks match their checksums; each of them is shown as it was verified, with
  /// its place in the file.
  func verify(
    _ visit: ([UInt8], UInt64) throws(SedimentError) -> Void = { _, _ in }
  ) throws(SedimentError) -> Bool {
    guard let table = try table() else { return false }
    try visit(table, tableRange.lowerBound)
    for number in chunks {
      guard let chunk = try chunk(number, table) else { return false }
      try visit(chunk, range(ofChunk: number).lowerBound)
    }
    return true
  }
}
