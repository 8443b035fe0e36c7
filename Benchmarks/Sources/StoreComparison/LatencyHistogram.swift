/// How often something took how long, in steps of a thirty-second of a power of two.
///
/// One thread at a time may use it.
public final class LatencyHistogram: @unchecked Sendable {
  @usableFromInline static let stepsOfPower = 32

  @usableFromInline var counts = [Int](repeating: 0, count: 64 * stepsOfPower)

  /// Creates one that has counted nothing.
  public init() {}

  /// Counts one that took so long.
  @inlinable
  @inline(__always)
  public func add(_ nanoseconds: UInt64) {
    let value = nanoseconds | UInt64(LatencyHistogram.stepsOfPower)
    let power = 63 - value.leadingZeroBitCount
    let part = Int(value >> UInt64(power - 5)) & (LatencyHistogram.stepsOfPower - 1)
    counts[power * LatencyHistogram.stepsOfPower + part] += 1
  }

  /// How many were counted.
  public var count: Int { counts.reduce(0, +) }

  /// The time that one of so many exceeds, rounded up to a step.
  public func exceeded(byOneOf number: Int) -> UInt64 {
    exceeded(by: 1 / Double(number))
  }

  /// The time that this part of them, from 0 to 1, exceeds, rounded up to a step.
  public func exceeded(by part: Double) -> UInt64 {
    var left = Int(Double(count) * part)
    for step in counts.indices.reversed() {
      left -= counts[step]
      if left < 0 { return LatencyHistogram.end(ofStep: step) }
    }
    return 0
  }

  private static func end(ofStep step: Int) -> UInt64 {
    let (power, part) = step.quotientAndRemainder(dividingBy: stepsOfPower)
    return UInt64(stepsOfPower + part + 1) << UInt64(max(power - 5, 0))
  }
}
