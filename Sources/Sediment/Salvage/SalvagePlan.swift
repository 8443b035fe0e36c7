internal import SedimentFormat

/// A segment whose records are to be salvaged.
struct SalvageSegment {
  let identity: SegmentIdentity
  /// Nil if nothing tells it.
  let base: SequenceNumber?
  /// Where its records end, or its slots if that is not known.
  let end: UInt64
  let isEndKnown: Bool
  /// Up to where something was there for certain.
  let leastEnd: UInt64
  /// The highest sequence that it can hold.
  let highest: UInt64
  /// The sequence of its last record, by the catalogue; nil if that does not tell.
  let last: SequenceNumber?

  init(
    _ identity: SegmentIdentity, base: SequenceNumber?, end: UInt64? = nil, most: UInt64 = .max,
    leastEnd: UInt64 = 0, highest: UInt64 = Limits.sequenceMax, last: SequenceNumber? = nil
  ) {
    self.identity = identity
    self.base = base
    self.end = min(end ?? identity.run.byteRange.upperBound, most)
    isEndKnown = end != nil
    self.leastEnd = leastEnd
    self.highest = highest
    self.last = last
  }
}

/// Which segments of a file hold what the store held, as far as that can be told (DESIGN.md 7, "Salvage").
struct SalvagePlan {
  /// Those that count, in the order of their generations.
  private(set) var certain: [SalvageSegment] = []
  /// Those that were freed, or were never taken into the store.
  private(set) var uncertain: [SalvageSegment] = []
  private(set) var collections: SalvageCollections

  private let surveyed: SurveyedFile
  private let survey: LogSurvey
  private var generations: Set<Generation> = []
  private var freed: Set<Generation> = []
  /// The bytes of those that count, so that none is read twice.
  private var covered = ByteRanges()

  init(
    _ surveyed: SurveyedFile, _ survey: LogSurvey, _ found: [FoundSegment], _ superblocks: [Superblock]
  ) throws(SedimentError) {
    self.surveyed = surveyed
    self.survey = survey
    collections = SalvageCollections(survey.catalogue)
    if let catalogue = survey.catalogue { addCatalogued(catalogue) }
    let others = found.filter { !generations.contains($0.identity.generation) && $0.isLog }
    if survey.isComplete {
      let free = others.filter { survey.catalogue?.slots.generation(at: $0.identity.run.first) == nil }
      uncertain = free.map { SalvageSegment($0.identity, base: $0.header.base, most: $0.end) }
    } else {
      addFound(others)
      for block in superblocks { addLost(block.segment, base: nil) }
      try readFacts()
      let isFreed = freed
      uncertain += certain.filter { isFreed.contains($0.identity.generation) }
      certain.removeAll { isFreed.contains($0.identity.generation) }
    }
    certain.sort { $0.identity.generation < $1.identity.generation }
    uncertain.sort { $0.identity.generation < $1.identity.generation }
  }

  private func isLog(_ identity: SegmentIdentity) -> Bool {
    identity.kind == .hot || identity.kind == .survivors
  }

  // MARK: By the catalogue

  private mutating func addCatalogued(_ catalogue: Catalogue) {
    for entry in catalogue.segments.values where isLog(entry.identity) {
      generations.insert(entry.identity.generation)
      // Behind the place where the catalogue breaks off, slots may have come to be used otherwise.
      if !survey.isComplete, wasFreed(entry.identity) { continue }
      var end = entry.end?.byteOffset
      if end == nil, survey.isComplete, survey.end?.generation == entry.identity.generation {
        end = survey.end?.offset.byteOffset
      }
      let highest = entry.identity.kind == .hot ? Limits.sequenceMax : entry.highest.rawValue
      add(
        SalvageSegment(
          entry.identity, base: entry.base, end: end, leastEnd: leastEnd(of: entry.identity),
          highest: highest, last: entry.highest))
    }
  }

  /// Up to where a superblock or mark says that the log was on the medium.
  private func leastEnd(of segment: SegmentIdentity) -> UInt64 {
    guard let watermark = survey.watermark, watermark.generation == segment.generation else { return 0 }
    return min(watermark.offset.byteOffset, segment.run.byteRange.upperBound)
  }

  /// Whether the slots of a segment say that they were freed, or that they are used by a later one.
  private func wasFreed(_ segment: SegmentIdentity) -> Bool {
    let bytes = try? surveyed.file.bytes(
      at: segment.run.byteRange.lowerBound, count: SegmentHeader.byteCount)
    guard let bytes,
      let header = try? SegmentHeader.decode(
        unsafe bytes.span.bytes, in: surveyed.identity, at: segment.run.first, mayBeFreed: true)
    else { return false }
    if header.identity.generation > segment.generation { return true }
    let magic: UInt64 = unsafe bytes.span.bytes.integer(at: 0)
    return header.identity == segment && magic == 0
  }

  // MARK: By headers

  /// Adds segments that are newer than the catalogue, or all if there is none.
  private mutating func addFound(_ headers: [FoundSegment]) {
    let next = survey.catalogue?.numbers.nextGeneration ?? .first
    for found in headers {
      let identity = found.identity
      generations.insert(identity.generation)
      let segment = SalvageSegment(
        identity, base: found.header.base, most: found.end, leastEnd: leastEnd(of: identity))
      if identity.generation < next || found.isSuperseded {
        uncertain.append(segment)
      } else {
        add(segment)
      }
    }
  }

  private mutating func add(_ segment: SalvageSegment) {
    certain.append(segment)
    let start = segment.identity.run.byteRange.lowerBound
    covered.insert(start..<max(start, min(segment.end, surveyed.byteCount)))
  }

  /// Adds a segment that something names and whose header is lost.
  private mutating func addLost(_ identity: SegmentIdentity, base: SequenceNumber?) {
    let range = identity.run.byteRange.clamped(to: 0..<surveyed.byteCount)
    // What the catalogue does not name any more was freed.
    if let catalogue = survey.catalogue, identity.generation < catalogue.numbers.nextGeneration { return }
    guard isLog(identity), !range.isEmpty, !covered.overlaps(range),
      !generations.contains(identity.generation), !wasFreed(identity)
    else { return }
    generations.insert(identity.generation)
    add(SalvageSegment(identity, base: base, leastEnd: leastEnd(of: identity)))
  }

  // MARK: By what the log says

  /// Goes through the hot log for what it says of segments and collections.
  private mutating func readFacts() throws(SedimentError) {
    // Segments that are found by it are gone through as well.
    var number = 0
    while number < certain.count {
      let next = certain[number]
      number += 1
      guard next.identity.kind == .hot else { continue }
      var sweep = RecordSweep(
        surveyed, next.identity, base: next.base, upTo: min(next.end, surveyed.byteCount))
      while let step = try sweep.next() {
        guard case .record(let header, _) = step, let control = sweep.control(header) else { continue }
        take(control, at: header.sequence)
      }
    }
  }

  private mutating func take(_ control: ControlRecord, at sequence: SequenceNumber) {
    switch control {
    case .seal(let seal): addLost(seal.next, base: sequence)
    case .catalogueChange(let change): for entry in change.entries { take(entry, at: sequence) }
    case .checkpointPart(let part): for entry in part.entries { take(entry, at: sequence) }
    case .mark, .commit, .ignorable: return
    }
  }

  private mutating func take(_ entry: CatalogueEntry, at sequence: SequenceNumber) {
    switch entry {
    case .freed(_, let generation): freed.insert(generation)
    case .segment(let entry): addLost(entry.identity, base: entry.base)
    default: collections.take(entry, at: sequence)
    }
  }
}
