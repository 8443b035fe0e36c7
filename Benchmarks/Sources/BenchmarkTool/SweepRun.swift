#if PEERS
  internal import BenchmarkHarness
  internal import Foundation
  internal import PeerStores
  internal import StoreComparison

  /// Measures all variants of all peers, says which are the best, and writes that down.
  struct SweepRun {
    private static let lives = [Life([.load, .retrieve, .overwrite])]

    private let options: Options
    private let scale: ComparisonScale

    init(_ options: Options) {
      self.options = options
      scale = options.isQuick ? .quick : .short
    }

    func measure() throws {
      var sweep = Sweep(
        date: Date(),
        machine: Machine.current(
          directory: options.directory,
          swiftVersion: ProcessInfo.processInfo.environment["BENCHMARK_SWIFT_VERSION"]),
        roundCount: options.roundCount, isQuick: options.isQuick, engines: [])
      let data = DataSet("sweep", keyCount: scale.keyCount, valueByteCount: 100, drawCount: 2)
      for engine in peerVariants {
        Progress(roundCount: 0, names: []).preparing("sweeping \(engine.name)")
        let sheet = ComparisonSheet(
          engine.name, data, SweepRun.lives, contenders: engine.variants,
          sampleCountMax: scale.sampleCountMax, timing: scale.timing, directory: options.directory,
          program: CommandLine.arguments[0])
        let measured = try sheet.section.measured(roundCount: options.roundCount)
        sweep.engines.append(Sweep.Engine(name: engine.name, groups: measured.groups))
        print((sweep.engines.last.map { Sweep.text(of: $0) } ?? "") + sentence(engine, sweep))
      }
      try FileManager.default.createDirectory(atPath: options.output, withIntermediateDirectories: true)
      let file = URL(fileURLWithPath: options.output, isDirectory: true).appending(path: "sweep.json")
      try sweep.json().write(to: file, options: .atomic)
    }

    private func sentence(_ engine: SweptEngine, _ sweep: Sweep) -> String {
      guard let best = sweep.engine(engine.name)?.best else { return "  No variant did everything.\n" }
      return best.name == engine.chosen
        ? "  The comparison takes the best one.\n" : "  The comparison takes another one: \(engine.chosen)\n"
    }
  }
#endif
