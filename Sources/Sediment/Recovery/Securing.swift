package import SedimentDisk
internal import SedimentFormat

/// Makes a recovered log durable and lets it go on in a new segment (DESIGN.md 7, step 10).
///
/// A crash anywhere in it, or a failure, leaves superblocks from which the same log is recovered again.
package struct Securing {
  private let file: any DiskFile
  private let disk: any Disk

  package init(_ file: any DiskFile, on disk: any Disk) {
    self.file = file
    self.disk = disk
  }

  /// The log as it then is; nil if the file is not as it was when the log was read, which must be read anew.
  ///
  /// `sync` is the keeper's own.
  package func run(
    _ log: RecoveredLog, _ keeper: inout HeadKeeper, sync: () throws(SedimentError) -> Void
  ) throws(SedimentError) -> RecoveredLog? {
    try keeper.writeLeadingAgain()
    let rewriting = Rewriting(file, log.head.leading.identity, watermark: log.watermark)
    guard try rewriting.run(log.unsecured) else { return nil }
    try keeper.syncLeading()
    var next = try begin(behind: log)
    try sync()
    var written: [Superblock] = []
    for _ in Superblock.Copy.allCases {
      try keeper.advance(
        checkpoint: next.checkpoint.offset, segment: next.tail.identity, watermark: next.end, state: .open)
      written.append(keeper.leading)
    }
    next.catalogue.forgetElsewhere()
    next.head = Head(leading: keeper.leading, other: written.first)
    return next
  }

  /// Writes the new segment: its header and a checkpoint in which the old tail ends where the log does.
  func begin(behind log: RecoveredLog) throws(SedimentError) -> RecoveredLog {
    let slots = try FreshSlots.take(for: log.catalogue, in: file, fileByteCount: log.unsecured.fileByteCount)
    let last = try lastHeader(at: slots.run.first, log.head.leading.identity)
    let (segment, base) = try number(slots.run, log, last)
    var next = log
    next.catalogue.setTail(log.tail)
    do throws(Catalogue.Contradiction) {
      try next.catalogue.link(segment, base: base, endOfTail: log.end.offset)
    } catch {
      throw .damaged(error.reason, path: file.path, offset: segment.run.byteRange.lowerBound)
    }
    next.catalogue.numbers.clocks.highest = max(log.clock, min(disk.wallClock(), Limits.clockMax))
    next.catalogue.numbers.slotCount = slots.fileSlotCount
    guard let parts = CheckpointParts(next.catalogue) else { throw .exhausted("tables", path: file.path) }
    let header = SegmentHeader(identity: segment, base: base, floor: base, predecessor: log.end)
    let bytes = header.encode(in: log.head.leading.identity)
    try file.put(unsafe bytes.span.bytes, at: segment.run.byteRange.lowerBound)
    try append(parts, to: segment, base: base, &next)
    return next
  }

  /// Writes the parts of the checkpoint as the first records of the segment.
  private func append(
    _ parts: CheckpointParts, to segment: SegmentIdentity, base: SequenceNumber, _ next: inout RecoveredLog
  ) throws(SedimentError) {
    let seed = segment.seed(in: next.head.leading.identity)
    var tail = SegmentEntry(tail: segment, base: base)
    var offset = segment.recordRange.lowerBound
    next.checkpoint = LogPosition(segment.generation, offset)
    for part in parts.parts {
      guard let sequence = tail.highest.advanced(by: 1) else {
        throw .exhausted("sequences", path: file.path)
      }
      let place = RecordPlace(seed: seed, base: base, offset: offset)
      let record = ControlRecord.record(of: part.encode(), sequence: sequence, at: place)
      try file.put(unsafe record.span.bytes, at: offset.byteOffset)
      tail.highest = sequence
      // The slots were measured for all parts.
      offset = UnitOffset(byteOffset: offset.byteOffset + UInt64(record.count)) ?? offset
    }
    next.catalogue.setTail(tail)
    next.tail = tail
    next.end = LogPosition(segment.generation, offset)
    next.lastSequence = tail.highest
    next.highestSequence = tail.highest
    next.highestGeneration = segment.generation
    next.watermark = next.end
    next.replayedByteCount = offset.byteOffset - segment.recordRange.lowerBound.byteOffset
  }

  // MARK: Numbers

  /// The header that was last written at a slot, whether its use was freed or not.
  private func lastHeader(
    at slot: UInt32, _ identity: FileIdentity
  ) throws(SedimentError) -> SegmentHeader? {
    let start = UInt64(slot) * UInt64(Limits.slotByteCount)
    let bytes = try file.bytes(at: start, count: SegmentHeader.byteCount)
    return try? SegmentHeader.decodeFreed(unsafe bytes.span.bytes, in: identity, at: slot)
  }

  /// Numbers far above all that were seen, since those of the lost tail are not known (invariant 6), and a salt
  /// that gives another seed than the last use of the slot had (invariant 5).
  private func number(
    _ run: SlotRun, _ log: RecoveredLog, _ last: SegmentHeader?
  ) throws(SedimentError) -> (SegmentIdentity, SequenceNumber) {
    let generation = max(log.highestGeneration, last?.identity.generation ?? log.highestGeneration)
    let sequence = max(log.highestSequence, log.lastSequence, last?.base ?? .zero)
    guard let next = generation.advanced(by: Limits.jumpAfterCut),
      let base = sequence.advanced(by: Limits.jumpAfterCut)
    else { throw .exhausted("numbers", path: file.path) }
    let identity = log.head.leading.identity
    let lastSeed = last?.identity.seed(in: identity)
    while true {
      let segment = SegmentIdentity(run: run, kind: .hot, generation: next, salt: disk.random())
      if segment.seed(in: identity) != lastSeed { return (segment, base) }
    }
  }
}
