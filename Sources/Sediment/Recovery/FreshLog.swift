internal import SedimentDisk
internal import SedimentFormat

/// The end of the log that recovery writes: a checkpoint, as the first records of one segment or, where free slots lie
/// scattered, of several.
struct FreshLog {
  private let file: StoreFile
  private let disk: any Disk
  private let identity: FileIdentity
  private var slots: FreshSlots
  /// The log, with what was written.
  private(set) var log: RecoveredLog
  /// The segment that the checkpoint begins in.
  private(set) var first: SegmentIdentity

  /// Begins the log's next segment behind where it ends.
  ///
  /// On a full disk it fails with `outOfSpace`, like `writeCheckpoint`; nothing leads to what was written then.
  init(behind old: RecoveredLog, in file: StoreFile, on disk: any Disk) throws(SedimentError) {
    self.file = file
    self.disk = disk
    identity = old.head.leading.identity
    log = old
    slots = FreshSlots(beside: old.catalogue, in: file, fileByteCount: old.unsecured.fileByteCount)
    let byteCount = CheckpointParts.recordByteCountMax(old.catalogue) + Self.spareByteCount
    let run = try Self.take(byteCount, of: &slots)
    let header = try Self.lastHeader(at: run, of: file, identity)
    // Far above all numbers that were seen, since those of the lost tail are not known (invariant 6).
    let generation = max(old.highestGeneration, header?.identity.generation ?? .first)
    let sequence = max(old.highestSequence, old.lastSequence, header?.base ?? .zero)
    guard let next = generation.advanced(by: Limits.jumpAfterCut),
      let base = sequence.advanced(by: Limits.jumpAfterCut)
    else { throw .exhausted("numbers", path: file.path) }
    first = Self.segment(run, next, behind: header, identity, disk)
    log.catalogue.setTail(old.tail)
    try goOn(in: first, base: base, endOfTail: old.end.offset)
  }

  /// What the segment should have room for behind its checkpoint.
  private static let spareByteCount = 4096

  /// Writes a checkpoint in which the old segment ends where the log did.
  mutating func writeCheckpoint() throws(SedimentError) {
    log.catalogue.numbers.clocks.highest = max(log.clock, min(disk.wallClock(), Limits.clockMax))
    log.catalogue.numbers.slotCount = slots.fileSlotCount
    guard let parts = CheckpointParts(log.catalogue)?.parts else {
      throw .exhausted("tables", path: file.path)
    }
    log.checkpoint = log.end
    log.replayedByteCount = 0
    var left = parts.map { $0.encode() }[...]
    while let value = left.first {
      let byteCount = RecordForm(kind: .control).byteCount(keyByteCount: 0, valueByteCount: value.count)
      if log.end.offset.byteOffset + UInt64(byteCount + Seal.recordByteCount) > end {
        try openSegment(forRecordsOf: left.reduce(0) { $0 + $1.count + Self.partByteCount })
      }
      try append(value)
      left = left.dropFirst()
    }
    log.catalogue.setTail(log.tail)
    log.highestSequence = log.tail.highest
    log.highestGeneration = log.tail.identity.generation
    log.watermark = log.end
  }

  /// What a record takes around its value at most.
  private static let partByteCount = Limits.recordFixedByteCount + Limits.unitByteCount

  private var end: UInt64 { log.tail.identity.run.byteRange.upperBound }

  private mutating func append(_ value: [UInt8]) throws(SedimentError) {
    guard let sequence = log.tail.highest.advanced(by: 1) else {
      throw .exhausted("sequences", path: file.path)
    }
    let place = RecordPlace(
      seed: log.tail.identity.seed(in: identity), base: log.tail.base, offset: log.end.offset)
    let record = ControlRecord.record(of: value, sequence: sequence, at: place)
    try file.write(record, at: log.end.offset.byteOffset)
    guard let offset = UnitOffset(byteOffset: log.end.offset.byteOffset + UInt64(record.count)) else {
      throw .fileTooLarge(file.path)
    }
    log.tail.highest = sequence
    log.lastSequence = sequence
    log.end = LogPosition(log.tail.identity.generation, offset)
    log.replayedByteCount += UInt64(record.count)
  }

  // MARK: Segments

  /// Seals the segment and goes on in another.
  private mutating func openSegment(forRecordsOf byteCount: Int) throws(SedimentError) {
    let run = try Self.take(byteCount + Self.spareByteCount, of: &slots)
    let header = try Self.lastHeader(at: run, of: file, identity)
    let generation = max(log.tail.identity.generation, header?.identity.generation ?? .first)
    guard let next = generation.advanced(by: 1) else { throw .exhausted("numbers", path: file.path) }
    let segment = Self.segment(run, next, behind: header, identity, disk)
    try append(ControlRecord.seal(Seal(recordCount: log.tail.recordCount, next: segment)).encode()!)
    log.catalogue.setTail(log.tail)
    try goOn(in: segment, base: log.lastSequence, endOfTail: log.end.offset)
  }

  private mutating func goOn(
    in segment: SegmentIdentity, base: SequenceNumber, endOfTail: UnitOffset
  ) throws(SedimentError) {
    do throws(Catalogue.Contradiction) {
      try log.catalogue.link(segment, base: base, endOfTail: endOfTail)
    } catch {
      throw .damaged(error.reason, path: file.path, offset: segment.run.byteRange.lowerBound)
    }
    let header = SegmentHeader(identity: segment, base: base, floor: base, predecessor: log.end)
    let bytes = header.encode(in: identity)
    try file.write(bytes, at: segment.run.byteRange.lowerBound)
    log.tail = SegmentEntry(tail: segment, base: base)
    log.end = LogPosition(segment.generation, segment.recordRange.lowerBound)
  }

  private static func take(_ byteCount: Int, of slots: inout FreshSlots) throws(SedimentError) -> SlotRun {
    try slots.take(upTo: min(SegmentSizes.leastSlotCount(roomFor: byteCount), Limits.segmentSlotCountMax))
  }

  /// The header that was last written at a slot, whether its use was freed or not.
  private static func lastHeader(
    at run: SlotRun, of file: StoreFile, _ identity: FileIdentity
  ) throws(SedimentError) -> SegmentHeader? {
    let bytes = try file.bytes(at: run.byteRange.lowerBound, count: SegmentHeader.byteCount)
    return try? SegmentHeader.decode(
      unsafe bytes.span.bytes, in: identity, at: run.first, mayBeFreed: true)
  }

  /// A segment with a salt that gives another seed than the last use of the slot had (invariant 5).
  private static func segment(
    _ run: SlotRun, _ generation: Generation, behind last: SegmentHeader?, _ identity: FileIdentity,
    _ disk: any Disk
  ) -> SegmentIdentity {
    let lastSeed = last?.identity.seed(in: identity)
    while true {
      let segment = SegmentIdentity(run: run, kind: .hot, generation: generation, salt: disk.random())
      if segment.seed(in: identity) != lastSeed { return segment }
    }
  }
}
