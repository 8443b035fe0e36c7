internal import SedimentFormat

/// The accounts made anew: to whom each slot of the file belongs, and what is counted by hand while the store is used.
struct AccountCheck {
  let reader: Reader
  /// Whether no extent can be lost: all that were, were found.
  let hasSoughtExtents: Bool
  /// Whether nobody else uses the store and the background rests, so that no slots are on their way to anybody.
  let isAlone: Bool

  /// What of the accounts is not as it should be, in words; with `readsSegments` all records are read.
  ///
  /// No segment may be moved meanwhile. What damaged records were part of is not told.
  func findings(_ writer: inout LogWriter, readsSegments: Bool) -> [String] {
    writer.takeBackReserved()
    var comparison = AccountComparison()
    compareSlots(writer, &comparison)
    compareSlotCounts(writer, &comparison)
    compareLedger(writer, &comparison)
    let recount = IndexRecount(of: reader)
    comparison.compare("entries of the index", kept: reader.index.count, counted: recount.entryCount)
    if isAlone, recount.clearedCount > 0, !writer.plans.isToBeSwept {
      comparison.add(
        "\(recount.clearedCount) entries lead to cleared records, and nobody will sweep them out")
    }
    if recount.isWhole {
      compareLive(recount, writer, &comparison)
      compareExtents(recount, writer, &comparison)
    }
    if readsSegments { compareRecords(&writer, &comparison) }
    if writer.plans.isMaintenanceWanted, !writer.plans.isMaintenancePlanned {
      comparison.add("somebody has asked for maintenance, and none is on its way")
    }
    return comparison.findings
  }

  // MARK: Slots

  /// The segments with records as the catalogue has them, the tail as it is now.
  private func recordSegments(_ writer: borrowing LogWriter) -> [SegmentEntry] {
    let tail = writer.tail.entry
    return writer.catalogue.segments.values
      .map { $0.identity == tail.identity ? tail : $0 }
      .filter(\.holdsRecords)
      .sorted { $0.identity.generation < $1.identity.generation }
  }

  private func compareSlots(
    _ writer: borrowing LogWriter, _ comparison: inout AccountComparison
  ) {
    var claims = SlotClaims()
    claims.claim(0..<Limits.headSlotCount, by: "the head")
    for entry in writer.catalogue.segments.values {
      let identity = entry.identity
      claims.claim(identity.run.slots, by: "the \(identity.kind) segment \(identity.generation.rawValue)")
      let found = reader.slots.segment(at: UInt64(identity.run.first))?.generation
      if found != identity.generation.rawValue {
        comparison.add(
          "slot \(identity.run.first) leads readers to segment \(found ?? 0), not \(identity.generation.rawValue)"
        )
      }
    }
    for part in writer.catalogue.indexParts { claims.claim(part.segment.run.slots, by: "the stored index") }
    for freed in writer.freedRuns {
      claims.claim(freed.run.slots, by: "segment \(freed.generation.rawValue), which was freed")
    }
    for run in writer.space.free.runs { claims.claim(run, by: "the free slots") }
    for run in writer.space.bare.runs { claims.claim(run, by: "the bare slots") }
    // What is being written, and what was freed and loses its magic just now.
    let freedCount = writer.freedRuns.reduce(0) { $0 + Int($1.run.count) }
    let taken = Int(writer.reservedSlotCount)
    let returning = Int(writer.freedSlotCount) - freedCount
    comparison.findings += claims.findings(
      before: writer.space.end, withoutOwner: isAlone ? 0 : taken + returning)
  }

  private func compareSlotCounts(
    _ writer: borrowing LogWriter, _ comparison: inout AccountComparison
  ) {
    let space = writer.space
    comparison.compare(
      "free slots", kept: Int(space.freeCount), counted: space.free.runs.reduce(0) { $0 + $1.count })
    comparison.compare(
      "bare slots", kept: Int(space.bareCount), counted: space.bare.runs.reduce(0) { $0 + $1.count })
    let extents = writer.catalogue.segments.values.filter { $0.identity.kind == .extent }
    comparison.compare(
      "slots of extents", kept: Int(writer.extentSlotCount),
      counted: extents.reduce(0) { $0 + Int($1.identity.run.count) })
    comparison.compare(
      "slots with records", kept: Int(writer.recordSlotCount),
      counted: recordSegments(writer).reduce(0) { $0 + Int($1.identity.run.count) })
    guard isAlone else { return }
    comparison.compare("slots taken and not adopted yet", kept: Int(writer.reservedSlotCount), counted: 0)
    comparison.compare(
      "freed slots", kept: Int(writer.freedSlotCount),
      counted: writer.freedRuns.reduce(0) { $0 + Int($1.run.count) })
  }

  private func compareLedger(_ writer: borrowing LogWriter, _ comparison: inout AccountComparison) {
    let generations = recordSegments(writer).map(\.identity.generation)
    comparison.findings += writer.ledger.findings(
      for: Set(generations).subtracting([writer.tail.identity.generation]))
  }

  // MARK: Records

  private func compareLive(
    _ recount: IndexRecount, _ writer: borrowing LogWriter, _ comparison: inout AccountComparison
  ) {
    comparison.compare("live bytes", kept: writer.liveByteCount, counted: recount.byteCount)
    for entry in recordSegments(writer) {
      let generation = entry.identity.generation.rawValue
      guard let segment = reader.slots.segment(at: UInt64(entry.identity.run.first)) else { continue }
      let live = recount.segments[generation] ?? IndexRecount.Live()
      comparison.compare(
        "live bytes of segment \(generation)", kept: segment.counts(writer.permit).liveByteCount,
        counted: live.byteCount)
      comparison.compare(
        "live records of segment \(generation)", kept: segment.counts(writer.permit).liveCount,
        counted: live.recordCount)
      let isTail = entry.identity == writer.tail.identity
      if live.recordCount == 0, !isTail, !writer.emptied.contains(entry.identity.generation) {
        comparison.add("segment \(generation) is wholly dead, and not noted to be")
      }
    }
    for state in reader.collections.all {
      let keys = recount.collections[state.number] ?? IndexRecount.Keys()
      comparison.compare("keys of collection \(state.number)", kept: state.keyCount, counted: keys.count)
      comparison.compare(
        "expiring keys of collection \(state.number)", kept: state.expiringCount, counted: keys.expiringCount)
      comparison.compare(
        "slots of extents of collection \(state.number)", kept: state.extentSlotCount,
        counted: keys.extentSlotCount)
    }
  }

  private func compareExtents(
    _ recount: IndexRecount, _ writer: borrowing LogWriter, _ comparison: inout AccountComparison
  ) {
    let dead = writer.deadExtents
    comparison.compare(
      "slots of dead extents", kept: Int(writer.deadExtentSlotCount),
      counted: dead.values.reduce(0) { $0 + Int($1.run.count) })
    for (generation, extent) in recount.extents
    where writer.catalogue.segments[generation]?.identity != extent {
      comparison.add("the index leads to extent \(generation.rawValue), which the catalogue does not know")
    }
    var lost: [SegmentIdentity] = []
    for entry in writer.catalogue.segments.values where entry.identity.kind == .extent {
      let generation = entry.identity.generation
      switch (recount.extents[generation] != nil, dead[generation] != nil) {
      case (true, true):
        comparison.add("extent \(generation.rawValue) is about to be freed, and the index leads there")
      case (false, false) where !recount.clearedExtents.contains(generation): lost.append(entry.identity)
      default: continue
      }
    }
    // What a segment led to that cannot be read stays.
    if lost.isEmpty || !hasSoughtExtents || !writer.ledger.refused.isEmpty { return }
    let slotCount = lost.reduce(0) { $0 + Int($1.run.count) }
    let places = lost.map(\.run.first).sorted().prefix(8)
    comparison.add("nothing leads to \(lost.count) extents of \(slotCount) slots, at slots \(Array(places))")
  }

  private func compareRecords(_ writer: inout LogWriter, _ comparison: inout AccountComparison) {
    let tail = writer.tail.position
    let buffer = ScanBuffer()
    // Where that fails the segment is not whole in its place.
    let isFlushed = (try? writer.flush()) != nil
    for entry in recordSegments(writer) where isFlushed || entry.identity.generation != tail.generation {
      let generation = entry.identity.generation
      guard let end = generation == tail.generation ? tail.offset : entry.end else { continue }
      var counts = RecordRecount()
      // What is damaged is told by others.
      guard
        (try? SegmentScan(entry, upTo: end, of: reader.volume.file, reader.volume.identity).run(
          buffer, &counts)) != nil
      else {
        continue
      }
      let name = "of segment \(generation.rawValue)"
      comparison.compare("records \(name)", kept: Int(entry.recordCount), counted: counts.recordCount)
      comparison.compare(
        "tombstones \(name)", kept: Int(entry.tombstoneCount), counted: counts.tombstoneCount)
      comparison.compare("put larges \(name)", kept: Int(entry.largeCount), counted: counts.largeCount)
    }
  }
}

/// What is found to differ when counts are made anew.
private struct AccountComparison {
  var findings: [String] = []

  mutating func add(_ finding: String) { findings.append(finding) }

  mutating func compare(_ what: String, kept: Int, counted: Int) {
    if kept != counted { add("\(what): \(kept) by the accounts, and \(counted) counted anew") }
  }
}

extension SlotRun {
  fileprivate var slots: Range<UInt32> { first..<end }
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

  /// Notes whether the accounts that the file gave are right; if they are not, nothing is made of what follows from them.
  ///
  /// At the end of an opening, before anybody else has the store.
  mutating func noteOpenedAccounts() {
    #if DEBUG
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
    AccountCheck(reader: reader, hasSoughtExtents: hasSoughtExtents, isAlone: isAlone)
  }
}
