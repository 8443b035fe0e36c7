extension SimulatedDisk {
  /// All that happened to this disk since it was made, or since `trimHistory()`.
  public var history: CrashHistory {
    withState { CrashHistory(journal: $0.journal, setup: $0.setup) }
  }

  /// The crash point that the disk is at now: how many events its history has.
  public var crashPoint: Int {
    withState { $0.journal.events.count }
  }

  /// The state that a crash would find now.
  public var crashState: CrashState {
    let (point, medium, setup) = withState { ($0.journal.events.count, $0.walkedMedium(), $0.setup) }
    return CrashState(point: point, medium: medium, setup: setup)
  }

  /// The disk that a power failure right now leaves, with everything on it durable.
  public func afterPowerLoss(_ plan: CrashPlan) -> SimulatedDisk {
    crashState.afterPowerLoss(plan)
  }

  /// The disk after the process died right now, and the machine went on.
  public func afterProcessDeath() -> SimulatedDisk {
    crashState.afterProcessDeath()
  }

  /// Lets the history begin now, for long runs: what is unsynced stays so, but earlier moments are forgotten.
  public func trimHistory() {
    withState { $0.trimJournal() }
  }
}
