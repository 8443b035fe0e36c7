package import BenchmarkHarness
internal import Foundation

/// Contenders that do the same things with the same data, in turns with one another.
///
/// In each round each contender goes through the whole life of a store before the next begins: what one does in the
/// background is over then. Each round has another order.
package struct ComparisonSheet {
  private let data: DataSet
  private let lives: [Life]
  private let contenders: [Contender]
  private let sampleCountMax: Int
  private let timing: Timing
  private let roundCountMax: Int?
  private let directory: String
  private let program: String
  private let heading: String

  /// A sheet about some data; `sampleCountMax` is how many calls a piece of a sample has at most, and `roundCountMax` for
  /// how many rounds what takes minutes is done.
  package init(
    _ heading: String, _ data: DataSet, _ lives: [Life], contenders: [Contender], sampleCountMax: Int,
    timing: Timing, roundCountMax: Int? = nil, directory: String, program: String
  ) {
    self.heading = heading
    self.data = data
    self.lives = lives
    self.contenders = contenders
    self.sampleCountMax = sampleCountMax
    self.timing = timing
    self.roundCountMax = roundCountMax
    self.directory = directory
    self.program = program
  }

  /// A row for each workload and contender, grouped by workload.
  package var section: Section { Section(lives.flatMap(groups), isRotated: true) }

  private func groups(_ life: Life) -> [BenchmarkGroup] {
    let sessions = contenders.map { contender in
      SessionOfRound(
        StoreSession(
          contender: contender, data: data, life: life, sampleCountMax: sampleCountMax, timing: timing,
          folder: "\(directory)/\(data.identifier)-\(contender.identifier)", program: program))
    }
    return life.workloads.map { workload in
      BenchmarkGroup(
        "\(workload.title)\(life.suffix) (\(heading))",
        zip(contenders, sessions).map { contender, session in
          Benchmark(
            identifier(workload, of: life, contender), name: contender.name, meaning: "",
            method: workload.method,
            quantity: workload.quantity, roundCountMax: life.isSlow ? roundCountMax : nil
          ) {
            try session.sample(of: workload)
          }
        })
    }
  }

  /// What the row of a workload and a contender is called.
  package func identifier(_ workload: Workload, of life: Life, _ contender: Contender) -> String {
    "\(data.identifier)-\(life.prefix)\(workload.identifier)-\(contender.identifier)"
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
