import Foundation
import SedimentTesting
import Synchronization

/// A part of the crash suite: it puts the engine to the test in one way, case by case.
protocol Layer: Sendable {
  /// How it is called on the command line.
  var name: String { get }
  /// What it does, in a few words, for the table.
  var title: String { get }
  /// What it counts.
  var unit: String { get }

  /// Tries cases until the campaign says that it is enough.
  func run(_ campaign: inout Campaign) -> LayerResult

  /// Tries one case again.
  func replay(_ seed: UInt64) -> LayerResult
}

extension Layer {
  /// How a finding is seen again.
  func command(for finding: SeededFinding) -> String { "Tests/run --case \(name):\(finding.seed)" }

  /// Counts what a case came to, and prints at once what it found, since a long run may be stopped before its end.
  func note(_ result: LayerResult, in campaign: inout Campaign) {
    campaign.add(result)
    for finding in result.findings { print("  \(finding)\n  again: \(command(for: finding))") }
    fflush(nil)
  }
}

/// A layer each of whose cases follows from a seed.
protocol SeededLayer: Layer {
  /// How many cases there are in a short run and at least in a long one.
  var caseCount: (short: Int, long: Int) { get }
  /// Whether cases may run side by side: if none has threads or processes of its own.
  var isParallel: Bool { get }
}

extension SeededLayer {
  var isParallel: Bool { true }

  func run(_ campaign: inout Campaign) -> LayerResult {
    let progress = Mutex((campaign: campaign, result: LayerResult()))
    let workerCount = isParallel ? ProcessInfo.processInfo.activeProcessorCount : 1
    SuiteThreads.run(
      (0..<min(workerCount, RunningCases.countMax)).map { worker in
        { work(as: worker, progress) }
      })
    return progress.withLock {
      campaign = $0.campaign
      return $0.result
    }
  }

  private func work(as worker: Int, _ progress: borrowing Mutex<(campaign: Campaign, result: LayerResult)>) {
    while true {
      let seed = progress.withLock { progress -> UInt64? in
        // What is wrong once is mostly wrong everywhere.
        let countMax = progress.campaign.endsWithFinding ? 1 : 20
        if progress.result.findings.count >= countMax || progress.result.skipped != nil { return nil }
        return progress.campaign.nextSeed(of: caseCount)
      }
      guard let seed else { return }
      RunningCases.begin(name, seed, worker)
      let result = replay(seed)
      RunningCases.end(worker)
      progress.withLock {
        $0.result.add(result)
        note(result, in: &$0.campaign)
      }
    }
  }
}

/// What a layer came to.
struct LayerResult: Sendable {
  /// How many of its unit were tried.
  var count = 0
  /// How many cases.
  var caseCount = 0
  var findings: [SeededFinding] = []
  /// Why it could not be tried on this machine; nil if it could.
  var skipped: String?

  mutating func add(_ other: LayerResult) {
    count += other.count
    caseCount += other.caseCount
    findings += other.findings
    skipped = skipped ?? other.skipped
  }
}

/// Something that was not as it should be, with the seed of the case that shows it.
struct SeededFinding: Sendable, CustomStringConvertible {
  var seed: UInt64
  var finding: CrashFinding

  var description: String { finding.description }
}
