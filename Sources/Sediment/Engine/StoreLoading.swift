internal import SedimentDisk
internal import SedimentFormat

extension StoreOpening {
  /// Fills the index from a recovered log and makes what the engine consists of.
  func load(
    _ opened: Opening.Result, _ file: any DiskFile, _ ticket: OpenFiles.Ticket?
  ) throws(SedimentError) -> OpenedStore {
    let identity = opened.log.head.leading.identity
    let log = LogFile(file, identity: identity, access: options.access, readOnly: options.readOnly)
    let domain = ReaderDomain.make()
    let retired = RetiredList(of: domain)
    let slotCount: UInt32
    do throws(DiskError) {
      let byteCount = try file.byteCount()
      slotCount = UInt32(min(byteCount >> UInt64(Limits.slotByteCountLog2), UInt64(Limits.fileSlotCountMax)))
      try log.map(upTo: UInt64(slotCount) << UInt64(Limits.slotByteCountLog2))
    } catch {
      throw SedimentError(error)
    }
    let slots = SlotTable(slotCount: Int(slotCount), retired: retired)
    for entry in opened.log.catalogue.segments.values {
      slots.add(Segment(entry.identity, base: entry.base, in: identity), entry.identity.run)
    }
    let index = unsafe HashIndex(keyHash: KeyHash(low: disk.random(), high: disk.random())) { memory in
      unsafe retired.retire(memory, byteCount: 64 << 10)
    }
    let source =
      unsafe log.mappedByteCount > 0
      ? RecordSource(file, mapped: log.base, byteCount: log.mappedByteCount)
      : RecordSource(file, byteCount: UInt64(slotCount) << UInt64(Limits.slotByteCountLog2))
    let built = try IndexBuild(opened.log, of: file).run(into: index, source)
    var liveByteCount = 0
    for (generation, live) in built.segments {
      guard let entry = opened.log.catalogue.segments[generation],
        let segment = slots.segment(at: UInt64(entry.identity.run.first))
      else { continue }
      segment.liveByteCount = Int(live.byteCount)
      segment.liveCount = Int(live.recordCount)
      liveByteCount += Int(live.byteCount)
    }
    let collections = CollectionTable(opened.log.catalogue) { number in
      let counts = built.collections[number]
      return (Int(counts?.count ?? 0), Int(counts?.expiringCount ?? 0))
    }
    var report = opened.report
    report.scannedRecordCount = built.scannedRecordCount
    report.scannedByteCount = built.scannedByteCount
    var writer: LogWriter?
    if !options.readOnly {
      writer = try makeWriter(opened.log, log, slots, slotCount: slotCount, liveByteCount: liveByteCount)
    }
    return OpenedStore(
      log: log, index: index, slots: slots, domain: domain, retired: retired, collections: collections,
      writer: writer, head: opened.keeper, isHeadOpen: opened.keeper.map { !$0.isClosed } ?? false,
      syncedSequence: opened.log.lastSequence.rawValue, watermark: opened.log.end, report: report,
      ticket: ticket)
  }

  private func makeWriter(
    _ recovered: RecoveredLog, _ log: LogFile, _ slots: SlotTable, slotCount: UInt32, liveByteCount: Int
  ) throws(SedimentError) -> LogWriter {
    let entry = recovered.tail
    guard let segment = slots.segment(at: UInt64(entry.identity.run.first)) else {
      preconditionFailure("the segment that the log ends in is not in the catalogue")
    }
    let isMapped: Bool
    do throws(DiskError) {
      isMapped = try log.makeWritable(entry.identity.run.byteRange)
    } catch {
      throw SedimentError(error)
    }
    var space = SlotSpace(end: slotCount)
    for run in recovered.catalogue.slots.freeRuns(before: slotCount) { space.give(run) }
    let tail = Tail(
      identity: entry.identity, segment: segment, offset: recovered.end.offset.byteOffset,
      sequence: recovered.lastSequence.rawValue, countedSequence: recovered.lastSequence.rawValue,
      isMapped: isMapped, entry: entry)
    let writer = LogWriter(
      disk: disk, file: log, identity: log.identity, slots: slots, catalogue: recovered.catalogue,
      space: space, tail: tail, replayByteCount: recovered.replayedByteCount,
      markedWatermark: recovered.watermark, byteCountMax: options.maxByteCount)
    writer.liveByteCount = liveByteCount
    writer.noteOpened()
    // After a crash recovery may have used some of the reserve. A clean file gets it with its first change.
    if !recovered.isClean { try? writer.restoreReserve() }
    return writer
  }
}
