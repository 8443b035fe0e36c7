internal import SedimentFormat

// How the bytes of large values get slots of their own.

extension Log {
  /// Writes bytes to an extent of their own or, if `mayScatter`, to several where free slots lie scattered.
  func writePieces(
    _ bytes: RawSpan, for purpose: SlotSpace.Purpose = .storing, mayScatter: Bool,
    _ reservation: inout Reservation
  ) throws(SedimentError) -> [ValuePlace.Piece] {
    let extents = try takeExtents(&reservation) { (writer) throws(SedimentError) in
      try writer.takeRuns(forExtentsOf: bytes.byteCount, for: purpose, mayScatter: mayScatter)
    }
    return try write(bytes, to: extents)
  }

  /// Writes bytes to extents that lie before a slot; nil if there is no room.
  func writePieces(
    _ bytes: RawSpan, before limit: UInt32, _ reservation: inout Reservation
  ) throws(SedimentError) -> [ValuePlace.Piece]? {
    let extents = try takeExtents(&reservation) { (writer) throws(SedimentError) in
      try writer.takeLowRuns(forExtentsOf: bytes.byteCount, before: limit) ?? []
    }
    return extents.isEmpty ? nil : try write(bytes, to: extents)
  }

  /// Writes bytes to an extent that lies behind a slot; nil if there is no room.
  func writePieces(
    _ bytes: RawSpan, behind limit: UInt32, _ reservation: inout Reservation
  ) throws(SedimentError) -> [ValuePlace.Piece]? {
    do throws(SedimentError) {
      let extents = try takeExtents(&reservation) { (writer) throws(SedimentError) in
        [
          try writer.takeHighRun(
            ExtentLayout(storedByteCount: UInt64(bytes.byteCount)).slotCount, behind: limit)
        ]
      }
      return try write(bytes, to: extents)
    } catch  where error.code == .outOfSpace {
      return nil
    }
  }

  private func write(
    _ bytes: RawSpan, to extents: [SegmentIdentity]
  ) throws(SedimentError) -> [ValuePlace.Piece] {
    var pieces: [ValuePlace.Piece] = []
    var offset = 0
    do throws(SedimentError) {
      for extent in extents {
        let most = ExtentLayout.storedByteCountMax(slotCount: extent.run.count)
        let end = min(offset + Int(most), bytes.byteCount)
        pieces.append(try LargeValues.write(bytes.extracting(offset..<end), to: extent, volume))
        offset = end
      }
    } catch {
      // Nothing of the log was written, and what lies in the slots nobody will ever look at.
      throw lifetime.seenByCaller(error)
    }
    return pieces
  }

  private func takeExtents(
    _ reservation: inout Reservation, _ take: (inout LogWriter) throws(SedimentError) -> [SlotRun]
  ) throws(SedimentError) -> [SegmentIdentity] {
    try withWriter { (writer) throws(SedimentError) in
      var runs = try take(&writer)[...]
      var extents: [SegmentIdentity] = []
      do throws(SedimentError) {
        while let run = runs.popFirst() { extents.append(try writer.reserve(.extent, run, &reservation)) }
      } catch {
        for run in runs { writer.space.give(run.first..<run.end) }
        throw error
      }
      return extents
    }
  }
}
