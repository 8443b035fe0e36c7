internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// The one place that all syncs of an opening go through (invariant 2).
///
/// A thread that needs a change to be on the disk waits for the sequence of that change. One of the waiting threads syncs
/// for all; a thread that comes meanwhile waits for the next sync. What has a sequence up to `syncedSequence` is on the
/// disk.
@safe final class SyncGate: @unchecked Sendable {
  // Sendable: the lock guards the variables, but for the watermark, which belongs to the thread that has the turn.
  private let lock = Lock()
  private let changed: Condition
  /// When the turn was taken that a thread has now.
  private var takenAt: UInt64?
  private var failure: SedimentError?
  /// Up to where the log is known to be on the medium.
  ///
  /// Changed only by the thread that has the turn.
  private(set) var watermark: LogPosition
  private let synced: Atomic<UInt64>
  let syncCount = Atomic<UInt64>(0)
  private let disk: any Disk
  private var continuations: [(sequence: UInt64, resume: @Sendable (SedimentError?) -> Void)] = []

  init(syncedSequence: UInt64, watermark: LogPosition, disk: any Disk) {
    self.disk = disk
    changed = Condition(of: lock)
    synced = Atomic(syncedSequence)
    self.watermark = watermark
  }

  /// Everything up to this sequence is on the disk.
  var syncedSequence: UInt64 { synced.load(ordering: .acquiring) }

  /// For how many nanoseconds a thread has had the turn; 0 if none has it.
  var turnNanoseconds: UInt64 {
    lock.withLock { takenAt.map { disk.monotonicClock() &- $0 } ?? 0 }
  }

  /// Returns once everything up to a sequence is on the disk; `sync` makes it so, by one thread at a time.
  ///
  /// It returns up to which sequence and where, and is called without the gate's lock.
  func wait(
    for sequence: UInt64, sync: () throws(SedimentError) -> (sequence: UInt64, watermark: LogPosition)
  ) throws(SedimentError) {
    if syncedSequence >= sequence { return }
    lock.lock()
    while true {
      if syncedSequence >= sequence {
        lock.unlock()
        return
      }
      if let failure {
        lock.unlock()
        throw failure
      }
      if takenAt == nil { break }
      changed.wait()
    }
    try useTurn(sync)
  }

  /// Has the turn while `body` runs, with no sync of another beside it; `body` returns what it synced.
  func turn(
    _ body: () throws(SedimentError) -> (sequence: UInt64, watermark: LogPosition)
  ) throws(SedimentError) {
    lock.lock()
    while takenAt != nil { changed.wait() }
    try useTurn(body)
  }

  /// Takes the turn, which nobody has, syncs and gives the turn back; with the lock, which it gives back at once.
  private func useTurn(
    _ sync: () throws(SedimentError) -> (sequence: UInt64, watermark: LogPosition)
  ) throws(SedimentError) {
    takenAt = disk.monotonicClock()
    lock.unlock()
    LockRank.syncing.noteTaking()
    var outcome: Result<Void, SedimentError> = .success(())
    do throws(SedimentError) {
      let (sequence, watermark) = try sync()
      self.watermark = max(self.watermark, watermark)
      synced.store(max(sequence, syncedSequence), ordering: .releasing)
      SchedulePoint.reach(.published)
    } catch {
      outcome = .failure(error)
    }
    LockRank.syncing.noteGivenBack()
    lock.lock()
    // The code of what makes the store refuse every further change.
    if case .failure(let error) = outcome, error.code == .outcomeUnknown { failure = error }
    takenAt = nil
    lock.unlock()
    // Those that it wakes find the lock free.
    changed.broadcast()
    try outcome.get()
  }

  // MARK: Waiting without a thread

  /// Calls `resume` once everything up to a sequence is on the disk, or with the reason why it never will be.
  ///
  /// Somebody has to sync for that, and then call `resumeReached`: false if it was called at once.
  func whenSynced(_ sequence: UInt64, _ resume: @escaping @Sendable (SedimentError?) -> Void) -> Bool {
    lock.lock()
    if syncedSequence >= sequence || failure != nil {
      let failure = syncedSequence >= sequence ? nil : failure
      lock.unlock()
      resume(failure)
      return false
    }
    continuations.append((sequence, resume))
    lock.unlock()
    return true
  }

  /// Resumes everyone whose sequence is on the disk or never will be; all, if a sync was refused.
  ///
  /// What follows may close the store, so it is called with none of the engine's locks held; whoever syncs may hold
  /// some.
  func resumeReached(refusing refusal: SedimentError? = nil) {
    lock.lock()
    let (reached, failure) = (syncedSequence, failure ?? refusal)
    let done = continuations.filter { failure != nil || $0.sequence <= reached }
    continuations.removeAll { failure != nil || $0.sequence <= reached }
    lock.unlock()
    for (sequence, resume) in done { resume(sequence <= reached ? nil : failure) }
  }

  /// Resumes everyone who still waits without a thread, as the store was closed; whoever comes now hears of it at once.
  func abandon(_ error: SedimentError) {
    lock.withLock { if failure == nil { failure = error } }
    resumeReached()
  }
}
