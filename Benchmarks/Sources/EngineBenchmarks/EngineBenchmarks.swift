package import BenchmarkHarness

/// What the storage engine makes of the machine.
package struct EngineBenchmarks {
  private let scale: EngineScale
  private let directory: String
  private let memoryDirectory: String?
  private let program: String

  /// Nothing is prepared yet; data files will lie in `directory`, and some in `memoryDirectory`, which should have no
  /// disk under it.
  ///
  /// `program` is the path of an executable that does a ``ChildTask`` when its arguments say so.
  package init(_ scale: EngineScale, directory: String, memoryDirectory: String?, program: String) {
    self.scale = scale
    self.directory = directory
    self.memoryDirectory = memoryDirectory
    self.program = program
  }

  /// Prepares a part; its tables and files go when the last of its benchmarks goes.
  package func section(_ part: Options.Part) throws -> Section {
    switch part {
    case .load100: try LoadingRows(scale, valueByteCount: 100, directory: directory).section
    case .load1000: try LoadingRows(scale, valueByteCount: 1000, directory: directory).section
    case .read100:
      try joined([
        ReadingRows(scale, valueByteCount: 100, directory: directory).section,
        HeapKeyRows(scale, directory: directory).section,
      ]) { $0 }
    case .read1000: try ReadingRows(scale, valueByteCount: 1000, directory: directory).section
    case .synced:
      try joined([100, 1000]) { try SyncedRows(scale, valueByteCount: $0, directory: directory).section }
    case .reopening:
      joined([100, 1000]) {
        ReopeningRows(scale, valueByteCount: $0, directory: directory, program: program).section
      }
    case .small: try SmallRows(scale, directory: directory, program: program).section
    case .growth: GrowthRows(scale, directory: directory, memoryDirectory: memoryDirectory).section
    case .space: try SpaceRows(scale, directory: directory).section
    case .spending: SpendingRows(scale, directory: directory).section
    case .copying: try CopyRows(scale, directory: directory).section
    case .interfaces: InterfaceRows(scale, directory: directory).section
    case .compression:
      try joined(ValueKind.allCases) { try CompressionRows(scale, kind: $0, directory: directory).section }
    case .machine, .stores, .steady, .threads, .processor, .latency, .sizes, .ycsb, .large, .json, .memory,
      .waiting, .keys, .manyKeys, .limited, .hour, .shallows, .vellum:
      preconditionFailure("it is not about the engine")
    }
  }

  /// The rows of all sizes or kinds of values, in turns with one another.
  private func joined<Kind>(
    _ kinds: [Kind], _ section: (Kind) throws -> Section
  ) rethrows -> Section {
    let sections = try kinds.map(section)
    return Section(
      sections.flatMap(\.groups), sections.flatMap(\.comparisons),
      roundFactor: sections.map(\.roundFactor).max() ?? 1)
  }
}
