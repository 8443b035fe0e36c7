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

  /// Takes what the clocks show: the wall clock, and what a clock that cannot jump has counted since the last call, both
  /// in milliseconds.
  package mutating func note(wallClock: UInt64, elapsed: UInt64, in clocks: inout StoreNumbers.Clocks) {
    let now = Look(
      wallClock: min(wallClock, Limits.clockMax),
      observed: min(clocks.observed.addingReportingOverflow(elapsed).partialValue, Limits.clockMax))
    clocks.observed = now.observed
    clocks.highest = max(clocks.highest, now.wallClock)
    // What a clock had confirmed that was wrong for long counts no more once it is right.
    clocks.deletion = min(clocks.deletion, now.wallClock)
    var looks = laterLooks
    if clocks.candidate > 0 {
      looks.insert(Look(wallClock: clocks.candidate, observed: clocks.candidateObserved), at: 0)
    }
    // The wall clock does not reach these any more.
    looks.removeAll { $0.wallClock > now.wallClock }
    let confirmed = looks.prefix { now.observed - $0.observed >= Self.confirmationMilliseconds }
    if let last = confirmed.last { clocks.deletion = max(clocks.deletion, last.wallClock) }
    looks.removeFirst(confirmed.count)
    if looks.last.map({ now.observed - $0.observed >= Self.pauseMilliseconds }) ?? true { looks.append(now) }
    (clocks.candidate, clocks.candidateObserved) = (looks[0].wallClock, looks[0].observed)
    laterLooks = Array(looks.dropFirst())
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
