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
    if options.parts.contains(.hour) { try endure() }
  }

  /// Has each contender overwrite for an hour, a minute, or hardly a moment.
  private func endure() throws {
    let seconds = options.isQuick ? 0.2 : options.isFull ? 3600 : 60.0
    let run = EnduranceRun(
      contenders,
      data: DataSet("hour", keyCount: comparisonScale.keyCount, valueByteCount: 100, drawCount: 4),
      seconds: seconds, secondsBetweenLooks: seconds / 360, directory: options.directory)
    let series = try run.series { name in
      Progress(roundCount: 0, names: []).preparing("overwriting for \(seconds) s: \(name)")
    }
    try Endurance(date: date, machine: machine, isQuick: options.isQuick, series: series).write(
      to: options.output)
  }

  private func presentComparison(_ parts: [Options.Part]) throws {
    var all = emptyReport
    all.contenders = contenders.map(\.note)
    let results = PartResults(output: options.output, program: CommandLine.arguments[0])
    for part in parts {
      var measured = options.isResumed ? results.report(of: part, like: all) : nil
      if measured == nil {
        var report = try report([part])
        report.contenders = all.contenders
        try results.keep(report, of: part)
        measured = report
      }
      all.groups += measured?.groups ?? []
      // Targets are those of the store of this package beside all others.
      if options.contenders.isEmpty { all.comparisons += measured?.comparisons ?? [] }
    }
    let report = all
    try present(report, "comparison")
    try ComparisonCharts(report, keyCount: comparisonScale.keyCount).write(to: options.output)
  }

  private var comparisonScale: ComparisonScale {
    options.isQuick ? .quick : options.isFull ? .full : .short
  }

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

  /// Those of all that were asked for.
  private var contenders: [Contender] {
    guard !options.contenders.isEmpty else { return Run.contenders }
    return Run.contenders.filter { options.contenders.contains($0.note.identifier) }
  }

  static var contenders: [Contender] {
    #if PEERS
      Contender.ownStores + peers
    #else
      Contender.ownStores
    #endif
  }

  private var emptyReport: Report {
    var report = Report(
      groups: [], machine: machine, date: date, roundCount: options.roundCount, isQuick: options.isQuick)
    report.isFull = options.isFull
    return report
  }

  private func section(_ part: Options.Part) throws -> Section {
    if part == .machine {
      return Section(try MachineLimits(scale: scale, directory: options.directory).groups)
    }
    if Options.Part.comparison.contains(part) {
      return ComparisonSections(
        comparisonScale, contenders: contenders, directory: options.directory,
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
