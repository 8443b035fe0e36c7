internal import CBench

/// Measures how long a piece of code takes.
public struct Stopwatch {
  private let start: UInt64

  /// Starts.
  public init() {
    start = bench_nanoseconds()
  }

  /// Nanoseconds since the start, at least 1 so that they can be divided by.
  public var nanoseconds: UInt64 {
    max(1, bench_nanoseconds() - start)
  }
}
