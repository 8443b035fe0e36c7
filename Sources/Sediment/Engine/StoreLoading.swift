internal import SedimentDisk
internal import SedimentFormat

extension StoreOpening {
  /// Fills the index from a recovered log and makes what the engine consists of.
  func load(
    _ opened: Opening.Result, _ file: StoreFile, _ missing: Range<UInt64>, isNameOnDisk: Bool,
    _ ticket: OpenFiles.Ticket
  ) throws(SedimentError) -> OpenedStore {
    let identity = opened.log.head.leading.identity
    // What is laid over the file is not in the mapping.
    let access = opened.log.patched == nil ? options.access : .unmapped
    let volume = Volume(
      file, identity: identity, access: access, readOnly: options.readOnly,
      memory: { [disk] in disk.memoryByteCount() })
    let domain = ReaderDomain.make()
    let retired = RetiredList(of: domain)
    // Without blocks: a part of a stored index may be said to lie anywhere.
    if !missing.isEmpty { try file.truncate(to: missing.upperBound) }
    let byteCount = missing.upperBound
    let known = KnownSlots(of: file, byteCount: byteCount, opened.log.catalogue)
    let slotCount = try known.count(claimed: opened.log.catalogue.numbers.slotCount)
    try volume.map(upTo: SlotSpace.byteCount(of: slotCount))
    let freeSlots = opened.log.catalogue.slots.freeRuns(before: slotCount)
    let takenSlotCount = freeSlots.reduce(slotCount) { $0 - UInt32($1.count) }
    volume.chooseReadMode(takenByteCount: SlotSpace.byteCount(of: takenSlotCount))
    // Segments end within the file, or a segment's length behind it; parts of a stored index may be said to lie
    // anywhere, and are not looked up.
    let permit = WritePermit()
    let slots = SlotTable(slotCount: Int(slotCount), retired: retired)
    for entry in opened.log.catalogue.segments {
      let segment = Segment(entry.identity, base: entry.base, in: identity)
      segment.counts(permit).tombstoneByteCount =
        Int(entry.tombstoneCount) * CompactionCandidate.usualTombstoneByteCount
      slots.add(segment, entry.identity.run, permit)
    }
    let index = HashIndex(keyHash: KeyHash(low: disk.random(), high: disk.random())) { memory in
      retired.retire(byteCount: 64 << 10) { memory.free() }
    }
    let source = unsafe RecordSource(
      file, byteCount: byteCount, mapped: volume.base, mappedByteCount: volume.mappedByteCount)
    let build = IndexBuild(opened.log, of: file, usingStoredIndex: options.storesIndex)
    // Where the log was not closed the next close may have something to store.
    let (built, filling) = try build.run(into: index, source, leavingParts: opened.report.wasClosed)
    var liveByteCount = 0
    for found in built.segments {
      guard let segment = slots.segment(at: UInt64(found.identity.run.first)) else { continue }
      segment.counts(permit).liveByteCount = Int(found.live.byteCount)
      segment.counts(permit).liveCount = Int(found.live.recordCount)
      liveByteCount += Int(found.live.byteCount)
    }
    let collections = CollectionTable(opened.log.catalogue) { number in
      built.collections[number] ?? IndexBuildResult.Keys()
    }
    var report = opened.report
    report.storedKeyCount = built.storedCount
    report.scannedRecordCount = built.scannedRecordCount
    report.scannedByteCount = built.scannedByteCount
    let (returned, pace) = (ReturnedSlots(), PaceCell())
    var writer: Locked<LogWriter>?
    if !options.readOnly {
      var made = try makeWriter(
        opened.log, volume, slots, slotCount: slotCount, known, liveByteCount: liveByteCount,
        neededGeneration: opened.keeper?.neededGeneration ?? .first, returned, pace)
      // What was scanned now the next opening would scan again.
      made.noteUnstored(built.scannedByteCount)
      writer = Locked(.writer, made)
    }
    filling?.rebuilding(
      by: rebuilding(index, by: opened.log, file, byteCount: byteCount, volume, collections, writer))
    return OpenedStore(
      volume: volume, index: index, filling: filling, slots: slots, domain: domain, retired: retired,
      collections: collections,
      dictionaries: Array(opened.log.catalogue.dictionaries.values),
      writer: writer, head: opened.keeper.map { Locked(.head, $0) }, returned: returned, pace: pace,
      isNameOnDisk: isNameOnDisk, syncedSequence: opened.log.lastSequence.rawValue, watermark: opened.log.end,
      report: report, liveByteCount: liveByteCount, cleared: built.cleared, ticket: ticket)
  }

  /// Refuses a file whose numbers could run out while it is open for writing.
  ///
  /// No history leads to such a file.
  private func checkNumbers(_ recovered: RecoveredLog) throws(SedimentError) {
    let margin: UInt64 = 1 << 60
    if recovered.lastSequence.advanced(by: margin) == nil { throw .exhausted("sequences", path: path) }
    if recovered.catalogue.numbers.nextGeneration.advanced(by: margin) == nil {
      throw .exhausted("segment generations", path: path)
    }
    if recovered.head.leading.generation.advanced(by: margin) == nil {
      throw .exhausted("superblock generations", path: path)
    }
  }

  /// What a copy left off of the file, which whoever writes gives it back; it begins where the file ends.
  ///
  /// The log need only reach to its end, and what lies behind it in its last segment may be missing.
  func missingRange(
    of file: StoreFile, holding catalogue: Catalogue
  ) throws(SedimentError) -> Range<UInt64> {
    let byteCount = try file.byteCount()
    let needed = options.readOnly ? 0 : SlotSpace.byteCount(of: catalogue.slots.end)
    return byteCount..<max(byteCount, needed)
  }

  private func makeWriter(
    _ recovered: RecoveredLog, _ volume: Volume, _ slots: SlotTable, slotCount: UInt32, _ known: KnownSlots,
    liveByteCount: Int, neededGeneration: Generation, _ returned: ReturnedSlots, _ pace: PaceCell
  ) throws(SedimentError) -> LogWriter {
    let entry = recovered.tail
    try checkNumbers(recovered)
    guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else {
      preconditionFailure("the segment that the log ends in is not in the catalogue")
    }
    var unused = SlotSpace(end: slotCount)
    for run in recovered.catalogue.slots.freeRuns(before: slotCount) { unused.giveBare(run) }
    unused.idleStart = 0
    let cap = options.capacity.byteCountMax.map { $0 >> UInt64(Limits.slotByteCountLog2) } ?? .max
    // Slots that do not count may have been used all the same.
    let space = SpaceState(
      unused, slotCountMax: UInt32(min(cap, UInt64(Limits.fileSlotCountMax))), freshSlot: known.wholeCount,
      returned)
    let tail = Tail(
      segment: segment, offset: recovered.end.offset.byteOffset,
      sequence: recovered.lastSequence.rawValue, countedSequence: recovered.lastSequence.rawValue,
      clock: disk.wallClock(), flushedEnd: recovered.end.offset.byteOffset, entry: entry)
    var writer = LogWriter(
      disk: disk, options: options, volume: volume, slots: slots, catalogue: recovered.catalogue,
      space: space, tail: tail, replayByteCount: recovered.replayedByteCount,
      markedWatermark: recovered.watermark, neededGeneration: neededGeneration, pace: pace)
    writer.liveByteCount = liveByteCount
    writer.noteLongest()
    writer.ledger.reserve(recovered.catalogue.segments.count)
    // In their order, in which they mostly come last in all orders of the ledger.
    for entry in recovered.catalogue.segments where entry.holdsRecords && entry.identity != tail.identity {
      guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else { continue }
      writer.noteWhole(entry, segment)
    }
    writer.noteOpened()
    return writer
  }
}
