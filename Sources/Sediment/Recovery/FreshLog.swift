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
    slots = try FreshSlots(beside: old.catalogue, in: file, fileByteCount: old.unsecured.fileByteCount)
    first = old.tail.identity
    // Far above all numbers that were seen, since those of the lost tail are not known (invariant 6).
    let (segment, last) = try takeSegment(
      roomFor: old.catalogue.checkpointByteCountMax, above: old.highestGeneration,
      by: Limits.jumpAfterCut)
    let sequence = max(old.highestSequence, old.lastSequence, last?.base ?? .zero)
    guard let base = sequence.advanced(by: Limits.jumpAfterCut) else {
      throw .exhausted("numbers", path: file.path)
    }
    first = segment
    log.catalogue.setTail(old.tail)
    try goOn(in: segment, base: base)
  }

  /// What the segment should have room for behind its checkpoint.
  private static let spareByteCount = 4096

  /// Writes a checkpoint in which the old segment ends where the log did.
  mutating func writeCheckpoint() throws(SedimentError) {
    log.catalogue.numbers.clocks.highest = max(log.clock, min(disk.wallClock(), Limits.clockMax))
    log.catalogue.numbers.slotCount = slots.fileSlotCount
    guard let parts = log.catalogue.checkpointParts else {
      throw .exhausted("tables", path: file.path)
    }
    log.checkpoint = log.end
    log.replayedByteCount = 0
    var left = parts.map { $0.encode() }[...]
    while let value = left.first {
      let byteCount = RecordForm.byteCount(ofControl: value.count)
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
    let (segment, _) = try takeSegment(
      roomFor: byteCount, above: log.tail.identity.generation, by: 1)
    try append(ControlRecord.seal(Seal(recordCount: log.tail.recordCount, next: segment)).encode()!)
    log.catalogue.setTail(log.tail)
    try goOn(in: segment, base: log.lastSequence)
  }

  private mutating func goOn(in segment: SegmentIdentity, base: SequenceNumber) throws(SedimentError) {
    do throws(Catalogue.Contradiction) {
      try log.catalogue.link(segment, base: base, endOfTail: log.end.offset)
    } catch {
      throw .damaged(error.reason, path: file.path, offset: segment.run.byteRange.lowerBound)
    }
    try file.write(
      SegmentHeader(identity: segment, base: base, floor: base, predecessor: log.end), of: identity)
    log.tail = SegmentEntry(tail: segment, base: base)
    log.end = LogPosition(segment.generation, segment.recordRange.lowerBound)
  }

  /// A segment with room for so many bytes, and the header that was last written at its first slot, whether that use was
  /// freed or not.
  ///
  /// Its salt gives another seed than the last use had (invariant 5).
  private mutating func takeSegment(
    roomFor byteCount: Int, above generation: Generation, by distance: UInt64
  ) throws(SedimentError) -> (SegmentIdentity, last: SegmentHeader?) {
    let slotCount = SegmentSizes.leastSlotCount(roomFor: byteCount + Self.spareByteCount)
    let run = try slots.take(upTo: min(slotCount, Limits.segmentSlotCountMax))
    let bytes = try file.bytes(at: run.byteRange.lowerBound, count: SegmentHeader.byteCount)
    let last = try? SegmentHeader.decode(
      unsafe bytes.span.bytes, in: identity, at: run.first, mayBeFreed: true)
    let highest = max(generation, last?.identity.generation ?? .first)
    guard let next = highest.advanced(by: distance) else { throw .exhausted("numbers", path: file.path) }
    let lastSeed = last?.identity.seed(in: identity)
    while true {
      let segment = SegmentIdentity(run: run, kind: .hot, generation: next, salt: disk.random())
      if segment.seed(in: identity) != lastSeed { return (segment, last) }
    }
  }
}

/// Slots for the segments that recovery begins: free ones wherever they lie, in a row if there are as many, and only
/// if there are none such by which the file grows.
struct FreshSlots {
  private let file: StoreFile
  /// Free runs in the file that were not tried yet.
  private var free: [Range<UInt32>]
  /// How many slots the file has with what was taken.
  private(set) var fileSlotCount: UInt32

  init(beside catalogue: Catalogue, in file: StoreFile, fileByteCount: UInt64) throws(SedimentError) {
    self.file = file
    fileSlotCount = max(
      try KnownSlots(of: file, byteCount: fileByteCount, catalogue).count(), catalogue.slots.end)
    free = catalogue.slots.freeRuns(before: fileSlotCount)
  }

  /// Takes so many slots, which then have blocks, or as many as there are in a row.
  ///
  /// On a full disk it fails with `outOfSpace`, and the file is as it was but perhaps longer.
  mutating func take(upTo count: UInt32) throws(SedimentError) -> SlotRun {
    while let run = nextFree(count) {
      do throws(SedimentError) {
        try file.allocate(run.byteRange)
        return run
      } catch {
        guard error.code == .outOfSpace else { throw error }
        // A part of it may have blocks: the writer saw to it that some slots do.
        let middle = run.first + run.count / 2
        if run.count > 1 { free += [run.first..<middle, middle..<run.end] }
      }
    }
    guard let run = SlotRun(first: fileSlotCount, count: count) else {
      throw .exhausted("slots", path: file.path)
    }
    try file.allocate(run.byteRange)
    fileSlotCount = run.end
    return run
  }

  /// Takes the free run out that is to be tried next: the first that is long enough, or else the longest.
  private mutating func nextFree(_ count: UInt32) -> SlotRun? {
    let whole = free.firstIndex { $0.count >= count }
    guard let place = whole ?? free.indices.max(by: { free[$0].count < free[$1].count }) else { return nil }
    let run = free.remove(at: place)
    let end = run.lowerBound + min(count, UInt32(run.count))
    if end < run.upperBound { free.insert(end..<run.upperBound, at: place) }
    return SlotRun(first: run.lowerBound, count: end - run.lowerBound)
  }
}
