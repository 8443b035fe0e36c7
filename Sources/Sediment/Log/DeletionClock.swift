internal import SedimentDisk
package import SedimentFormat

// By which clock what has expired is deleted (DESIGN.md 8, "Clock"): one that no jump can move forwards.

/// The looks at the wall clock that are to be confirmed: the oldest of them is the candidate that the catalogue keeps, the
/// others only this opening knows.
///
/// A time counts for deletion once the wall clock had reached it at a look, and has reached it ten minutes of observed
/// time later.
package struct DeletionClock: Sendable {
  /// The looks after the candidate: in ascending order of both clocks, and at most one for each pause.
  package private(set) var laterLooks: [Look] = []

  package struct Look: Equatable, Sendable {
    /// What the wall clock showed, and how long writers had had the file open, in milliseconds.
    var wallClock: UInt64
    var observed: UInt64
  }

  package init() {}

  /// After so much observed time a look is confirmed, in milliseconds.
  static let confirmationMilliseconds: UInt64 = 10 * 60 * 1000
  /// Between two looks that are kept at least so much observed time passes, in milliseconds; so what has expired may be
  /// deleted so much later than it could be.
  static let pauseMilliseconds: UInt64 = 30 * 1000

  /// From which observed time on a look is confirmed or kept, if the wall clock does not go back.
  private var nextChange: UInt64 = 0

  /// Takes what the clocks show: the wall clock, and what a clock that cannot jump has counted since the last call, both
  /// in milliseconds.
  @inline(__always)
  package mutating func note(wallClock: UInt64, elapsed: UInt64, in clocks: inout StoreNumbers.Clocks) {
    let now = Look(
      wallClock: min(wallClock, Limits.clockMax),
      observed: min(clocks.observed.addingReportingOverflow(elapsed).partialValue, Limits.clockMax))
    clocks.observed = now.observed
    // Then the wall clock reaches all looks, and what it has confirmed.
    let goesOn = now.wallClock >= clocks.highest
    if goesOn { clocks.highest = now.wallClock }
    if !goesOn || now.observed >= nextChange { take(now, in: &clocks) }
  }

  /// Drops, confirms and keeps looks.
  @inline(never)
  private mutating func take(_ now: Look, in clocks: inout StoreNumbers.Clocks) {
    // What a clock had confirmed that was wrong for long counts no more once it is right.
    clocks.deletion = min(clocks.deletion, now.wallClock)
    dropUnreached(now, in: &clocks)
    while let candidate = clocks.candidateLook,
      now.observed - candidate.observed >= Self.confirmationMilliseconds
    {
      clocks.deletion = max(clocks.deletion, candidate.wallClock)
      clocks.candidateLook = laterLooks.isEmpty ? nil : laterLooks.removeFirst()
    }
    let last = keep(now, in: &clocks)
    nextChange = min(
      clocks.candidateObserved + Self.confirmationMilliseconds, last.observed + Self.pauseMilliseconds)
  }

  /// Drops the looks at a time that the wall clock does not reach any more: none, or the last ones.
  private mutating func dropUnreached(_ now: Look, in clocks: inout StoreNumbers.Clocks) {
    while let last = laterLooks.last, last.wallClock > now.wallClock { laterLooks.removeLast() }
    // Those after it are later, and were dropped as well.
    if clocks.candidate > now.wallClock { clocks.candidateLook = nil }
  }

  /// Keeps a look if a pause has passed since the last one; the result is the last one.
  private mutating func keep(_ now: Look, in clocks: inout StoreNumbers.Clocks) -> Look {
    if let last = laterLooks.last ?? clocks.candidateLook {
      if now.observed - last.observed < Self.pauseMilliseconds { return last }
      laterLooks.append(now)
    } else {
      clocks.candidateLook = now
    }
    return now
  }
}

extension StoreNumbers.Clocks {
  /// The oldest look that is to be confirmed.
  fileprivate var candidateLook: DeletionClock.Look? {
    get { candidate > 0 ? DeletionClock.Look(wallClock: candidate, observed: candidateObserved) : nil }
    set { (candidate, candidateObserved) = (newValue?.wallClock ?? 0, newValue?.observed ?? 0) }
  }
}

extension LogWriter {
  /// Takes what the clocks show: at a sync, where room is made, and whenever the log goes on in another segment.
  mutating func noteClocks() {
    let (now, wallClock) = (disk.monotonicClock(), disk.wallClock())
    let elapsed = now > observedAt ? (now - observedAt) / 1_000_000 : 0
    observedAt &+= elapsed * 1_000_000
    deletionClock.note(wallClock: wallClock, elapsed: elapsed, in: &catalogue.numbers.clocks)
    tail.clock = wallClock
  }
}
