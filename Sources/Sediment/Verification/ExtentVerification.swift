internal import SedimentDisk
internal import SedimentFormat

/// Holds the bytes of an extent against the checksums of its chunks, and tells which MiB is damaged.
struct ExtentVerification {
  private let piece: ValuePlace.Piece
  private let file: StoreFile
  private let seed: Checksum
  private let fileByteCount: UInt64

  init(
    _ piece: ValuePlace.Piece, of file: StoreFile, _ identity: FileIdentity, fileByteCount: UInt64
  ) {
    self.piece = piece
    self.file = file
    self.fileByteCount = fileByteCount
    seed = piece.extent.seed(in: identity)
  }

  func run(_ report: inout VerificationReport) -> VerificationReport.Segment {
    let layout = ExtentLayout(storedByteCount: piece.storedByteCount)
    let start = piece.extent.run.byteRange.lowerBound
    let tableStart = start + layout.tableOffset
    let tableRange = tableStart..<tableStart + UInt64(layout.tableByteCount)
    var window = CarefulWindow(file)
    window.load(from: tableRange.lowerBound, limit: tableRange.upperBound)
    let table = Array(window.buffer.prefix(window.byteCount))
    let isTableSound = seed.continued(with: unsafe table.span.bytes) == piece.checksum
    if table.count < layout.tableByteCount || !isTableSound {
      note(tableRange, "The checksums of a large value", window.unreadable, &report)
    }
    for number in 0..<layout.chunkCount {
      let chunk = layout.chunk(number)
      let place = start + ExtentLayout.bytesOffset + chunk.lowerBound
      window.load(from: place, limit: place + UInt64(chunk.count), minimum: chunk.count)
      let bytes = unsafe window.buffer.span.bytes.extracting(0..<window.byteCount)
      let checksum = ExtentLayout.checksum(ofChunk: number, bytes, seed: seed).rawValue
      let range = place..<place + UInt64(chunk.count)
      let isThere = window.byteCount == chunk.count && !window.unreadable.overlaps(range)
      // Bytes whose checksum is damaged itself may be right.
      let isSound = isTableSound ? checksum == Self.checksum(number, in: table) : true
      if !isThere || !isSound { note(range, "A large value", window.unreadable, &report) }
    }
    return VerificationReport.Segment(
      piece.extent, usedByteCount: tableRange.upperBound - start, isInUse: true)
  }

  private static func checksum(_ number: Int, in table: [UInt8]) -> UInt32 {
    unsafe table.span.bytes.integer(at: number * 4)
  }

  private func note(
    _ range: Range<UInt64>, _ what: String, _ unreadable: ByteRanges, _ report: inout VerificationReport
  ) {
    if unreadable.overlaps(range) {
      report.add(.unreadable, range, "\(what) cannot be read by the disk. \(Advice.disk)")
    } else {
      report.add(
        .corrupt, range, "\(what) does not match what was written. \(Advice.restore)")
    }
  }
}
