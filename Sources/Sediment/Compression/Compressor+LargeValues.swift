internal import SedimentFormat

// Large values: compressed as a stream, so that the memory for it does not grow with them.

extension Compressor {
  /// So many bytes of a large value are tried before all of it.
  private static var trialByteCount: Int { 64 << 10 }

  /// A piece of a compressed value: whole slots, with room for the extent's header and table.
  private static var pieceByteCount: Int { 4 << 20 - 256 }

  /// From so many pieces on the rest of a value takes a run for each, so that its record can name all of them: 256 more
  /// at the most.
  private static var scatteredPieceCountMax: Int { 512 }

  /// How many bytes a large value will become if it is compressed, going by its beginning; nil if that is not tried, or
  /// does not save an eighth.
  func packedByteCount(_ value: RawSpan, _ state: CollectionState) -> Int? {
    guard compresses, wantsTrial(of: value.byteCount, state) else { return nil }
    let trial = value.extracting(0..<min(value.byteCount, Self.trialByteCount))
    let count: Int? = ZstdCodec.withCurrent { codec in
      guard let codec, let packed = pack(trial, with: nil, codec) else { return nil }
      return unsafe packed.bytes.count
    }
    state.compressionCells.noteTrial(value.byteCount, withDictionary: false, isCompressible: count != nil)
    return count.map { Int(Double(value.byteCount) * Double($0) / Double(trial.byteCount)) }
  }

  /// Compresses a large value to what a record can hold; nil if it takes more.
  func packWhole(_ value: RawSpan, expecting byteCount: Int, with codec: ZstdCodec) -> PackedValue? {
    let byteCountMax = log.inlineValueByteCountMax
    guard byteCount < byteCountMax + byteCountMax / 4 else { return nil }
    return pack(value, with: nil, atMost: byteCountMax, codec)
  }

  /// Writes a large value compressed; nil, with nothing written, if that saves less than an eighth.
  func writePackedExtents(
    _ value: RawSpan, besides keyByteCount: Int, _ reservation: inout Reservation
  ) throws(SedimentError) -> WrittenExtents? {
    guard let transform = Transform(zstdOf: value.byteCount), let level = level,
      let codec = ZstdCodec()
    else { return nil }
    var pieces: [ValuePlace.Piece] = []
    var reserved = Reservation(log.returned)
    var tail: [UInt8] = []
    var left = Self.packedByteCountMax(of: value.byteCount)
    let isDone = unsafe try codec.compress(value, level: level, inPiecesOf: Self.pieceByteCount) {
      (part) throws(SedimentError) in
      let bytes = unsafe RawSpan(_unsafeBytes: part)
      left -= bytes.byteCount
      // What does not save enough is not written to its end.
      if left < 0 { return }
      let isFull = bytes.byteCount == Self.pieceByteCount
      var byteCount =
        isFull
        ? bytes.byteCount : max(LargeValues.extentByteCount(of: bytes.byteCount, besides: keyByteCount), 0)
      if pieces.isEmpty, byteCount == 0 { byteCount = bytes.byteCount }
      if byteCount > 0 {
        pieces += try log.writePieces(
          bytes.extracting(0..<byteCount), mayScatter: pieces.count < Self.scatteredPieceCountMax, &reserved)
      }
      tail = bytes.array(byteCount..<bytes.byteCount)
    }
    guard isDone, left >= 0 else { return nil }
    reservation.add(&reserved)
    return unsafe WrittenExtents(pieces, tail: tail.span.bytes, transform)
  }
}
