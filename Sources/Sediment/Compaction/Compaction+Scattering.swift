internal import SedimentFormat

// How compaction goes on where no slots lie in a row (invariant 22).

extension Compaction {
  /// Stores the value of a record of several slots anew, in slots that may lie scattered, so that the record itself need
  /// not be moved; false if it stays as it is.
  ///
  /// The slots lie before `limit`, if there is one.
  func scatter(at position: UInt64, before limit: UInt32?) throws(SedimentError) -> Bool {
    try Readers.reading(domain) { () throws(SedimentError) in
      guard let found = try reader.record(at: position << 3), found.view.kind == .put else { return false }
      defer { found.release() }
      guard found.view.valueByteCount > LogWriter.heldValueByteCountMax,
        let state = collections.numbered(found.view.collection), state.counts(found.sequence)
      else { return false }
      // Or a bit that rotted would get a good checksum.
      guard found.view.isIntact(at: found.position, seed: found.segment.seed) else {
        throw reader.damaged(at: found.position)
      }
      let isPlain = found.view.transform.map { $0.dictionary != 0 } ?? true
      let value = try isPlain ? reader.value(of: found.borrowed) : nil
      defer { value?.release() }
      let bytes = unsafe RawSpan(_unsafeBytes: value?.bytes ?? found.view.value)
      let extentByteCount = LargeValues.extentByteCount(
        of: bytes.byteCount, besides: found.view.keyByteCount)
      let extentBytes = bytes.extracting(0..<extentByteCount)
      var reservation = Reservation(log.returned)
      let pieces =
        if let limit { try log.writePieces(extentBytes, before: limit, &reservation) } else {
          try log.writePieces(extentBytes, for: .moving, mayScatter: true, &reservation)
        }
      guard let pieces else { return false }
      let large = WrittenExtents(
        pieces, tail: bytes.extracting(extentByteCount..<bytes.byteCount),
        isPlain ? nil : found.view.transform)
      try contents.enter(large, &reservation, insteadOf: found, state)
      return true
    }
  }

  // MARK: Long keys

  /// Empties all segments that may hold something which the tombstone of a sequence would have to hide, so that its
  /// record can go without one.
  func emptyGuards(below sequence: UInt64, but generation: Generation) throws(SedimentError) {
    while true {
      _ = try freeDead()
      try log.bringBack()
      let owner = writer.withLock { writer -> SegmentEntry? in
        let guardFloor = self.guardFloor(emptying: 1, writer)
        guard !guardFloor.allowsDropping(SequenceNumber(sequence)!, of: generation) else { return nil }
        return guardFloor.owner(besides: generation).flatMap { writer.catalogue.segments[$0] }
      }
      guard let owner else { return }
      if writer.withLock({ writer in isBlocked(owner, writer) }) { try log.checkpoint(both: true) }
      let won = try exchange(
        [owner.identity.generation], in: try surveySpace(), evicting: false, winning: 0, keepingAtMost: .max,
        evenForNothing: true)
      if won <= 0 { return }
    }
  }
}
