internal import SedimentDisk
internal import SedimentFormat

/// Copies the live records of an open store, as they are at one moment, while others go on writing.
///
/// It pins the segments of that moment as `Backup` does, finds the newest record of each key in them as salvage does, and
/// sets these keys in a new store. So the copy is the store after one change, and holds no byte of a value that was
/// replaced or removed before that change, or that has expired.
struct LiveBackup: AboveReader {
  let log: Log

  var reader: Reader { log.reader }

  private var backup: Backup { Backup(log: log) }

  /// Makes the copy; if this throws, there is none, and the store is as well as before.
  func run(
    to destination: String, _ progress: ((SedimentProgress) -> SedimentIteration)?
  ) throws {
    try lifetime.check()
    let new = try NewFile(at: destination, on: disk)
    let meter = ProgressMeter(path: path) { [lifetime] state in
      let next = progress?(state) ?? .continue
      return lifetime.isClosed ? .stop : next
    }
    do {
      if let failure = backup.failure {
        try copy(try backup.failedSource(failure), to: new, meter)
      } else {
        try copyPinned(to: new, meter)
        try log.expectWritten()
      }
      try lifetime.check()
      try new.finish()
    } catch {
      new.remove()
      if lifetime.isClosed { throw SedimentError.closed(path) }
      throw (error as? SedimentError).map { new.named($0) } ?? error
    }
    meter.finish()
  }

  /// Makes the copy of a store that others may change.
  ///
  /// The pins end before the store is synced, because the sync may take long.
  private func copyPinned(to new: NewFile, _ meter: ProgressMeter) throws {
    let source = try backup.pinnedSource()
    defer { backup.unpin(source.segments.map(\.identity.generation)) }
    try copy(source, to: new, meter)
  }

  private func copy(_ source: BackupSource, to new: NewFile, _ meter: ProgressMeter) throws {
    // Not the file of the engine, since each of its reads asks the meter.
    let file = source.log.patched ?? StoreFile(volume.file.file)
    file.meter = meter
    let leading = source.log.head.leading
    let surveyed = SurveyedFile(file: file, identity: leading.identity, byteCount: try file.byteCount())
    let plan = SalvagePlan(surveyed, whole: source.log)
    for segment in plan.segments { meter.extend(by: segment.end - segment.identity.run.byteRange.lowerBound) }
    let table = try newestRecords(plan, surveyed, meter)
    let ordered = table.ordered
    for (_, place) in ordered { meter.extend(by: UInt64(place.byteCount)) }
    let target = NewStore(new: new, disk: disk)
    try target.fill { store in
      var writing = try SalvageWriting(
        surveyed, plan, to: store, SalvageReport(), SalvageValues(surveyed, nil),
        leavingOutExpiredBy: disk.wallClock())
      try writing.run(table, meter)
      try refuse(writing.report.losses)
    }
    try target.note(parent: leading, after: source.log.lastSequence)
  }

  private func newestRecords(
    _ plan: SalvagePlan, _ surveyed: SurveyedFile, _ meter: ProgressMeter
  ) throws(SedimentError) -> SalvageTable {
    let empty = SalvageTable(
      firstHash: KeyHash(low: disk.random(), high: disk.random()),
      secondHash: KeyHash(low: disk.random(), high: disk.random()))
    var gathering = SalvageGathering(surveyed, plan.collections, empty)
    try gathering.run(plan.segments[...], meter)
    try refuse(gathering.losses)
    return gathering.table
  }

  /// A backup lacks nothing, or there is none.
  private func refuse(_ losses: [SalvageReport.Loss]) throws(SedimentError) {
    guard let loss = losses.first else { return }
    try lifetime.check()
    throw .damaged(loss.reason, path: path, offset: loss.range.lowerBound)
  }
}
