/// A figure held against a limit that was measured in the same run.
public struct Comparison: Equatable, Sendable {
  /// What is compared, for people.
  public var name: String

  /// The figure.
  public var figure: Measure

  /// What it is held against.
  public var limit: Measure

  /// What the limit is, in a few words.
  public var limitName: String

  /// What their ratio is to be; nil if it only informs.
  public var target: Target?

  /// A bare loop without which the figure is not to be had; nil if there is none.
  ///
  /// Where that misses the target, too, in each round, the machine is the reason.
  public var bareLoop: Measure?

  /// Creates a comparison.
  public init(
    _ name: String, _ figure: Measure, limit: Measure, _ limitName: String, target: Target? = nil,
    bareLoop: Measure? = nil
  ) {
    self.name = name
    self.figure = figure
    self.limit = limit
    self.limitName = limitName
    self.target = target
    self.bareLoop = bareLoop
  }

  /// Something that has a value in each round.
  public indirect enum Measure: Equatable, Sendable {
    /// The figure of the benchmark with this identifier.
    case of(String)

    /// The processor time of the whole process that one operation of that benchmark took.
    case processor(of: String)

    /// Some times that figure.
    case multiple(Double, of: String)

    /// By how much one figure exceeds another; less than nothing if it does not.
    case difference(of: String, less: String)

    /// How much more is done together than alone: the quotient of two times.
    case gain(alone: String, together: String)

    /// A number that grows with another figure, and holds where that one is the reference.
    case scaled(Double, by: String, reference: Double)

    /// A number that does not depend on the machine.
    case constant(Double, Quantity)

    /// In each round the greater of two.
    case greater(Measure, Measure)

    /// In each round the best of those figures that were measured.
    case best([String])
  }

  /// What the ratio of a figure and its limit is to be.
  public enum Target: Equatable, Sendable {
    /// The figure is at most so many times the limit.
    case atMost(Double)

    /// The figure is at least so many times as good as the limit: as fast, or as much.
    case atLeast(Double)
  }

  /// What came of a comparison.
  public struct Result: Codable, Equatable, Sendable {
    /// What was compared.
    public var name: String

    /// The median of the figure; absent if it was not measured.
    public var figure: Double?

    /// What the figure counts.
    public var unit: Quantity

    /// The median of the limit.
    public var limit: Double?

    /// What the limit is.
    public var limitName: String

    /// The ratios of all rounds, each of a figure and a limit of the same round, summarized.
    public var ratio: Statistics?

    /// The target in words; absent if there is none.
    public var target: String?

    /// Whether the median of the ratios reaches the target.
    public var isReached: Bool?

    /// Whether the bare loop misses the target by itself in each round; absent if it does not, or there is none.
    public var isOutOfReach: Bool?
  }

  /// Compares what was measured.
  public func result(in groups: [Report.Group]) -> Result {
    let rows = Dictionary(groups.flatMap(\.rows).map { ($0.identifier, $0) }) { first, _ in first }
    let (figures, unit) = figure.samples(rows)
    let limits = limit.samples(rows).values
    let ratio = ratio(figures, limits, unit)
    let bareRatio = bareLoop.flatMap { self.ratio($0.samples(rows).values, limits, unit) }
    let isOutOfReach = bareRatio.map { !isReached(by: best(of: $0)) } ?? false
    return Result(
      name: name, figure: Statistics(figures)?.median, unit: unit, limit: Statistics(limits)?.median,
      limitName: limitName, ratio: ratio, target: target?.text,
      isReached: target == nil ? nil : ratio.map { isReached(by: $0.median) },
      isOutOfReach: isOutOfReach ? true : nil)
  }

  /// The ratios of the rounds in which both were measured.
  private func ratio(_ figures: [Double], _ limits: [Double], _ unit: Quantity) -> Statistics? {
    Statistics(zip(figures, limits).map { ratio($0, $1, unit) })
  }

  private func isReached(by ratio: Double) -> Bool {
    target?.isReached(by: ratio) ?? true
  }

  private func best(of ratios: Statistics) -> Double {
    if case .atLeast = target { ratios.maximum } else { ratios.minimum }
  }

  /// With `atLeast` how many times as good, else how many times the number.
  private func ratio(_ figure: Double, _ limit: Double, _ unit: Quantity) -> Double {
    if case .atLeast = target, unit.isBetterSmaller { return limit / figure }
    return figure / limit
  }
}

extension Comparison.Measure {
  /// One value a round; a constant has more of them than there are rounds.
  fileprivate func samples(_ rows: [String: Report.Row]) -> (values: [Double], unit: Quantity) {
    switch self {
    case .of(let name):
      return (rows[name]?.samples ?? [], rows[name]?.unit ?? .time)
    case .processor(let name):
      return (rows[name]?.processorSamples ?? [], .time)
    case .multiple(let factor, let name):
      return ((rows[name]?.samples ?? []).map { $0 * factor }, rows[name]?.unit ?? .time)
    case .difference(let name, let other):
      let pairs = zip(rows[name]?.samples ?? [], rows[other]?.samples ?? [])
      return (pairs.map { $0 - $1 }, rows[name]?.unit ?? .time)
    case .gain(let alone, let together):
      let pairs = zip(rows[alone]?.samples ?? [], rows[together]?.samples ?? [])
      return (pairs.map { $0 / $1 }, .gain)
    case .scaled(let value, let name, let reference):
      return ((rows[name]?.samples ?? []).map { value * $0 / reference }, rows[name]?.unit ?? .time)
    case .constant(let value, let unit):
      return (Array(repeating: value, count: Options.roundCountMax), unit)
    case .greater(let one, let other):
      let (values, unit) = one.samples(rows)
      return (zip(values, other.samples(rows).values).map { max($0, $1) }, unit)
    case .best(let names):
      let measured = names.compactMap { rows[$0] }.filter { !$0.samples.isEmpty }
      let unit = measured.first?.unit ?? .time
      let roundCount = measured.map(\.samples.count).min() ?? 0
      let values = (0..<roundCount).compactMap { round in
        let values = measured.map { $0.samples[round] }
        return unit.isBetterSmaller ? values.min() : values.max()
      }
      return (values, unit)
    }
  }
}

extension Comparison.Target {
  var text: String {
    switch self {
    case .atMost(let value): "at most \(ratioText(value))"
    case .atLeast(let value): "at least \(ratioText(value))"
    }
  }

  func isReached(by ratio: Double) -> Bool {
    switch self {
    case .atMost(let value): ratio <= value
    case .atLeast(let value): ratio >= value
    }
  }
}
