package import SedimentDisk
internal import SedimentFormat

extension SedimentStore {
  /// Copies every record of a damaged store's file that is provably whole to a new file.
  ///
  /// The old file is only read, and nobody may have it open for writing. There must be no file at the destination yet,
  /// be it a link, and its directory must be there; the new file is on the disk when the call returns. If the call
  /// throws, as it does with `cancelled` after the closure returned `stop`, no new file is left behind. Keys of which nobody can tell whether they were removed are
  /// counted, and only with `keepsUncertain` they are copied, to a collection named "salvaged".
  ///
  /// The call takes some MiB of memory for values, however long they are. A value of more than `valueByteCountMax` bytes
  /// is not copied, and counts as lost: a forged file of some KiB can have many values of a GiB.
  public static func salvage(
    from path: String, to destination: String, keepsUncertain: Bool = false, valueByteCountMax: Int = 1 << 30,
    progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws -> SalvageReport {
    try salvage(
      from: path, to: destination, on: SystemDisk(), keepsUncertain: keepsUncertain,
      valueByteCountMax: valueByteCountMax, progress: progress)
  }

  /// Salvages a file on a disk of the caller's.
  package static func salvage(
    from path: String, to destination: String, on disk: any Disk, keepsUncertain: Bool = false,
    valueByteCountMax: Int = 1 << 30, progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws -> SalvageReport {
    try StoreOpening.reading(path, on: disk) { file in
      let new = try NewFile(at: destination, on: disk)
      do {
        var salvage = try Salvage(
          file, on: disk, keepsUncertain: keepsUncertain, valueByteCountMax: valueByteCountMax, progress)
        let report = try salvage.run(to: new)
        try new.finish()
        salvage.finish()
        return report
      } catch {
        new.remove()
        throw (error as? SedimentError).map { new.named($0) } ?? error
      }
    }
  }
}

/// Saves what is whole of a file to a new one (DESIGN.md 7, "Salvage").
struct Salvage {
  private let disk: any Disk
  private let keepsUncertain: Bool
  private let valueByteCountMax: Int
  private var survey: FileSurvey
  private let surveyed: SurveyedFile
  private let meter: ProgressMeter
  private var report = SalvageReport()

  init(
    _ file: StoreFile, on disk: any Disk, keepsUncertain: Bool, valueByteCountMax: Int,
    _ progress: ((SedimentProgress) -> SedimentIteration)?
  ) throws(SedimentError) {
    self.disk = disk
    self.keepsUncertain = keepsUncertain
    self.valueByteCountMax = valueByteCountMax
    meter = ProgressMeter(path: file.path, progress)
    file.meter = meter
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
    if !survey.log.isComplete { survey.readLog(by: try surveyed.checkpoints(in: found)) }
    let log = survey.log
    if !log.isComplete { try surveyed.layWindows(over: found, log.catalogue) }
    report.knowledge = log.isComplete ? .whole : log.catalogue == nil ? .none : .partial
    let plan = try SalvagePlan(surveyed, log, found, survey.head.sound)
    let (certain, uncertain) = try gather(plan)
    try write(plan, certain, uncertain, to: new)
    if let parent = survey.head.sound.first {
      try NewStore(new: new, disk: disk).note(parent: parent, after: log.tail?.highest)
    }
    report.losses.sort { $0.range.lowerBound < $1.range.lowerBound }
    try meter.checkStopped()
    return report
  }

  /// Says that it is done, once the file has its name.
  func finish() {
    meter.finish()
  }

  // MARK: Reading

  private mutating func gather(
    _ plan: SalvagePlan
  ) throws(SedimentError) -> (certain: SalvageTable, uncertain: SalvageTable) {
    let empty = SalvageTable(
      firstHash: KeyHash(low: disk.random(), high: disk.random()),
      secondHash: KeyHash(low: disk.random(), high: disk.random()))
    for segment in plan.segments {
      let start = segment.identity.recordRange.lowerBound.byteOffset
      meter.extend(by: max(min(segment.end, surveyed.byteCount), start) - start)
    }
    try meter.add(0)
    var certain = SalvageGathering(surveyed, plan.collections, empty)
    try certain.run(plan.segments[..<plan.certainCount], meter)
    (report.losses, report.brokenBatchCount) = (certain.losses, certain.brokenBatchCount)
    report.lostValueCount = certain.lostValueCount
    var other = SalvageGathering(surveyed, plan.collections, empty)
    try other.run(plan.segments[plan.certainCount...], meter)
    var uncertain = empty
    for (name, place) in other.table.places where !place.isRemoval {
      if let known = certain.table.places[name], known.sequence >= place.sequence { continue }
      uncertain.enter(name, place)
    }
    report.uncertainKeyCount = UInt64(uncertain.ordered.count)
    return (certain.table, uncertain)
  }

  // MARK: Writing

  private mutating func write(
    _ plan: SalvagePlan, _ certain: SalvageTable, _ uncertain: SalvageTable, to new: NewFile
  ) throws {
    for (_, place) in certain.ordered { meter.extend(by: UInt64(place.byteCount)) }
    if keepsUncertain {
      for place in uncertain.places.values { meter.extend(by: UInt64(place.byteCount)) }
    }
    try NewStore(new: new, disk: disk).fill { store in
      var writing = try SalvageWriting(
        surveyed, plan, to: store, report,
        SalvageValues(surveyed, HoleBudget(surveyed.file), valueByteCountMax: valueByteCountMax))
      try writing.run(certain, meter)
      report = writing.report
      if keepsUncertain {
        writing.beginUncertain()
        try writing.run(uncertain, meter)
      }
    }
  }
}
