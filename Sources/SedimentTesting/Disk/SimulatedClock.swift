/// The two clocks of a simulated machine; they move only when told to.
struct SimulatedClock: Sendable {
  /// What the monotonic clock of a machine that was just started shows.
  static let start: UInt64 = 1_000_000_000

  var wallMilliseconds: UInt64
  var monotonicNanoseconds = start
  /// What is left of a millisecond after the wall clock was advanced.
  private var wallRemainder: UInt64 = 0

  init(wallMilliseconds: UInt64) {
    self.wallMilliseconds = wallMilliseconds
  }

  /// Lets both clocks run for so many nanoseconds.
  mutating func advance(nanoseconds: UInt64) {
    monotonicNanoseconds = monotonicNanoseconds.addingOrMax(nanoseconds)
    let rest = wallRemainder + nanoseconds % 1_000_000
    wallMilliseconds = wallMilliseconds.addingOrMax(nanoseconds / 1_000_000 + rest / 1_000_000)
    wallRemainder = rest % 1_000_000
  }
}

extension UInt64 {
  fileprivate func addingOrMax(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}

extension Duration {
  /// The duration in nanoseconds; nil for a negative one or one of more than 500 years.
  var wholeNanoseconds: UInt64? {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0, seconds < 16_000_000_000 else { return nil }
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
  }
}
