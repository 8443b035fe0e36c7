/// What several samples of the same thing say together.
public struct Statistics: Codable, Equatable, Sendable {
  /// The middle sample; the mean of the middle two of an even number.
  public let median: Double

  /// The least sample.
  public let minimum: Double

  /// The greatest sample.
  public let maximum: Double

  /// How far the samples lie apart: the distance of the extremes as a part of the median.
  public let spread: Double

  /// Summarizes samples; nil if there are none.
  public init?(_ samples: [Double]) {
    let sorted = samples.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let middle = sorted.count / 2
    median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    minimum = first
    maximum = last
    spread = median == 0 ? 0 : (last - first) / median
  }
}
