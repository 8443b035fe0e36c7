internal import SedimentDisk

// Who writes ahead of compaction waits for it, or does a part of it (invariant 23), and leaves what another change has
// won to that.

extension Compactor {
  /// Waits as long as the accounts say, before a change.
  ///
  /// Never longer than some milliseconds as long as compaction comes on, and a second where it does not.
  @inline(never)
  func keepPace() {
    guard !lifetime.isForked, !lifetime.isClosed, let writer, Readers.depth == 0 else { return }
    if pace.isTurnTaken { roomTurn.withLock {} }
    guard pace.word != 0 else { return }
    writer.withLock { writer in background.planMaintenance(&writer) }
    let deadline = disk.monotonicClock() &+ Self.paceNanosecondsMax
    while case let word = pace.word, word != 0 {
      guard help() else {
        SchedulePoint.pause(word == WritingPace.helpingWord ? Self.pauseNanoseconds : word)
        if word == WritingPace.helpingWord, disk.monotonicClock() < deadline, !lifetime.isClosed {
          continue
        }
        return
      }
      if word != WritingPace.helpingWord || disk.monotonicClock() >= deadline { return }
    }
  }

  /// Does one step of compaction if nobody else is at it; whether this thread did.
  private func help() -> Bool {
    // What fails is told by the background, or by the change that follows.
    compaction?.tryLock { compaction in _ = try? compaction.maintain() } != nil
  }

  /// Lets nobody else begin a change until `giveBackTurn`, but for those in closures that read in place.
  func takeTurn() {
    roomTurn.take()
    writer?.withLock { writer in writer.pace.isTurnTaken = true }
  }

  func giveBackTurn() {
    writer?.withLock { writer in writer.pace.isTurnTaken = false }
    roomTurn.giveBack()
  }

  private static var paceNanosecondsMax: UInt64 { 1_000_000_000 }

  private static var pauseNanoseconds: UInt64 { 200_000 }
}
