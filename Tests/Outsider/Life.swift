import Foundation

/// When a value ceases to be there, as far as the model can know it, in milliseconds since 1970.
struct Life: Hashable, Sendable {
  /// Until then it is there.
  var earliest: UInt64
  /// From then on it is not.
  var latest: UInt64

  static let forEver = Life(earliest: .max, latest: .max)
  /// Clocks are read before and behind calls; the engine may read another one that is so much behind or ahead.
  private static let tolerance: UInt64 = 30

  /// What may be known of a value in a call that began and ended at these times.
  func state(from begin: UInt64, to end: UInt64) -> Presence {
    if earliest == .max || end + Self.tolerance < earliest { return .present }
    if latest != .max, begin > latest + Self.tolerance { return .absent }
    return .either
  }

  enum Presence {
    case present, absent, either
  }
}

/// How long a value is to live, as a call says it.
enum Term: Hashable, Sendable {
  case never, unchanged
  case after(milliseconds: Int)
  case at(milliseconds: UInt64)

  /// The life that a value has which was set between these times in the place of another.
  func life(from begin: UInt64, to end: UInt64, old: Life?) -> Life {
    switch self {
    case .never: return .forEver
    case .after(let duration): return Life(earliest: moved(begin, duration), latest: moved(end, duration) + 1)
    case .at(let time): return Life(earliest: time, latest: time)
    case .unchanged:
      guard let old else { return .forEver }
      switch old.state(from: begin, to: end) {
      case .present: return old
      case .absent: return .forEver
      case .either: return Life(earliest: old.earliest, latest: .max)
      }
    }
  }

  private func moved(_ time: UInt64, _ duration: Int) -> UInt64 {
    duration >= 0 ? time + UInt64(duration) : time - min(UInt64(-duration), time)
  }
}

enum Clock {
  /// The wall clock's time in milliseconds since 1970.
  static var now: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }

  /// Seconds by a clock that goes on evenly.
  static var seconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
