internal import SedimentFormat

/// Finds the newest record of each key in the segments of a plan, and what of them is lost.
struct SalvageGathering {
  private(set) var table: SalvageTable
  private(set) var losses: [SalvageReport.Loss] = []
  private(set) var brokenBatchCount: UInt64 = 0
  /// How many values were in what is lost, as far as that can be told: one at least.
  private(set) var lostValueCount: UInt64 = 0
  private let surveyed: SurveyedFile
  private let collections: SalvageCollections
  private var batches = BatchCheck()
  /// The members of a batch whose commit was not found yet.
  private var pending: [(name: SalvageTable.Name, place: SalvageTable.Place)] = []

  init(_ surveyed: SurveyedFile, _ collections: SalvageCollections, _ table: SalvageTable) {
    self.surveyed = surveyed
    self.collections = collections
    self.table = table
  }

  /// Goes through segments in the order of their generations.
  mutating func run(
    _ segments: ArraySlice<SalvageSegment>, _ meter: ProgressMeter
  ) throws(SedimentError) {
    for number in segments.indices {
      let segment = segments[number]
      var sweep = segment.sweep(surveyed)
      var told = sweep.position
      if segment.identity.kind == .hot, let base = segment.base, let highest = segment.highest {
        batches.begin(base, highest: highest)
      }
      while let step = try sweep.next() {
        switch step {
        case .record(let header, let offset): take(header, at: offset, sweep, segment, Int32(number))
        case .gap(let gap): take(gap, segment)
        }
        if sweep.position - told >= UInt64(FileWindow.pieceByteCount) {
          try meter.add(sweep.position - told)
          told = sweep.position
        }
      }
      try meter.add(sweep.position - told)
      if segment.isEndKnown, segment.end > surveyed.byteCount {
        losses.append(
          SalvageReport.Loss(
            range: surveyed.byteCount..<segment.end, reason: "the file ends before a segment does",
            sequences: nil))
      }
    }
    // Without a commit, and with nothing damaged behind them, they never counted.
    pending = []
  }

  private mutating func take(
    _ header: RecordHeader, at offset: UInt64, _ sweep: RecordSweep, _ segment: SalvageSegment,
    _ number: Int32
  ) {
    let isHot = segment.identity.kind == .hot
    sweep.cursor.withRecord { bytes in
      if isHot {
        switch batches.take(header, sweep.control(header), bytes, at: offset) {
        case .nothing: break
        case .whole: enterPending()
        case .broken: enterBroken()
        }
      }
      guard header.kind != .control, !collections.isDead(header.collection, header.sequence) else { return }
      let name = table.name(bytes.extracting(header.keyRange), header.collection)
      let place = SalvageTable.Place(
        offset: offset, byteCount: Int32(header.byteCount), segment: number, sequence: header.sequence,
        isRemoval: header.kind == .remove)
      if isHot, header.isBatched {
        pending.append((name, place))
      } else {
        table.enter(name, place)
      }
    }
  }

  private mutating func enterPending() {
    for (name, place) in pending { table.enter(name, place) }
    pending = []
  }

  private mutating func enterBroken() {
    brokenBatchCount += 1
    enterPending()
  }

  private mutating func take(_ gap: RecordSweep.Gap, _ segment: SalvageSegment) {
    var range = gap.range
    if gap.isLast, !segment.isEndKnown, gap.reason.fault == .absent, !gap.isUnreadable {
      // Where nothing tells the end, it is where there is no record any more.
      guard range.lowerBound < segment.leastEnd else { return }
      range = range.lowerBound..<min(segment.leastEnd, range.upperBound)
    }
    if segment.identity.kind == .hot {
      // Their commit may be what is lost.
      if gap.isLast, !pending.isEmpty {
        enterBroken()
        batches = BatchCheck()
      }
      batches.noteGap()
    }
    let reason =
      gap.isUnreadable
      ? "the disk cannot read it"
      : gap.reason.description + (gap.isGivenUp ? "; what follows was not searched to its end" : "")
    losses.append(SalvageReport.Loss(range: range, reason: reason, sequences: gap.sequences))
    lostValueCount += valueCount(in: gap)
  }

  /// How many values of users a gap had: by the lengths of its records, if these lead to its end, else by the sequences
  /// that are missing, less those of records that hold none.
  private func valueCount(in gap: RecordSweep.Gap) -> UInt64 {
    var (count, otherCount, position) = (UInt64(0), UInt64(0), gap.range.lowerBound)
    for _ in 0..<Self.claimCountMax where position < gap.range.upperBound {
      let head = try? surveyed.file.bytes(at: position, count: Self.claimHeadByteCount)
      guard let head, head.count >= Limits.recordFixedByteCount,
        let claim = RecordSweep.claim(unsafe head.span.bytes, 0)
      else { break }
      if claim.holdsUserValue { count += 1 } else { otherCount += 1 }
      position += UInt64(claim.byteCount)
    }
    if position == gap.range.upperBound { return count }
    return gap.sequences.map { UInt64($0.count) - min(otherCount, UInt64($0.count)) } ?? max(count, 1)
  }

  /// The bytes of a record up to its collection.
  private static let claimHeadByteCount = Limits.recordFixedByteCount + 4

  /// How many records of a gap are looked at one by one.
  private static let claimCountMax = 1_000
}

/// The newest record of each key, as records of salvaged segments are entered in any order.
///
/// Keys are told apart by two hashes under seeds that nobody knows; of the keys themselves it holds nothing.
struct SalvageTable {
  /// A key of a collection.
  struct Name: Hashable {
    let first: UInt64
    let second: UInt64
    let collection: UInt32
  }

  /// Where the newest record of a key is.
  struct Place {
    let offset: UInt64
    let byteCount: Int32
    /// The number of its segment in the plan.
    let segment: Int32
    let sequence: SequenceNumber
    let isRemoval: Bool
  }

  private(set) var places: [Name: Place] = [:]
  let firstHash: KeyHash
  let secondHash: KeyHash

  func name(_ key: RawSpan, _ collection: UInt32) -> Name {
    Name(
      first: firstHash.hash(key, collection: collection),
      second: secondHash.hash(key, collection: collection), collection: collection)
  }

  /// Enters a record; the higher sequence wins, and of equal ones a removal.
  mutating func enter(_ name: Name, _ place: Place) {
    if let old = places[name] {
      if old.sequence > place.sequence || old.sequence == place.sequence && !place.isRemoval { return }
    }
    places[name] = place
  }

  /// What is to be copied, in the order of the file.
  var ordered: [(key: Name, value: Place)] {
    places.filter { !$0.value.isRemoval && $0.key.collection < CollectionEntry.systemNumberMin }
      .sorted { $0.value.offset < $1.value.offset }
  }
}
