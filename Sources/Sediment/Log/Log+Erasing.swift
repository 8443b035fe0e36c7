internal import SedimentDisk
internal import SedimentFormat

// How slots lose what lies in them while a call erases what is dead (DESIGN.md 8, "Erasing").

extension Log {
  /// Lets no slot become free before it was overwritten, until `endErasing`.
  ///
  /// When it returns, no other thread gives slots back that it did not overwrite.
  func beginErasing() {
    reclaimLock.withLock {
      writer?.withLock { writer in
        writer.space.beginErasing()
      }
    }
  }

  /// Ends what `beginErasing` began.
  func endErasing() {
    // In a fork's child a lock that another thread had would stay taken.
    guard !lifetime.isForked else { return }
    writer?.withLock { writer in writer.space.endErasing() }
  }

  /// Overwrites slots that nobody uses with zeros, but for the headers of their last uses, which new uses are compared
  /// with (invariant 5); false if they have no blocks any more.
  func overwrite(_ slots: Range<UInt32>) throws(SedimentError) -> Bool {
    let bytes = SlotSpace.byteRange(of: slots)
    do throws(SedimentError) {
      var position = bytes.lowerBound
      while position < bytes.upperBound {
        let end = min(bytes.upperBound, position + Self.overwrittenByteCount)
        try overwrite(bytes: position..<end)
        position = end
      }
      return true
    } catch {
      // Blocks that are shared with a copy are given up where there are none for the zeros.
      guard error.code == .outOfSpace, volume.file.traits.punchesHoles else { throw error }
      try volume.file.punchHole(bytes)
      return false
    }
  }

  /// So many bytes, whole slots, are overwritten by one call.
  private static let overwrittenByteCount: UInt64 = 1 << 20

  private func overwrite(bytes range: Range<UInt64>) throws(SedimentError) {
    var zeros = [UInt8](repeating: 0, count: range.count)
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Limits.slotByteCount) {
      let head = try volume.file.bytes(at: start, count: SegmentHeader.byteCount)
      guard let slot = UInt32(exactly: start / UInt64(Limits.slotByteCount)),
        (try? SegmentHeader.decode(unsafe head.span.bytes, in: volume.identity, at: slot, mayBeFreed: true))
          != nil
      else { continue }
      let place = Int(start - range.lowerBound)
      zeros.replaceSubrange(place..<place + head.count, with: head)
    }
    try volume.file.write(zeros, at: range.lowerBound)
  }

  /// Overwrites what lies after large values in their last slots, if something is being erased: these were taken before
  /// all free slots were overwritten, perhaps.
  func overwriteRest(of place: ValuePlace, _ writer: borrowing LogWriter) throws(SedimentError) {
    guard writer.space.isErasing else { return }
    for piece in place.pieces {
      let rest = ExtentReading(piece, of: volume.file, volume.identity).restRange
      try volume.file.write([UInt8](repeating: 0, count: rest.count), at: rest.lowerBound)
    }
  }
}
