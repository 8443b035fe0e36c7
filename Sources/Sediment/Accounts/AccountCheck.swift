internal import SedimentFormat

/// The accounts made anew: to whom each slot of the file belongs, and what is counted by hand while the store is used.
struct AccountCheck {
  let reader: Reader
  /// Whether no extent can be lost: all that were, were found.
  let hasSoughtExtents: Bool
  /// Whether nobody else uses the store and the background rests, so that no slots are on their way to anybody.
  let isAlone: Bool
  private var findings: [String] = []

  init(_ reader: Reader, hasSoughtExtents: Bool, isAlone: Bool) {
    (self.reader, self.hasSoughtExtents, self.isAlone) = (reader, hasSoughtExtents, isAlone)
  }

  /// What of the accounts is not as it should be, in words; with `readsSegments` all records are read.
  ///
  /// No segment may be moved meanwhile. What damaged records were part of is not told.
  func findings(_ writer: inout LogWriter, readsSegments: Bool) -> [String] {
    writer.space.reclaimReturned()
    var check = self
    check.compareSlots(writer)
    check.compareSlotCounts(writer)
    let sealed = recordSegments(writer).map(\.identity.generation).filter {
      $0 != writer.tail.identity.generation
    }
    check.findings += writer.ledger.findings(for: Set(sealed))
    let recount = IndexRecount(of: reader)
    check.compare("entries of the index", kept: reader.index.count, counted: recount.entryCount)
    if recount.doubleCount > 0 {
      check.findings.append("\(recount.doubleCount) entries lead to keys that have another entry")
    }
    if recount.misplacedCount > 0 {
      check.findings.append("\(recount.misplacedCount) entries are not under the hashes of their keys")
    }
    if reader.volume.isWhollyMapped, SlotSpace.byteCount(of: writer.space.end) > reader.volume.mappedByteCount
    {
      check.findings.append("the file is longer than what is mapped of it, and passes for wholly mapped")
    }
    if isAlone, recount.clearedCount > 0, !writer.plans.isToBeSwept {
      check.findings.append(
        "\(recount.clearedCount) entries lead to cleared records, and nobody will sweep them out")
    }
    if recount.isWhole {
      check.compareLive(recount, writer)
      check.compareExtents(recount, writer)
    }
    if readsSegments { check.compareRecords(&writer) }
    if writer.plans.isMaintenanceWanted, !writer.plans.isMaintenancePlanned {
      check.findings.append("somebody has asked for maintenance, and none is on its way")
    }
    return check.findings
  }

  private mutating func compare(_ what: String, kept: some BinaryInteger, counted: some BinaryInteger) {
    if kept != counted { findings.append("\(what): \(kept) by the accounts, and \(counted) counted anew") }
  }

  // MARK: Slots

  /// The segments with records as the catalogue has them, the tail as it is now.
  private func recordSegments(_ writer: borrowing LogWriter) -> [SegmentEntry] {
    let tail = writer.tail.entry
    return writer.catalogue.segments
      .map { $0.identity == tail.identity ? tail : $0 }
      .filter(\.holdsRecords)
  }

  private mutating func compareSlots(_ writer: borrowing LogWriter) {
    var claims = SlotClaims()
    claims.claim(0..<Limits.headSlotCount, by: "the head")
    for entry in writer.catalogue.segments {
      let identity = entry.identity
      claims.claim(identity.run.slots, by: "the \(identity.kind) segment \(identity.generation.rawValue)")
      let found = reader.slots.segment(at: UInt64(identity.run.first))?.generation
      if found != identity.generation.rawValue {
        findings.append(
          "slot \(identity.run.first) leads readers to segment \(found ?? 0), not \(identity.generation.rawValue)"
        )
      }
    }
    for part in writer.catalogue.indexParts { claims.claim(part.segment.run.slots, by: "the stored index") }
    for freed in writer.space.freedRuns {
      claims.claim(freed.run.slots, by: "segment \(freed.generation.rawValue), which was freed")
    }
    for run in writer.space.freeRuns { claims.claim(run, by: "the free slots") }
    for run in writer.space.bareRuns { claims.claim(run, by: "the bare slots") }
    // What is being written, and what was freed and loses its magic just now.
    let returning = Int(writer.space.freedSlotCount) - writer.space.freedRuns.map(\.run).slotCount
    let onTheirWay = isAlone ? 0 : Int(writer.space.takenSlotCount) + returning
    findings += claims.findings(before: writer.space.end, withoutOwner: onTheirWay)
  }

  private mutating func compareSlotCounts(_ writer: borrowing LogWriter) {
    let (free, bare) = (writer.space.freeRuns, writer.space.bareRuns)
    compare("free slots", kept: writer.space.freeCount, counted: free.reduce(0) { $0 + $1.count })
    compare("bare slots", kept: writer.space.bareCount, counted: bare.reduce(0) { $0 + $1.count })
    let extents = writer.catalogue.segments.filter { $0.identity.kind == .extent }.map(\.identity.run)
    compare("slots of extents", kept: writer.extentSlotCount, counted: extents.slotCount)
    let records = recordSegments(writer).map(\.identity.run)
    compare("slots with records", kept: writer.recordSlotCount, counted: records.slotCount)
    guard isAlone else { return }
    compare("slots taken and not adopted yet", kept: writer.space.takenSlotCount, counted: 0)
    compare(
      "freed slots", kept: writer.space.freedSlotCount, counted: writer.space.freedRuns.map(\.run).slotCount)
  }

  // MARK: Records

  private mutating func compareLive(_ recount: IndexRecount, _ writer: borrowing LogWriter) {
    compare("live bytes", kept: writer.liveByteCount, counted: recount.byteCount)
    for entry in recordSegments(writer) {
      let generation = entry.identity.generation.rawValue
      guard let segment = reader.slots.segment(at: UInt64(entry.identity.run.first)) else { continue }
      let live = recount.segments[generation] ?? IndexBuildResult.Live()
      let kept = segment.counts(writer.permit)
      compare("live bytes of segment \(generation)", kept: kept.liveByteCount, counted: live.byteCount)
      compare("live records of segment \(generation)", kept: kept.liveCount, counted: live.recordCount)
      let isTail = entry.identity == writer.tail.identity
      if live.recordCount == 0, !isTail, !writer.emptied.contains(entry.identity.generation) {
        findings.append("segment \(generation) is wholly dead, and not noted to be")
      }
    }
    for state in reader.collections.all {
      let keys = recount.collections[state.number] ?? IndexBuildResult.Keys()
      compare("keys of collection \(state.number)", kept: state.keyCount, counted: keys.count)
      compare(
        "expiring keys of collection \(state.number)", kept: state.expiringCount, counted: keys.expiringCount)
      compare(
        "slots of extents of collection \(state.number)", kept: state.extentSlotCount,
        counted: keys.extentSlotCount)
    }
  }

  private mutating func compareExtents(_ recount: IndexRecount, _ writer: borrowing LogWriter) {
    let dead = writer.deadExtents
    compare(
      "slots of dead extents", kept: writer.deadExtentSlotCount, counted: dead.values.map(\.run).slotCount)
    for (generation, extent) in recount.extents
    where writer.catalogue.segments[generation]?.identity != extent {
      findings.append("the index leads to extent \(generation.rawValue), which the catalogue does not know")
    }
    var lost: [SlotRun] = []
    for entry in writer.catalogue.segments where entry.identity.kind == .extent {
      let generation = entry.identity.generation
      switch (recount.extents[generation] != nil, dead[generation] != nil) {
      case (true, true):
        findings.append("extent \(generation.rawValue) is about to be freed, and the index leads there")
      case (false, false) where !recount.clearedExtents.contains(generation): lost.append(entry.identity.run)
      default: continue
      }
    }
    // What a segment led to that cannot be read stays.
    if lost.isEmpty || !hasSoughtExtents || !writer.ledger.refused.isEmpty { return }
    let places = lost.map(\.first).sorted().prefix(8)
    findings.append(
      "nothing leads to \(lost.count) extents of \(lost.slotCount) slots, at slots \(Array(places))")
  }

  private mutating func compareRecords(_ writer: inout LogWriter) {
    let tail = writer.tail.position
    // Where that fails the segment is not whole in its place.
    let isFlushed = (try? writer.flush()) != nil
    for entry in recordSegments(writer) where isFlushed || entry.identity.generation != tail.generation {
      let generation = entry.identity.generation
      guard let end = generation == tail.generation ? tail.offset : entry.end,
        let counted = recounted(entry, upTo: end.byteOffset)
      else { continue }
      let name = "of segment \(generation.rawValue)"
      compare("records \(name)", kept: entry.recordCount, counted: counted.recordCount)
      compare("tombstones \(name)", kept: entry.tombstoneCount, counted: counted.tombstoneCount)
      compare("put larges \(name)", kept: entry.largeCount, counted: counted.largeCount)
    }
  }

  /// The counts of a segment's records, by reading them; nil if one of them is damaged, which others tell.
  private func recounted(_ entry: SegmentEntry, upTo end: UInt64) -> SegmentEntry? {
    let volume = reader.volume
    let surveyed = SurveyedFile(file: volume.file, identity: volume.identity, byteCount: end)
    var cursor = RecordCursor(surveyed, entry.identity, base: entry.base)
    var counts = SegmentEntry(tail: entry.identity, base: entry.base)
    while cursor.position < end {
      guard case .success(let header)? = try? cursor.next() else { return nil }
      counts.count(header, now: 0)
    }
    return counts
  }
}

extension SlotRun {
  fileprivate var slots: Range<UInt32> { first..<end }
}

extension [SlotRun] {
  fileprivate var slotCount: Int { reduce(0) { $0 + Int($1.count) } }
}

extension Compaction {
  /// Traps if the accounts of a small store went wrong since it was opened; in debug builds only.
  func assertAccounts() {
    #if DEBUG
      if !hadRightAccounts { return }
      writer.withLock { writer in
        guard writer.poison == nil, isSmall(writer) else { return }
        let findings = accountCheck(isAlone: false).findings(&writer, readsSegments: false)
        assert(findings.isEmpty, "the accounts of \(path): \(findings)")
      }
    #endif
  }

  /// Traps as `assertAccounts` does, after each of the first steps of the background and then after every eighth.
  ///
  /// Counting anew takes time in proportion to all records, and a step may move few. Accounts that went wrong stay wrong,
  /// and closing looks at them in any case.
  mutating func assertAccountsAfterStep() {
    #if DEBUG
      stepCount += 1
      if stepCount <= 16 || stepCount % 8 == 0 { assertAccounts() }
    #endif
  }

  /// Notes whether the accounts that the file gave are right; if they are not, nothing is made of what follows from them.
  ///
  /// At the end of an opening, before anybody else has the store.
  mutating func noteOpenedAccounts() {
    #if DEBUG
      guard reader.isIndexComplete else { return }
      let check = accountCheck(isAlone: true)
      hadRightAccounts = writer.withLock { writer in
        isSmall(writer) && check.findings(&writer, readsSegments: false).isEmpty
      }
    #endif
  }

  private func isSmall(_ writer: borrowing LogWriter) -> Bool {
    volume.isWhollyMapped && writer.space.end <= 1024 && index.count <= 4096
  }

  func accountCheck(isAlone: Bool) -> AccountCheck {
    AccountCheck(reader, hasSoughtExtents: hasSoughtExtents, isAlone: isAlone)
  }
}
