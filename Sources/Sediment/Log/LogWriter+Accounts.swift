internal import SedimentFormat

// What is live and what is dead.

/// What the records of a batch in one segment add to its accounts.
struct BatchCounts {
  fileprivate var (liveCount, liveByteCount, tombstoneByteCount) = (0, 0, 0)

  /// Counts a record.
  @inline(__always)
  mutating func count(_ kind: RecordKind, _ byteCount: Int) {
    if kind == .remove {
      tombstoneByteCount &+= byteCount
    } else {
      liveCount &+= 1
      liveByteCount &+= byteCount
    }
  }
}

extension LogWriter {
  /// Adds records of a batch at the tail, which were stored, to the accounts, and begins to count anew.
  mutating func note(_ counts: inout BatchCounts) {
    noteLive(counts.liveCount, byteCount: counts.liveByteCount)
    tail.segment.counts(permit).tombstoneByteCount &+= counts.tombstoneByteCount
    counts = BatchCounts()
  }

  /// Takes records at the tail into the accounts that the index is about to lead to.
  @inline(__always)
  mutating func noteLive(_ count: Int, byteCount: Int) {
    let counts = tail.segment.counts(permit)
    counts.liveByteCount &+= byteCount
    counts.liveCount &+= count
    liveByteCount &+= byteCount
  }

  /// Takes a record out of the accounts that the index leads to no more.
  @inline(__always)
  mutating func noteDead(_ segment: Segment, byteCount: Int) {
    let counts = segment.counts(permit)
    counts.liveByteCount &-= byteCount
    counts.liveCount &-= 1
    liveByteCount &-= byteCount
    if counts.liveByteCount < counts.noticeBelow { noteShrunk(segment) }
  }

  /// The bytes that records cannot do without: of those that are live and, as far as is known, have not expired, and of
  /// one checkpoint.
  var neededByteCount: Int { max(liveByteCount - ledger.hiddenByteCount, 0) + checkpointByteCount }

  /// Lets a segment that holds less than before be known for it, and as wholly dead if that is what it is.
  @inline(never)
  mutating func noteShrunk(_ segment: Segment) {
    ledger.noteShrunk(segment.counts(permit))
    if segment.counts(permit).liveCount == 0 { noteEmptied(segment) }
    // Where much dies and little is written, the log may not go on in another segment for long.
    if liveByteCount < budgetedByteCountMin {
      noteBudget()
      tail.wantsUpkeep = true
    }
  }

  /// Adds a segment that gets no more live records to those that may be emptied.
  mutating func noteWhole(_ entry: SegmentEntry, _ segment: Segment) {
    ledger.enter(entry, segment.counts(permit))
    if entry.latestExpiry != 0 { nextExpiry = min(nextExpiry, entry.latestExpiry) }
    if !entry.expiring.isEmpty { nextExpiry = min(nextExpiry, entry.expiring.next(after: 0)) }
    if segment.counts(permit).liveCount == 0 { noteEmptied(segment) }
  }

  /// Notes a segment that has lost its last live record.
  ///
  /// The tail gets others: it is noted when it is sealed, if it is still empty then.
  @inline(never)
  mutating func noteEmptied(_ segment: Segment) {
    guard segment.generation != tail.segment.generation,
      let generation = Generation(segment.generation)
    else { return }
    emptied.insert(generation)
  }

  /// The segments with records that are wholly dead now, in the order of their generations; none of them is the tail.
  ///
  /// They stay noted until the catalogue has them no more.
  mutating func emptiedSegments() -> [SegmentEntry] {
    let entries = emptied.compactMap { generation -> SegmentEntry? in
      guard let entry = catalogue.segments[generation], entry.holdsRecords,
        let segment = slots.segment(at: UInt64(entry.identity.run.first)),
        segment.counts(permit).liveCount == 0
      else { return nil }
      return entry
    }
    emptied = Set(entries.map(\.identity.generation))
    // The tail comes again when it is sealed.
    return entries.filter { $0.identity != tail.identity }
      .sorted { $0.identity.generation < $1.identity.generation }
  }

  // MARK: Extents

  /// Notes extents to which nothing leads any more, so that they are freed; those that were freed are passed over.
  mutating func noteDead(_ extents: some Sequence<SegmentIdentity>) {
    for extent in extents where catalogue.segments[extent.generation]?.identity == extent {
      if deadExtents.updateValue(extent, forKey: extent.generation) == nil {
        deadExtentSlotCount += extent.run.count
      }
    }
  }

  /// The dead extents in the order of their generations.
  var orderedDeadExtents: [SegmentIdentity] {
    deadExtents.values.sorted { $0.generation < $1.generation }
  }

  /// What the catalogue has of some extents to which nothing leads any more, and some of the dead ones.
  func extentsToFree(with others: [SegmentIdentity]) -> [SegmentIdentity] {
    var extents: [Generation: SegmentIdentity] = [:]
    for extent in others where catalogue.segments[extent.generation]?.identity == extent {
      extents[extent.generation] = extent
    }
    for extent in orderedDeadExtents.prefix(Log.freedCountMax) { extents[extent.generation] = extent }
    return extents.values.sorted { $0.generation < $1.generation }
  }

  /// Notes that the catalogue has extents no more.
  mutating func noteFreed(extents: [SegmentIdentity]) {
    for extent in extents {
      extentSlotCount -= extent.run.count
      if deadExtents.removeValue(forKey: extent.generation) != nil { deadExtentSlotCount -= extent.run.count }
    }
  }
}
