internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

do {
  try measure(Options(Array(CommandLine.arguments.dropFirst())))
} catch let error as UsageError {
  complain("\(error); 'Benchmarks/run --help' lists the options")
  exit(2)
} catch {
  complain("\(error)")
  exit(1)
}

/// Measures, prints the table, and writes the report and the charts' data into the folder for results.
func measure(_ options: Options) throws {
  let machine = Machine.current(
    directory: options.directory,
    swiftVersion: ProcessInfo.processInfo.environment["BENCHMARK_SWIFT_VERSION"])
  let scale = options.isQuick ? Scale.quick : Scale.full(memoryByteCount: machine.memoryByteCount)
  let date = Date()
  let limits = try prepare(scale, options)
  let benchmarks = limits.groups.flatMap(\.benchmarks)
  let progress = Progress(roundCount: options.roundCount, names: benchmarks.map(\.name))
  let outcomes = try Rounds(count: options.roundCount).run(benchmarks, progress: progress.measuring)
  progress.finished()
  let report = Report(
    groups: limits.groups, outcomes: outcomes, machine: machine, date: date, roundCount: options.roundCount,
    isQuick: options.isQuick)
  print(report.heading + "\n\n" + Table(report).text)
  try report.write(to: options.output)
}

func prepare(_ scale: Scale, _ options: Options) throws -> MachineLimits {
  let progress = Progress(roundCount: options.roundCount, names: [])
  progress.preparing("preparing tables and files")
  return try MachineLimits(scale: scale, directory: options.directory)
}

func complain(_ message: String) {
  FileHandle.standardError.write(Data("Benchmarks/run: \(message)\n".utf8))
}
