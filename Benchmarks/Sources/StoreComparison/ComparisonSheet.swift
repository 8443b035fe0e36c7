package import BenchmarkHarness
internal import Foundation

/// Contenders that do the same things with the same data, in turns with one another.
///
/// In each round each contender goes through the whole life of a store before the next begins: what one does in the
/// background is over then.
package struct ComparisonSheet {
  private let data: DataSet
  private let workloads: [Workload]
  private let contenders: [Contender]
  private let sampleCountMax: Int
  private let secondsMax: Double
  private let roundCountMax: Int?
  private let directory: String
  private let program: String
  private let heading: String

  /// A sheet about some data; `sampleCountMax` is how many calls a sample has at most, loads excepted,
  /// `secondsMax` how long a loop of single writes goes on, and `roundCountMax` for how many rounds what takes long is
  /// done.
  package init(
    _ heading: String, _ data: DataSet, _ workloads: [Workload], contenders: [Contender], sampleCountMax: Int,
    secondsMax: Double = 4, roundCountMax: Int? = nil, directory: String, program: String
  ) {
    self.heading = heading
    self.data = data
    self.workloads = workloads
    self.contenders = contenders
    self.sampleCountMax = sampleCountMax
    self.secondsMax = secondsMax
    self.roundCountMax = roundCountMax
    self.directory = directory
    self.program = program
  }

  /// A row for each workload and contender, grouped by workload.
  package var section: Section {
    let sessions = contenders.map { contender in
      SessionOfRound(
        StoreSession(
          contender: contender, data: data, workloads: workloads, sampleCountMax: sampleCountMax,
          secondsMax: secondsMax, folder: "\(directory)/\(data.identifier)-\(contender.identifier)",
          program: program))
    }
    let groups = workloads.map { workload in
      BenchmarkGroup(
        "\(workload.title) (\(heading))", zip(contenders, sessions).map { row(workload, $0, $1) })
    }
    return Section(groups)
  }

  /// What the row of a workload and a contender is called.
  package func identifier(_ workload: Workload, _ contender: Contender) -> String {
    "\(data.identifier)-\(workload.identifier)-\(contender.identifier)"
  }

  private func row(_ workload: Workload, _ contender: Contender, _ session: SessionOfRound) -> Benchmark {
    Benchmark(
      identifier(workload, contender), name: contender.name, meaning: "", method: workload.method,
      quantity: workload.quantity, roundCountMax: roundCountMax ?? workload.roundCountMax
    ) {
      try session.sample(of: workload)
    }
  }
}

extension Contender {
  /// The name for machines.
  package var identifier: String {
    note.identifier
  }
}

/// What one contender's session of the present round has found, each sample given away once: who asks for one that was
/// given has begun the next round.
private final class SessionOfRound {
  private let session: StoreSession
  private var outcomes: StoreSession.Outcomes = [:]

  init(_ session: StoreSession) {
    self.session = session
  }

  func sample(of workload: Workload) throws -> Sample {
    if outcomes[workload] == nil { outcomes = try session.outcomes() }
    guard let outcome = outcomes.removeValue(forKey: workload) else {
      throw Unsupported("it was not measured")
    }
    return try outcome.get()
  }
}
