internal import Foundation

/// Tells the time of uses, in milliseconds since 1970.
package struct ArchiveClock: Sendable {
  let milliseconds: @Sendable () -> UInt64

  /// A clock that a test sets.
  package init(milliseconds: @escaping @Sendable () -> UInt64) {
    self.milliseconds = milliseconds
  }

  /// That of the machine.
  package static let wall = ArchiveClock { milliseconds(Date().timeIntervalSince1970) }

  /// Seconds since 1970 as milliseconds.
  static func milliseconds(_ seconds: TimeInterval) -> UInt64 {
    // Before 1970 and beyond all calendars the clock is wrong, and the nearest time is as good as any.
    UInt64(Swift.min(Swift.max(seconds * 1000, 0), 1e15))
  }
}
