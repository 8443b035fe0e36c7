internal import SedimentDisk
internal import SedimentFormat

/// Saves what is whole of a file to a new one (DESIGN.md 7, "Salvage").
struct Salvage {
  private let disk: any Disk
  private let keepsUncertain: Bool
  private var survey: FileSurvey
  private let surveyed: SurveyedFile
  private var meter: ProgressMeter
  private var report = SalvageReport()

  init(
    _ file: StoreFile, on disk: any Disk, keepsUncertain: Bool,
    _ progress: ((SedimentProgress) -> SedimentIteration)?
  ) throws(SedimentError) {
    self.disk = disk
    self.keepsUncertain = keepsUncertain
    meter = ProgressMeter(path: file.path, progress)
    survey = try FileSurvey(file)
    guard let surveyed = survey.surveyed else {
      throw SedimentError(
        .damaged, path: file.path, message: "Nothing of the store is left that could be saved.")
    }
    self.surveyed = surveyed
  }

  /// Writes the new file under its temporary name, closed and durable.
  mutating func run(to new: NewFile) throws -> SalvageReport {
    let found = try FoundSegment.judge(survey.headers, surveyed)
    if !survey.log.isComplete { survey.readLog(by: try FoundCheckpoints(surveyed).run(found)) }
    let log = survey.log
    if !log.isComplete { try WindowSalvage(surveyed).run(found, log.catalogue) }
    report.knowledge = log.isComplete ? .whole : log.catalogue == nil ? .none : .partial
    let plan = try SalvagePlan(surveyed, log, found, survey.head.sound)
    let (table, others) = try gather(plan)
    try write(plan, table, others, to: new)
    try complete(new, from: survey.head.sound.first, after: log.tail?.highest)
    report.losses.sort { $0.range.lowerBound < $1.range.lowerBound }
    return report
  }

  /// Says that it is done, once the file has its name.
  mutating func finish() {
    meter.finish()
  }

  // MARK: Reading

  private mutating func gather(
    _ plan: SalvagePlan
  ) throws(SedimentError) -> (certain: SalvageTable, uncertain: SalvageTable) {
    let empty = SalvageTable(
      firstHash: KeyHash(low: disk.random(), high: disk.random()),
      secondHash: KeyHash(low: disk.random(), high: disk.random()))
    for segment in plan.certain + plan.uncertain {
      let start = segment.identity.recordRange.lowerBound.byteOffset
      meter.extend(by: max(min(segment.end, surveyed.byteCount), start) - start)
    }
    try meter.add(0)
    var certain = SalvageGathering(surveyed, plan.collections, empty)
    var told: SalvageReport? = report
    try certain.run(plan.certain, &told, &meter)
    report = told ?? report
    var other = SalvageGathering(surveyed, plan.collections, empty)
    var untold: SalvageReport?
    try other.run(plan.uncertain, &untold, &meter)
    var uncertain = empty
    for (name, place) in other.table.places where !place.isRemoval {
      if let known = certain.table.places[name], known.sequence >= place.sequence { continue }
      uncertain.enter(name, place)
    }
    report.uncertainKeyCount = UInt64(SalvageWriting.ordered(uncertain).count)
    return (certain.table, uncertain)
  }

  // MARK: Writing

  private mutating func write(
    _ plan: SalvagePlan, _ table: SalvageTable, _ others: SalvageTable, to new: NewFile
  ) throws {
    for (_, place) in SalvageWriting.ordered(table) { meter.extend(by: UInt64(place.byteCount)) }
    if keepsUncertain {
      for place in others.places.values { meter.extend(by: UInt64(place.byteCount)) }
    }
    // What is not done in the background the writer does itself; nobody else uses the store.
    let store = try SedimentStore(
      path: new.temporaryPath, options: SedimentOptions(durability: .unsynced), disk: disk,
      scheduler: ManualScheduler())
    do {
      var writing = SalvageWriting(surveyed, to: store)
      try writing.makeCollections(plan.collections.known)
      try writing.run(table, plan.certain, &report, &meter)
      if keepsUncertain { try writing.runUncertain(others, plan.uncertain, &meter) }
      try store.close()
    } catch {
      try? store.close()
      throw error
    }
  }

  /// Notes in the new file's head what it came from.
  private func complete(
    _ new: NewFile, from parent: Superblock?, after sequence: SequenceNumber?
  ) throws(SedimentError) {
    guard let parent else { return }
    let file = try disk.openFile(new.temporaryPath, .readWrite)
    defer { try? file.close() }
    let head = try Head.read(from: file)
    guard let other = head.other else {
      throw .damaged("a superblock that was written just now is not there", path: file.path, offset: 0)
    }
    // They must say the same.
    for var block in [head.leading, other] {
      block.lineage.parentLow = parent.lineage.low
      block.lineage.parentHigh = parent.lineage.high
      block.lineage.fork = sequence ?? .zero
      try file.write(block.encode(), at: block.copy.byteOffset)
    }
    try file.sync()
  }
}

/// Checkpoints that are found by going through the hot segments, for a file whose superblocks do not lead to one.
struct FoundCheckpoints {
  private let surveyed: SurveyedFile

  /// How many of the newest are looked for.
  private static let countMax = 4

  init(_ surveyed: SurveyedFile) {
    self.surveyed = surveyed
  }

  /// Superblocks that would lead to the newest ones.
  func run(_ segments: [FoundSegment]) throws(SedimentError) -> [Superblock] {
    var found: [Superblock] = []
    let segments = segments.filter { $0.identity.kind == .hot }
      .sorted { $0.identity.generation > $1.identity.generation }
    for segment in segments where found.count < Self.countMax {
      var sweep = RecordSweep(surveyed, segment.identity, base: segment.header.base, upTo: segment.end)
      var inSegment: [Superblock] = []
      while let step = try sweep.next() {
        guard case .record(let record, let offset) = step,
          case .checkpointPart(let part)? = sweep.control(record), part.number == 0,
          let block = superblock(segment.identity, at: offset)
        else { continue }
        inSegment.append(block)
      }
      found += inSegment.reversed()
    }
    return Array(found.prefix(Self.countMax))
  }

  /// A superblock that claims no more than where a checkpoint begins.
  private func superblock(_ segment: SegmentIdentity, at offset: UInt64) -> Superblock? {
    guard let place = UnitOffset(byteOffset: offset), let last = Generation(Limits.generationMax) else {
      return nil
    }
    return Superblock(
      copy: .first, generation: .first, identity: surveyed.identity, state: .open,
      lineage: Lineage(low: 0, high: 0),
      session: 0, createdAt: 0, segment: segment, checkpoint: place, watermark: LogPosition(last, .zero))
  }
}
