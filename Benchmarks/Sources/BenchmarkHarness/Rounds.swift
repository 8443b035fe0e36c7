/// A benchmark's samples, or why there are none.
public struct Outcome: Equatable, Sendable {
  /// One figure a round, in the benchmark's quantity.
  public var samples: [Double] = []

  /// The process's processor time of one operation in each round; empty where that was not measured.
  public var processorSamples: [Double] = []

  /// Why some samples are not quite what the row says, one text each; empty if all are.
  public var remarks: [String] = []

  /// Why the machine could not do it; nil if it could.
  public var unsupported: String?

  /// Creates an outcome.
  public init(samples: [Double] = [], processorSamples: [Double] = [], unsupported: String? = nil) {
    self.samples = samples
    self.processorSamples = processorSamples
    self.unsupported = unsupported
  }
}

/// Runs benchmarks in turns: A B C, A B C, A B C; or, in groups whose order is rotated, A B C, A C B, C A B.
///
/// Whatever drifts while it runs then falls on all of them alike, and figures of one run can be compared. With another
/// order in each round nobody is always the first, or always behind the same one.
public struct Rounds {
  /// How often each is measured.
  public var count: Int

  /// Creates the rounds.
  public init(count: Int) {
    self.count = count
  }

  /// Runs all benchmarks and returns an outcome for each, in their order.
  ///
  /// One that is ``Unsupported`` is left out from then on, and one that is not for every round after its last; any
  /// other error ends the run.
  ///
  /// `rotated` are the ranges of benchmarks whose order is another one in each round.
  public func run(
    _ benchmarks: [Benchmark], rotated: [Range<Int>] = [],
    progress: (_ round: Int, _ index: Int) -> Void = { _, _ in }
  ) throws -> [Outcome] {
    var outcomes = Array(repeating: Outcome(), count: benchmarks.count)
    for round in 0..<count {
      for index in Rounds.order(of: benchmarks.indices, rotated: rotated, round: round)
      where outcomes[index].unsupported == nil && round < benchmarks[index].roundCountMax ?? count {
        let benchmark = benchmarks[index]
        progress(round, index)
        do {
          let sample = try benchmark.run()
          outcomes[index].samples.append(sample.value(as: benchmark.quantity))
          if let remark = sample.remark { outcomes[index].remarks.append(remark) }
          if benchmark.quantity == .time, let processor = sample.processorValue {
            outcomes[index].processorSamples.append(processor)
          }
        } catch let error as Unsupported {
          outcomes[index] = Outcome(unsupported: error.reason)
        }
      }
    }
    return outcomes
  }

  /// The numbers of benchmarks in the order of a round: a rotated range begins with another one in each round, and goes
  /// backwards in every other.
  static func order(of indices: Range<Int>, rotated: [Range<Int>], round: Int) -> [Int] {
    var order = Array(indices)
    for range in rotated where !range.isEmpty {
      let start = round % range.count
      let turned = Array(range.dropFirst(start)) + Array(range.prefix(start))
      order.replaceSubrange(
        range, with: round.isMultiple(of: 2) ? turned : [turned[0]] + turned.dropFirst().reversed())
    }
    return order
  }
}
