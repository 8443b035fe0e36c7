/// How the first contender of a report stands beside the best of the others, judged by the noise of the run.
///
/// One contender takes part twice. By how much its two medians differ is the noise of a row, but not less than what three
/// quarters of all rows stay below: two medians may agree by chance. Ratios within the noise are level.
public struct Standings {
  /// What a row says of the first contender.
  public enum Place: Equatable, Sendable {
    case ahead, level, behind
  }

  /// How one row stands.
  public struct Standing: Sendable {
    /// What was done, with all rows.
    public var group: Report.Group

    /// The row of the first contender.
    public var own: Report.Row

    /// The best of the others.
    public var best: Report.Row

    /// How many times as good the first contender is as the best of the others.
    public var ratio: Double

    /// The ratio up to which, and down to whose inverse, rows are level.
    public var noise: Double

    /// What the row says.
    public var place: Place { ratio > noise ? .ahead : ratio * noise < 1 ? .behind : .level }
  }

  /// What counts as noise where a report has no contender twice.
  public static let assumedNoise = 1.05

  /// All rows that compare the first contender with others, in the order of the report.
  public let all: [Standing]

  private let pairs: [String: Double]
  private let leastNoise: Double

  /// The standings of a report.
  public init(_ report: Report) {
    let contenders = report.contenders ?? []
    let repeating = contenders.first { $0.repeats != nil }
    var pairs: [String: Double] = [:]
    for group in report.groups {
      guard let one = group.row(repeating?.repeats)?.statistics?.median,
        let other = group.row(repeating?.name)?.statistics?.median, one > 0, other > 0
      else { continue }
      pairs[group.title] = max(one / other, other / one)
    }
    let sorted = pairs.values.sorted()
    let leastNoise =
      sorted.isEmpty ? Standings.assumedNoise : sorted[min(sorted.count * 3 / 4, sorted.count - 1)]
    self.pairs = pairs
    self.leastNoise = leastNoise
    let own = contenders.first?.name ?? ""
    let others = contenders.map(\.name).filter { $0 != own && !$0.hasPrefix("\(own),") }
    all = report.groups.compactMap { group in
      guard let ownRow = group.row(own), let ownMedian = ownRow.statistics?.median else { return nil }
      let rows = group.rows.filter { others.contains($0.name) && $0.statistics != nil }
      let isSmaller = ownRow.unit.isBetterSmaller
      func median(_ row: Report.Row) -> Double { row.statistics?.median ?? 0 }
      guard
        let best = isSmaller
          ? rows.min(by: { median($0) < median($1) }) : rows.max(by: { median($0) < median($1) })
      else { return nil }
      let ratio = isSmaller ? median(best) / ownMedian : ownMedian / median(best)
      return Standing(
        group: group, own: ownRow, best: best, ratio: ratio, noise: max(pairs[group.title] ?? 1, leastNoise))
    }
  }

  /// The noise of a row, as a ratio; nil where nothing was measured twice.
  public func noise(of group: Report.Group) -> Double? { pairs[group.title].map { max($0, leastNoise) } }
}

extension Report.Group {
  fileprivate func row(_ name: String?) -> Report.Row? { rows.first { $0.name == name } }
}
