internal import SedimentDisk
internal import SedimentFormat

// By which clock what has expired is deleted (DESIGN.md 8, "Clock"): one that no jump can move forwards.

extension StoreNumbers.Clocks {
  /// A wall clock counts for deletion once it was reached so long ago, in milliseconds of observed time.
  static let confirmationMilliseconds: UInt64 = 10 * 60 * 1000

  /// Takes what the clocks show: the wall clock, and what a clock that cannot jump has counted since the
  /// last call, both in milliseconds.
  mutating func note(wallClock: UInt64, elapsed: UInt64) {
    let wall = min(wallClock, Limits.clockMax)
    observed = min(observed.addingReportingOverflow(elapsed).partialValue, Limits.clockMax)
    highest = max(highest, wall)
    // What a clock had confirmed that was wrong for long counts no more once it is right.
    deletion = min(deletion, wall)
    guard candidate > 0, wall >= candidate else {
      // The first one, or one that the wall clock does not reach any more.
      candidate = wall
      candidateObserved = observed
      return
    }
    guard observed - candidateObserved >= Self.confirmationMilliseconds else { return }
    deletion = max(deletion, candidate)
    candidate = wall
    candidateObserved = observed
  }
}

extension LogWriter {
  /// Takes what the clocks show: at a sync, where room is made, and whenever the log goes on in another segment.
  mutating func noteClocks() {
    let (now, wallClock) = (disk.monotonicClock(), disk.wallClock())
    let elapsed = now > observedAt ? (now - observedAt) / 1_000_000 : 0
    observedAt &+= elapsed * 1_000_000
    catalogue.numbers.clocks.note(wallClock: wallClock, elapsed: elapsed)
    tail.clock = wallClock
  }
}
