internal import CBench

/// Measures how long a piece of code takes, and what the whole process takes of the processors meanwhile.
public struct Stopwatch {
  private let processorStart: UInt64
  private let start: UInt64

  /// Starts.
  public init() {
    // The clock is read last here and first at the end: reading what the process took is no part of the time.
    processorStart = bench_process_nanoseconds()
    start = bench_nanoseconds()
  }

  /// Nanoseconds since the start, at least 1 so that they can be divided by.
  public var nanoseconds: UInt64 {
    max(1, bench_nanoseconds() - start)
  }

  /// What so many operations have taken since the start: of the clock, and of the processors.
  public func sample(of amount: Int) -> Sample {
    let elapsed = nanoseconds
    return Sample(
      nanoseconds: elapsed, amount: amount, processor: bench_process_nanoseconds() - processorStart)
  }
}
