package import SedimentTesting

/// How clocks jump: by seconds to decades, in both directions, and back to where they were right.
package enum ClockJump {
  /// In milliseconds: some seconds, an hour, a day, a year, thirty years.
  private static let sizes: [UInt64] = [5_000, 3_600_000, 86_400_000, 31_536_000_000, 946_080_000_000]

  /// How far a jump goes, at random.
  package static func random(using generator: inout SeededGenerator) -> Duration {
    let size = sizes[Int.random(in: 0..<sizes.count, using: &generator)]
    let distance = Int64(size + UInt64.random(in: 0..<size, using: &generator))
    return .milliseconds(Bool.random(using: &generator) ? distance : -distance)
  }

  /// What a clock shows that showed a time, in milliseconds since 1970, and then jumped; never before the first second.
  package static func time(_ time: UInt64, after jump: Duration) -> UInt64 {
    let sum = Int64(clamping: time).addingReportingOverflow(Int64(jump / .milliseconds(1)))
    return UInt64(max(sum.overflow ? .max / 4 : sum.partialValue, 1_000))
  }
}

/// Which times the clock of deletion may have confirmed: those that the wall clock showed for ten minutes.
///
/// It knows less than a store does, so it is an upper bound: a store may not have looked at the clock then.
package struct ConfirmedTime: Equatable, Sendable {
  /// The highest time that can be confirmed, in milliseconds since 1970; 0 for none.
  package private(set) var time: UInt64 = 0
  /// How long the machine has run, in milliseconds, and the highest time that was shown so far.
  private var shown: [Moment] = []
  private var age: UInt64 = 0

  private struct Moment: Equatable, Sendable {
    var age: UInt64
    var highest: UInt64
  }

  private static let least: UInt64 = 600_000

  package init() {}

  /// Takes note of what the wall clock shows once so much time has gone by.
  package mutating func note(_ wallClock: UInt64, after duration: Duration = .zero) {
    age += UInt64(duration / .milliseconds(1))
    let highest = max(shown.last?.highest ?? 0, wallClock)
    if shown.last?.age == age { shown.removeLast() }
    shown.append(Moment(age: age, highest: highest))
    guard let confirming = shown.last(where: { $0.age + Self.least <= age }) else { return }
    time = max(time, min(wallClock, confirming.highest))
    shown.removeAll { $0.age < confirming.age }
  }

  /// Whether what expires at a time may be deleted for good while the wall clock shows another.
  package func allowsDeletion(ofExpiry expiry: UInt64, at wallClock: UInt64) -> Bool {
    expiry != 0 && expiry <= wallClock && expiry <= time
  }
}
