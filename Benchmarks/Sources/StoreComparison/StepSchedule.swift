internal import CBench

/// When the steps of a loop are due, so many a second, and how late they ended.
///
/// Without a rate each is due at once.
///
/// One thread at a time may use it.
public final class StepSchedule: @unchecked Sendable {
  /// Nil where a step is due when the one before has ended.
  @usableFromInline let nanosecondsAStep: UInt64?
  @usableFromInline let now: () -> UInt64
  @usableFromInline var due: UInt64

  /// The times from when steps were due to their end.
  public let lateness: LatencyHistogram

  /// A schedule that begins now.
  package init(
    rate: Int?, lateness: LatencyHistogram = LatencyHistogram(),
    now: @escaping () -> UInt64 = bench_nanoseconds
  ) {
    nanosecondsAStep = rate.map { 1_000_000_000 / UInt64($0) }
    self.now = now
    self.lateness = lateness
    due = now()
  }

  /// Returns when the next step is due, or at once if that time is over.
  ///
  /// The thread keeps its processor: a thread that sleeps is woken later than most steps take.
  @inlinable
  @inline(__always)
  package func awaitNext() {
    while now() < due {}
  }

  /// Counts how late the step has ended, and turns to the next.
  @inlinable
  @inline(__always)
  package func stepEnded() {
    let end = now()
    lateness.add(end &- due)
    due = nanosecondsAStep.map { due &+ $0 } ?? end
  }

  /// By how many nanoseconds the steps are late now.
  package var delay: UInt64 {
    let now = now()
    return now > due ? now - due : 0
  }
}
