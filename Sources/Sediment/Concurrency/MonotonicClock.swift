internal import CSediment

/// The clock of deadlines: it never goes back, and stands still while the machine sleeps.
package enum MonotonicClock {
  /// Nanoseconds since some time in the past.
  package static var now: UInt64 { sediment_monotonic_now() }

  /// The time that lies so far ahead, or the end of time.
  package static func now(plus nanoseconds: UInt64) -> UInt64 {
    let (sum, isTooLarge) = now.addingReportingOverflow(nanoseconds)
    return isTooLarge ? .max : sum
  }
}
