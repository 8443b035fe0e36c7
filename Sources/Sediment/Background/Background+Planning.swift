internal import SedimentFormat

/// What of the background's work is planned, so that nothing is planned twice.
struct Plans {
  /// Within how many nanoseconds a sync is on its way; those of `unsynced` if none is.
  var syncNanoseconds = WrittenDurability.unsynced.nanoseconds
  /// Whether a run of maintenance is on its way, or goes on.
  var isMaintenancePlanned = false
  /// Whether somebody has asked for maintenance since its last run began.
  var isMaintenanceWanted = false
  /// Whether the planned run is only a look, which may come earlier.
  var isMaintenanceResting = false
  /// How much of the log must be unknown to the stored index before storing it is tried again, after that failed.
  var unstoredByteCountWaited: UInt64 = 0
  /// Whether storing the index is on its way.
  var isStoringPlanned = false
  /// How often records were cleared, and how many of these times the index has been swept of.
  var clearingCount = 0
  var sweptClearingCount = 0
  /// The collections that the index is to be swept of; those of finished sweeps among them if others were cleared since.
  var unsweptCollections = CollectionTags.none
  /// The collections that were cleared since the exchange began that is under way.
  var collectionsClearedInExchange = CollectionTags.none

  /// Whether the index leads to cleared records, whose space nobody can win before they are swept out.
  var isToBeSwept: Bool { sweptClearingCount < clearingCount }
}

// What follows a change sooner or later, planned with the writer.

extension Background {
  /// Schedules what has to follow a change.
  @inline(__always)
  func planSync(_ writer: inout LogWriter, _ durability: WrittenDurability) {
    // What was planned earlier, within no longer a time, comes early enough.
    if durability.nanoseconds < writer.plans.syncNanoseconds { planSync(within: durability, &writer) }
    if writer.tail.wantsUpkeep { planUpkeep(&writer) }
  }

  @inline(never)
  private func planSync(within durability: WrittenDurability, _ writer: inout LogWriter) {
    writer.plans.syncNanoseconds = durability.nanoseconds
    schedule(.sync, after: durability.nanoseconds)
  }

  @inline(never)
  private func planUpkeep(_ writer: inout LogWriter) {
    writer.tail.wantsUpkeep = false
    // The jobs look whether it is still so: another one may have seen to it.
    if writer.wantsCheckpoint { schedule(.checkpoint) }
    if writer.wantsMaintenance { planMaintenance(&writer) }
    if writer.wantsWindow { schedule(.window) }
    planStoringIndex(&writer)
    writer.chooseReadMode()
    if writer.wantsSpace, allocatesBlocks { schedule(.grow) }
  }

  /// Begins to take entries out of the index that lead to cleared records of collections.
  func planSweep(of collections: CollectionTags, _ writer: inout LogWriter) {
    writer.plans.clearingCount += 1
    writer.plans.unsweptCollections.formUnion(collections)
    writer.plans.collectionsClearedInExchange.formUnion(collections)
    schedule(.sweep)
  }

  /// Syncs soon for those who wait without a thread.
  func syncSoon() {
    schedule(.sync)
  }

  /// Lets compaction look for space soon, if that is automatic.
  func planMaintenance(_ writer: inout LogWriter) {
    guard options.compaction == .automatic else { return }
    writer.plans.isMaintenanceWanted = true
    if writer.plans.isMaintenancePlanned, !writer.plans.isMaintenanceResting { return }
    writer.plans.isMaintenancePlanned = true
    writer.plans.isMaintenanceResting = false
    schedule(.maintain)
  }

  /// Begins to train dictionaries from what was gathered.
  func planTraining() {
    schedule(.train)
  }

  /// Stores the index, as soon as there was time enough for it, if the log has grown by enough since it was stored last.
  func planStoringIndex(_ writer: inout LogWriter) {
    guard writer.wantsIndexStored else { return }
    let indexByteCount = UInt64(max(index.byteCount, 0))
    let limit = max(Self.unstoredByteCountMin, indexByteCount &* 32)
    // After an attempt that came to nothing it is higher.
    writer.unstored.byteCountMax = max(limit, writer.plans.unstoredByteCountWaited)
    guard writer.wantsIndexStored else { return }
    planStoringIndex(after: writer.pauseBeforeStoring(keyCount: index.count), &writer)
  }

  /// Stores the index after so many nanoseconds, if it is still to be stored then.
  func planStoringIndex(after pause: UInt64, _ writer: inout LogWriter) {
    writer.plans.isStoringPlanned = true
    schedule(.storeIndex, after: pause)
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
