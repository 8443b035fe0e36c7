/// A benchmark's samples, or why there are none.
public struct Outcome: Equatable, Sendable {
  /// One figure a round, in the benchmark's quantity.
  public var samples: [Double] = []

  /// The process's processor time of one operation in each round; empty where that was not measured.
  public var processorSamples: [Double] = []

  /// Why the machine could not do it; nil if it could.
  public var unsupported: String?

  /// Creates an outcome.
  public init(samples: [Double] = [], processorSamples: [Double] = [], unsupported: String? = nil) {
    self.samples = samples
    self.processorSamples = processorSamples
    self.unsupported = unsupported
  }
}

/// Runs benchmarks in turns: A B C, A B C, A B C.
///
/// Whatever drifts while it runs then falls on all of them alike, and figures of one run can be compared.
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
  public func run(
    _ benchmarks: [Benchmark], progress: (_ round: Int, _ index: Int) -> Void = { _, _ in }
  ) throws -> [Outcome] {
    var outcomes = Array(repeating: Outcome(), count: benchmarks.count)
    for round in 0..<count {
      for (index, benchmark) in benchmarks.enumerated()
      where outcomes[index].unsupported == nil && round < benchmark.roundCountMax ?? count {
        progress(round, index)
        do {
          let sample = try benchmark.run()
          outcomes[index].samples.append(sample.value(as: benchmark.quantity))
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
}
