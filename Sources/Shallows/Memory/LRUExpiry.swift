internal import Foundation
internal import Sediment

/// The times at which entries expire: milliseconds since 1970, where 0 stands for never.
@usableFromInline
enum LRUExpiry {
  /// The present wall time.
  static func wallClock() -> UInt64 {
    var now = timespec()
    guard unsafe clock_gettime(CLOCK_REALTIME, &now) == 0, now.tv_sec >= 0 else { return 0 }
    return UInt64(now.tv_sec) &* 1000 &+ UInt64(now.tv_nsec) / 1_000_000
  }

  /// When that is; nil if it stays what it is.
  ///
  /// What lies in the past is expired at once.
  @inlinable
  static func deadline(_ expiry: StorageExpiry?, clock: () -> UInt64) -> UInt64? {
    if expiry == .never { return 0 }
    guard let expiry else { return nil }
    return time(of: expiry, clock: clock)
  }

  @usableFromInline
  static func time(of expiry: StorageExpiry, clock: () -> UInt64) -> UInt64 {
    switch SedimentExpiry(expiry) {
    case .never, .unchanged: 0
    case .after(let duration): deadline(duration, after: clock())
    case .at(let milliseconds): max(milliseconds, 1)
    }
  }

  /// So long after a time, rounded up, and at least at 1.
  @usableFromInline
  static func deadline(_ duration: Duration, after now: UInt64) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 1 }
    let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
    let part = (UInt64(attoseconds) + 999_999_999_999_999) / 1_000_000_000_000_000
    let (length, isTooLongInAll) = whole.addingReportingOverflow(part)
    let (sum, isTooLate) = now.addingReportingOverflow(length)
    // One that is too far away to be written down is as good as never.
    return isTooLong || isTooLongInAll || isTooLate ? .max : max(sum, 1)
  }
}
