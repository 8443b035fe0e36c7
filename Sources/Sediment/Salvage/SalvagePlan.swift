internal import SedimentFormat

/// Which segments of a file hold what the store held, as far as that can be told (DESIGN.md 7, "Salvage").
struct SalvagePlan {
  /// Those that count, in the order of their generations.
  private var certain: [SalvageSegment] = []
  /// Those that were freed, or were never taken into the store.
  private var uncertain: [SalvageSegment] = []
  private(set) var collections: SalvageCollections

  /// Those that count, then the others; both in the order of their generations.
  var segments: [SalvageSegment] { certain + uncertain }
  var certainCount: Int { certain.count }

  private let surveyed: SurveyedFile
  private let survey: LogSurvey
  private var generations: Set<Generation> = []
  private var freed: Set<Generation> = []
  /// The bytes of those that count, so that none is read twice.
  private var covered = ByteRuns()

  init(
    _ surveyed: SurveyedFile, _ survey: LogSurvey, _ found: [FoundSegment], _ superblocks: [Superblock]
  ) throws(SedimentError) {
    self.surveyed = surveyed
    self.survey = survey
    collections = SalvageCollections(survey.catalogue)
    if let catalogue = survey.catalogue { addCatalogued(catalogue) }
    let others = found.filter {
      !generations.contains($0.identity.generation) && $0.identity.kind.holdsRecords
    }
    if survey.isComplete {
      let free = others.filter { survey.catalogue?.slots.generation(at: $0.identity.run.first) == nil }
      uncertain = free.map { SalvageSegment($0.identity, base: $0.header.base, end: $0.end) }
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

  /// The plan of a file that lacks nothing: the segments of the catalogue, up to where the log ended.
  init(_ surveyed: SurveyedFile, whole log: RecoveredLog) {
    self.surveyed = surveyed
    survey = LogSurvey()
    collections = SalvageCollections(log.catalogue)
    let entries = log.catalogue.segments.filter { $0.holdsRecords && $0.identity != log.tail.identity }
    let ended = entries.map { entry in
      SalvageSegment(
        entry.identity, base: entry.base, knownEnd: entry.end?.byteOffset, highest: entry.highest)
    }
    let tail = SalvageSegment(
      log.tail.identity, base: log.tail.base, knownEnd: log.end.offset.byteOffset, highest: log.lastSequence)
    certain = (ended + [tail]).sorted { $0.identity.generation < $1.identity.generation }
  }

  // MARK: By the catalogue

  private mutating func addCatalogued(_ catalogue: Catalogue) {
    for entry in catalogue.segments where entry.holdsRecords {
      generations.insert(entry.identity.generation)
      // Behind the place where the catalogue breaks off, slots may have come to be used otherwise.
      if !survey.isComplete, wasFreed(entry.identity) { continue }
      add(
        SalvageSegment(
          entry.identity, base: entry.base, knownEnd: survey.end(of: entry),
          leastEnd: survey.leastEnd(of: entry.identity), highest: entry.highest))
    }
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
  private mutating func addFound(_ others: [FoundSegment]) {
    let next = survey.catalogue?.numbers.nextGeneration ?? .first
    for found in others {
      let identity = found.identity
      generations.insert(identity.generation)
      let segment = SalvageSegment(
        identity, base: found.header.base, end: found.end, leastEnd: survey.leastEnd(of: identity))
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
    guard identity.kind.holdsRecords, !range.isEmpty, !covered.overlaps(range),
      !generations.contains(identity.generation), !wasFreed(identity)
    else { return }
    generations.insert(identity.generation)
    add(SalvageSegment(identity, base: base, leastEnd: survey.leastEnd(of: identity)))
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
      var sweep = next.sweep(surveyed)
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

/// A segment whose records are to be salvaged.
struct SalvageSegment {
  let identity: SegmentIdentity
  /// Nil if nothing tells it.
  let base: SequenceNumber?
  /// Where its records end or, if that is not known, where they must.
  let end: UInt64
  let isEndKnown: Bool
  /// Up to where something was there for certain.
  let leastEnd: UInt64
  /// Its highest sequence by the catalogue, which may not know all records of a hot one; nil if that does not tell.
  let highest: SequenceNumber?

  /// With neither end, its slots end it.
  init(
    _ identity: SegmentIdentity, base: SequenceNumber?, knownEnd: UInt64? = nil, end: UInt64? = nil,
    leastEnd: UInt64 = 0, highest: SequenceNumber? = nil
  ) {
    self.identity = identity
    self.base = base
    self.end = knownEnd ?? end ?? identity.run.byteRange.upperBound
    isEndKnown = knownEnd != nil
    self.leastEnd = leastEnd
    self.highest = highest
  }

  func sweep(_ surveyed: SurveyedFile) -> RecordSweep {
    let limit = identity.kind == .hot ? nil : highest?.rawValue
    return RecordSweep(surveyed, identity, base: base, upTo: end, highest: limit ?? Limits.sequenceMax)
  }
}

/// What is known of the collections of a file that is salvaged: their names, and up to where they are dead.
struct SalvageCollections {
  private var names: [UInt32: [UInt8]] = [:]
  private var clearedAt: [UInt32: SequenceNumber] = [:]
  private var dropped: Set<UInt32> = []
  private var everythingClearedAt = SequenceNumber.zero
  /// Those below it that are not known are no more.
  private let nextUnknown: UInt32

  init(_ catalogue: Catalogue?) {
    nextUnknown = catalogue?.numbers.nextCollection ?? 1
    guard let catalogue else { return }
    take(.numbers(catalogue.numbers), at: .zero)
    for entry in catalogue.collections { take(.collection(entry), at: .zero) }
  }

  /// Takes what the log says behind the catalogue.
  mutating func take(_ entry: CatalogueEntry, at sequence: SequenceNumber) {
    switch entry {
    case .numbers(let numbers):
      everythingClearedAt = max(everythingClearedAt, numbers.everythingClearedAt)
    case .collection(let entry):
      if entry.number != 0 { names[entry.number] = entry.name }
      clear(entry.number, at: entry.clearedAt)
    case .collectionCleared(let number): clear(number, at: sequence)
    case .collectionDropped(let number): dropped.insert(number)
    case .everythingCleared: everythingClearedAt = max(everythingClearedAt, sequence)
    default: break
    }
  }

  private mutating func clear(_ number: UInt32, at sequence: SequenceNumber) {
    clearedAt[number] = max(clearedAt[number] ?? .zero, sequence)
  }

  /// Whether a record of a collection is dead, by a clearing or because the collection is no more.
  func isDead(_ collection: UInt32, _ sequence: SequenceNumber) -> Bool {
    // Of the system's own only dictionaries are of use.
    if collection == CollectionEntry.dictionaries { return false }
    if collection >= CollectionEntry.systemNumberMin || dropped.contains(collection) { return true }
    if collection != 0, names[collection] == nil, collection < nextUnknown { return true }
    return sequence <= max(clearedAt[collection] ?? .zero, everythingClearedAt)
  }

  /// The names of those that are there.
  var known: [(number: UInt32, name: String)] {
    names.filter { !dropped.contains($0.key) }.sorted { $0.key < $1.key }
      .map { ($0.key, String(decoding: $0.value, as: UTF8.self)) }
  }
}
