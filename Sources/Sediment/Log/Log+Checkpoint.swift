internal import SedimentDisk
internal import SedimentFormat

extension Log {
  /// Says the catalogue whole in the log and lets a superblock lead there (DESIGN.md 5, "Checkpoint").
  ///
  /// With `both`, both superblocks lead there, so that nothing before it is needed any more.
  func checkpoint(both: Bool = false) throws(SedimentError) {
    // That takes the head as well.
    try prepare()
    guard let writer, let head else { throw .readOnly(path) }
    try head.withLock { (head) throws(SedimentError) in
      let place = try withWriter { (writer) throws(SedimentError) in try appendCheckpoint(&writer) }
      var failure: SedimentError?
      try gate.turn { () throws(SedimentError) in
        let synced = try syncLog()
        // The sync counts for whoever waited for it, but nothing may be written any more.
        failure = writer.withLock { writer in writer.poison }
        guard failure == nil else { return synced }
        do throws(SedimentError) {
          try advancing(&head) { (head) throws(SedimentError) in
            for _ in 0..<(both ? 2 : 1) {
              try head.advance(to: place, watermark: synced.watermark, state: .open)
            }
          }
        } catch  where error.code == .outOfSpace {
          failure = error
        }
        return synced
      }
      if let failure { throw failure }
      let needed = head.neededGeneration
      writer.withLock { writer in writer.neededGeneration = needed }
      background.tell(.checkpoint)
    }
  }

  /// Appends the parts of a checkpoint; the result is where they begin.
  func appendCheckpoint(_ writer: inout LogWriter) throws(SedimentError) -> CheckpointPlace {
    writer.updateNumbers(clock: disk.wallClock())
    var parts = try checkpointParts(writer)
    // One that ends before its last part would leave less room than before.
    var byteCounts = parts.map { RecordForm.byteCount(ofControl: $0.encode().count) }
    try writer.provideRoom(forAllOf: byteCounts)
    if writer.room(for: .goingOn) < byteCounts[0] {
      // The segment in which the first part lies must be the one that the parts say the log ends in.
      try writer.makeRoom(byteCounts[0] + 256, for: .goingOn)
      writer.updateNumbers(clock: disk.wallClock())
      parts = try checkpointParts(writer)
      byteCounts = parts.map { RecordForm.byteCount(ofControl: $0.encode().count) }
    }
    let place = (segment: writer.tail.identity, offset: UnitOffset(byteOffset: writer.tail.offset)!)
    for (number, part) in parts.enumerated() {
      do throws(SedimentError) {
        try writer.makeRoom(byteCounts[number], for: .goingOn)
        try writer.append(.checkpointPart(part), .stored)
      } catch {
        // Nothing else may follow some of the parts.
        throw number > 0 ? writer.fail(error) : error
      }
    }
    writer.replayByteCount = 0
    writer.noteCheckpoint()
    return place
  }

  private func checkpointParts(_ writer: borrowing LogWriter) throws(SedimentError) -> [CheckpointPart] {
    guard let parts = writer.catalogue.checkpointParts else {
      throw .exhausted("segments and collections", path: path)
    }
    return parts
  }

  func checkpointInBackground() {
    guard lifetime.isUsable, let writer, writer.withLock({ writer in writer.wantsCheckpoint }) else { return }
    do throws(SedimentError) {
      try checkpoint()
    } catch  where error.code == .closed || error.code == .outcomeUnknown {
      // The one is no failure, and the other was told with what poisoned.
    } catch {
      background.tell(.failed(error))
    }
  }
}
