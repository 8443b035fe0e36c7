internal import BenchmarkHarness
internal import EngineBenchmarks
internal import Foundation
internal import MachineLimits
internal import StoreComparison

do {
  let arguments = Array(CommandLine.arguments.dropFirst())
  if let task = ChildTask(arguments) {
    try task.run()
  } else if let held = HeldStore(arguments) {
    try held.run(Run.contenders)
  } else if let limited = LimitedStore(arguments) {
    try limited.run(Run.contenders)
  } else if let results = ResultTask(arguments) {
    try results.run()
  } else {
    try measure(Options(arguments))
  }
} catch let error as Unsupported {
  complain(error.reason)
  exit(1)
} catch let error as UsageError {
  complain("\(error); 'Benchmarks/run --help' lists the options")
  exit(2)
} catch {
  complain("\(error)")
  exit(1)
}

/// Measures the variants of the other engines, or what else was asked for.
func measure(_ options: Options) throws {
  guard options.isSweep else { return try Run(options).measure() }
  #if PEERS
    try SweepRun(options).measure()
  #else
    throw Unsupported("this program was built without the other engines")
  #endif
}

func complain(_ message: String) {
  FileHandle.standardError.write(Data("Benchmarks/run: \(message)\n".utf8))
}
