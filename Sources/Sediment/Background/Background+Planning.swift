internal import SedimentFormat

// What follows a change sooner or later, planned with the writer.

extension Background {
  /// Schedules what has to follow a change.
  @inline(__always)
  func planSync(_ writer: inout LogWriter, _ durability: SedimentDurability) {
    // What was planned earlier, within no longer an interval, comes early enough.
    if case .interval(let interval) = durability, writer.plans.interval.map({ interval < $0 }) ?? true {
      planSync(after: interval, &writer)
    }
    if writer.tail.wantsUpkeep { planUpkeep(&writer) }
  }

  @inline(never)
  private func planSync(after interval: Duration, _ writer: inout LogWriter) {
    guard let sync else { return }
    writer.plans.interval = interval
    scheduler.schedule(sync, after: interval.nanosecondsClamped)
  }

  @inline(never)
  private func planUpkeep(_ writer: inout LogWriter) {
    writer.tail.wantsUpkeep = false
    if writer.replayByteCount > writer.replayByteCountMax, !writer.plans.isCheckpointPlanned,
      let checkpoint
    {
      writer.plans.isCheckpointPlanned = true
      scheduler.schedule(checkpoint, after: 0)
    }
    if writer.wantsMaintenance { planMaintenance(&writer) }
    if writer.wantsWindow, let window { scheduler.schedule(window, after: 0) }
    planStoringIndex(&writer)
    if writer.wantsSpace, !writer.plans.isGrowthPlanned, allocatesBlocks, let grow {
      writer.plans.isGrowthPlanned = true
      scheduler.schedule(grow, after: 0)
    }
  }

  /// Begins to take entries out of the index that lead to cleared records.
  func planSweep(_ writer: inout LogWriter) {
    writer.plans.clearingCount += 1
    if let sweep { scheduler.schedule(sweep, after: 0) }
  }

  /// Syncs soon for those who wait without a thread.
  func syncSoon() {
    if let sync { scheduler.schedule(sync, after: 0) }
  }

  /// Lets compaction look for space soon, if that is automatic.
  func planMaintenance(_ writer: inout LogWriter) {
    guard options.compaction == .automatic, let job = maintain else { return }
    writer.plans.isMaintenanceWanted = true
    if writer.plans.isMaintenancePlanned, !writer.plans.isMaintenanceResting { return }
    writer.plans.isMaintenancePlanned = true
    writer.plans.isMaintenanceResting = false
    scheduler.schedule(job, after: 0)
  }

  /// Begins to train dictionaries from what was gathered.
  func planTraining() {
    if let train { scheduler.schedule(train, after: 0) }
  }

  /// Stores the index soon if the log has grown by enough since it was stored last.
  func planStoringIndex(_ writer: inout LogWriter) {
    guard writer.wantsIndexStored, !writer.plans.isStoringPlanned, let store = storeIndex else { return }
    let indexByteCount = UInt64(max(index.byteCount, 0))
    let limit = max(Self.unstoredByteCountMin, indexByteCount &* 16)
    // After an attempt that came to nothing it is higher.
    writer.unstored.byteCountMax = max(limit, writer.plans.unstoredByteCountWaited)
    guard writer.wantsIndexStored else { return }
    writer.plans.isStoringPlanned = true
    scheduler.schedule(store, after: 0)
  }

  /// The bytes of the log that an opening scans without much ado.
  static var unstoredByteCountMin: UInt64 { 32 << 20 }
}

extension Duration {
  /// The nanoseconds, at least 0 and at most what 64 bits hold.
  var nanosecondsClamped: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLong) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    return overflow || isTooLong ? .max : sum
  }

  /// The milliseconds, rounded up, at least 0.
  var millisecondsClamped: UInt64 {
    let nanoseconds = nanosecondsClamped
    return nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1)
  }
}
