internal import SedimentDisk
internal import SedimentFormat

/// A large value whose bytes lie in slots, and the record value that will commit it.
struct WrittenExtents {
  let place: ValuePlace
  /// The value of the put large: the place, then the bytes that the extents leave out.
  let record: [UInt8]
  /// How it was compressed; nil if it was not.
  let transform: Transform?

  /// What lies in pieces, but for its last bytes.
  init(_ pieces: [ValuePlace.Piece], tail: RawSpan, _ transform: Transform? = nil) {
    place = ValuePlace(pieces: pieces, tailByteCount: tail.byteCount)!
    record = place.encode() + tail.array(0..<tail.byteCount)
    self.transform = transform
  }

  var storedByteCount: Int { Int(place.storedByteCount) }
}

/// How large values are divided between extents and their record.
enum LargeValues {
  /// How many of a value's bytes go to its extent; the rest stands in the record.
  ///
  /// Only where the last slot would be wasted for the most part, and the waste is more than a 32nd of the value:
  /// a value in one piece can be read in place.
  /// Nor where the key and the places of all pieces leave no room for them in a record of one slot.
  static func extentByteCount(of valueByteCount: Int, besides keyByteCount: Int) -> Int {
    let overhead =
      ExtentLayout(storedByteCount: UInt64(valueByteCount)).tableByteCount + SegmentHeader.byteCount + 4
    let rest = (valueByteCount + overhead) % Limits.slotByteCount
    let waste = Limits.slotByteCount - rest
    guard rest > 0, rest < Limits.slotByteCount / 4, rest < valueByteCount,
      rest + keyByteCount <= keyAndTailByteCountMax, waste * 32 > valueByteCount
    else {
      return valueByteCount
    }
    return valueByteCount - rest
  }

  /// What a key and the bytes behind the pieces may have together, with as many pieces as scatter.
  private static var keyAndTailByteCountMax: Int {
    LogWriter.shortRecordByteCountMax - 40 * (LogWriter.scatteredRunCountMax + 1)
  }
}

// How the bytes of large values get slots of their own.

extension Log {
  /// Writes bytes that a user stores to an extent of their own or, if `mayScatter`, to several where free slots lie
  /// scattered.
  func writePieces(
    _ bytes: RawSpan, mayScatter: Bool, _ reservation: inout Reservation
  ) throws(SedimentError) -> [ValuePlace.Piece] {
    try writePieces(bytes, &reservation) { (writer, reservation) throws(SedimentError) in
      try writer.takeRuns(
        forExtentsOf: bytes.byteCount, for: .storing, mayScatter: mayScatter, &reservation)
    }
  }

  /// Writes bytes that `read` passes on, from the first to the last and at most a MiB at a time, as `writePieces` does.
  func writePieces(
    ofByteCount byteCount: Int, mayScatter: Bool, _ reservation: inout Reservation,
    from read: (Range<Int>, (RawSpan) throws(SedimentError) -> Void) throws(SedimentError) -> Void
  ) throws(SedimentError) -> [ValuePlace.Piece] {
    try writePieces(ofByteCount: byteCount, &reservation, from: read) {
      (writer, reservation) throws(SedimentError) in
      try writer.takeRuns(forExtentsOf: byteCount, for: .storing, mayScatter: mayScatter, &reservation)
    }
  }

  /// Writes bytes to extents in the slots that `take` takes under the lock; to none if it takes none.
  func writePieces(
    _ bytes: RawSpan, _ reservation: inout Reservation,
    to take: (inout LogWriter, inout Reservation) throws(SedimentError) -> [SlotRun]
  ) throws(SedimentError) -> [ValuePlace.Piece] {
    try writePieces(
      ofByteCount: bytes.byteCount, &reservation,
      from: { (range, body) throws(SedimentError) in try body(bytes.extracting(range)) }, to: take)
  }

  private func writePieces(
    ofByteCount byteCount: Int, _ reservation: inout Reservation,
    from read: (Range<Int>, (RawSpan) throws(SedimentError) -> Void) throws(SedimentError) -> Void,
    to take: (inout LogWriter, inout Reservation) throws(SedimentError) -> [SlotRun]
  ) throws(SedimentError) -> [ValuePlace.Piece] {
    let extents = try withWriter { (writer) throws(SedimentError) in
      var extents: [SegmentIdentity] = []
      for run in try take(&writer, &reservation) { extents.append(try writer.newSegment(.extent, in: run)) }
      return extents
    }
    var pieces: [ValuePlace.Piece] = []
    var offset = 0
    do throws(SedimentError) {
      for extent in extents {
        let most = ExtentLayout.storedByteCountMax(slotCount: extent.run.count)
        let end = min(offset + Int(most), byteCount)
        pieces.append(try write(offset..<end, from: read, to: extent))
        offset = end
      }
    } catch {
      // Nothing of the log was written, and what lies in the slots nobody will ever look at.
      throw lifetime.seenByCaller(error)
    }
    return pieces
  }

  /// Writes an extent's header, the bytes of a range of the value, and the chunk table.
  private func write(
    _ bytes: Range<Int>,
    from read: (Range<Int>, (RawSpan) throws(SedimentError) -> Void) throws(SedimentError) -> Void,
    to extent: SegmentIdentity
  ) throws(SedimentError) -> ValuePlace.Piece {
    let layout = ExtentLayout(storedByteCount: UInt64(bytes.count))
    let start = extent.run.byteRange.lowerBound
    let seed = extent.seed(in: volume.identity)
    let header = SegmentHeader(identity: extent, base: .zero, floor: .zero).encode(in: volume.identity)
    try volume.file.write(header, at: start)
    var checksums: [UInt32] = []
    for number in 0..<layout.chunkCount {
      let range = layout.chunk(number)
      let place = bytes.lowerBound + Int(range.lowerBound)..<bytes.lowerBound + Int(range.upperBound)
      try read(place) { (chunk) throws(SedimentError) in
        checksums.append(ExtentLayout.checksum(ofChunk: number, chunk, seed: seed).rawValue)
        try volume.file.write(chunk, at: start + ExtentLayout.bytesOffset + range.lowerBound)
      }
    }
    // The zeros up to a multiple of 4, then the table.
    let bytesEnd = ExtentLayout.bytesOffset + layout.storedByteCount
    let gap = Int(layout.tableOffset - bytesEnd)
    let table = encoded(byteCount: gap + layout.tableByteCount) { bytes in
      for (number, checksum) in checksums.enumerated() { bytes.store(checksum, at: gap + number * 4) }
    }
    let tableBytes = unsafe table.span.bytes.extracting(gap..<table.count)
    try volume.file.write(table, at: start + bytesEnd)
    return ValuePlace.Piece(
      extent: extent, checksum: seed.continued(with: tableBytes), storedByteCount: layout.storedByteCount)!
  }
}
