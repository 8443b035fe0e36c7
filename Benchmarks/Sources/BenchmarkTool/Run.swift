internal import BenchmarkHarness
internal import EngineBenchmarks
internal import Foundation
internal import MachineLimits
internal import ShallowsBenchmarks
internal import StoreComparison
internal import VellumBenchmarks

#if PEERS
  internal import PeerStores
#endif

/// Measures what was asked for, prints the tables, and writes the reports and the charts' data.
struct Run {
  private let options: Options
  private let machine: Machine
  private let scale: Scale
  private let date = Date()

  init(_ options: Options) {
    self.options = options
    machine = Machine.current(
      directory: options.directory,
      swiftVersion: ProcessInfo.processInfo.environment["BENCHMARK_SWIFT_VERSION"])
    scale = options.isQuick ? Scale.quick : Scale.full(memoryByteCount: machine.memoryByteCount)
  }

  /// Measures the machine, then the engine, then the storages above it, each with a report of its own.
  func measure() throws {
    let engine = options.parts.filter(Options.Part.engine.contains)
    print(emptyReport.heading)
    if options.parts.contains(.machine) { try present(report([.machine]), "machine") }
    if !engine.isEmpty { try present(report(engine), "engine") }
    let comparison = options.parts.filter(Options.Part.comparison.contains)
    if !comparison.isEmpty { try presentComparison(comparison) }
    let storages = options.parts.filter(Options.Part.storages.contains)
    if !storages.isEmpty { try present(report(storages), "storages") }
  }

  private func presentComparison(_ parts: [Options.Part]) throws {
    var report = try report(parts)
    report.contenders = Run.contenders.map(\.note)
    try present(report, "comparison")
    try ComparisonCharts(report, keyCount: comparisonScale.keyCount).write(to: options.output)
  }

  private var comparisonScale: ComparisonScale { options.isQuick ? .quick : .full }

  private func present(_ report: Report, _ name: String) throws {
    print("\n" + Table(report).text)
    if !report.comparisons.isEmpty { print(ComparisonTable(report).text) }
    try report.write(to: options.output, name: name)
  }

  /// Measures some parts, one behind the other: the tables and files of one are gone before the next begins.
  private func report(_ parts: [Options.Part]) throws -> Report {
    var report = emptyReport
    for part in parts {
      Progress(roundCount: 0, names: []).preparing("preparing \(part.rawValue)")
      let section = try section(part)
      let names = section.groups.flatMap(\.benchmarks).map(\.name)
      let progress = Progress(roundCount: options.roundCount * section.roundFactor, names: names)
      let measured = try section.measured(roundCount: options.roundCount, progress: progress.measuring)
      progress.finished()
      report.groups += measured.groups
      report.comparisons += measured.comparisons
    }
    return report
  }

  static var contenders: [Contender] {
    #if PEERS
      Contender.ownStores + peers
    #else
      Contender.ownStores
    #endif
  }

  private var emptyReport: Report {
    Report(groups: [], machine: machine, date: date, roundCount: options.roundCount, isQuick: options.isQuick)
  }

  private func section(_ part: Options.Part) throws -> Section {
    if part == .machine {
      return Section(try MachineLimits(scale: scale, directory: options.directory).groups)
    }
    if Options.Part.comparison.contains(part) {
      return ComparisonSections(
        comparisonScale, contenders: Run.contenders, directory: options.directory,
        program: CommandLine.arguments[0]
      ).section(part)
    }
    if part == .shallows {
      let callCount = options.isQuick ? 20_000 : 400_000
      return try ShallowsBenchmarks(callCount: callCount, directory: options.directory).section()
    }
    if part == .vellum {
      return try VellumBenchmarks(
        archiveCount: options.isQuick ? 5_000 : 100_000, directory: options.directory
      ).section
    }
    let engineScale = options.isQuick ? EngineScale.quick : .full(scale)
    return try EngineBenchmarks(
      engineScale, directory: options.directory, memoryDirectory: options.memoryDirectory,
      program: CommandLine.arguments[0]
    ).section(part)
  }
}
