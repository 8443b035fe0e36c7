/// What of the background's work is planned, so that nothing is planned twice.
struct Plans {
  /// Within which interval a sync is on its way; nil if none is.
  var interval: Duration?
  /// Whether a checkpoint is on its way.
  var isCheckpointPlanned = false
  /// Whether a run of maintenance is on its way, or goes on.
  var isMaintenancePlanned = false
  /// Whether somebody has asked for maintenance since its last run began.
  var isMaintenanceWanted = false
  /// Whether the planned run is only a look, which may come earlier.
  var isMaintenanceResting = false
  /// Whether the file is about to grow.
  var isGrowthPlanned = false
  /// Whether the index is about to be stored.
  var isStoringPlanned = false
  /// How much of the log must be unknown to the stored index before storing it is tried again, after that failed.
  var unstoredByteCountWaited: UInt64 = 0
  /// How often records were cleared, and how many of these times the index has been swept of.
  var clearingCount = 0
  var sweptClearingCount = 0

  /// Whether the index leads to cleared records, whose space nobody can win before they are swept out.
  var isToBeSwept: Bool { sweptClearingCount < clearingCount }
}
