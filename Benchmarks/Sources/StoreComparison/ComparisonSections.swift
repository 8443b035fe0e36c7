package import BenchmarkHarness

/// How much the stores that are compared hold and do.
package struct ComparisonScale: Sendable {
  /// How many keys there are with values of 100 bytes; other values are fewer.
  package var keyCount: Int

  /// How many calls a sample has at most.
  package var sampleCountMax: Int

  /// How many calls a sample has at most with values of 1 KiB, of which the mixed loads take the slowest store long.
  package var mixedCount: Int

  /// How many calls a sample has that wait for the disk.
  package var syncedCount: Int

  /// How many calls a sample has that read from the disk.
  package var limitedCount: Int

  /// How many seconds a loop of single writes goes on at most.
  package var secondsMax: Double

  /// A run whose figures mean something.
  package static let full = ComparisonScale(
    keyCount: 1_000_000, sampleCountMax: 50_000, mixedCount: 30_000, syncedCount: 320, limitedCount: 4_000,
    secondsMax: 4)

  /// A run of a few seconds that only proves that everything works.
  package static let quick = ComparisonScale(
    keyCount: 10_000, sampleCountMax: 2_000, mixedCount: 1_000, syncedCount: 32, limitedCount: 500,
    secondsMax: 0.2)
}

/// Stores of all kinds, all put to the same test.
package struct ComparisonSections {
  private static let groupSize = 16
  private static let syncedRoundFactor = 4

  private let scale: ComparisonScale
  private let contenders: [Contender]
  private let directory: String
  private let program: String

  /// Nothing is prepared yet; the contenders' files will lie in `directory`.
  ///
  /// `program` is the path of an executable that does what a ``HeldStore`` says when its arguments do.
  package init(_ scale: ComparisonScale, contenders: [Contender], directory: String, program: String) {
    self.scale = scale
    self.contenders = contenders
    self.directory = directory
    self.program = program
  }

  /// Prepares a part.
  package func section(_ part: Options.Part) -> Section {
    var section = rows(part)
    if part == .stores { section.groups.append(MachineRow.group) }
    section.comparisons = ComparisonTargets(contenders).comparisons(part)
    // A disk is quicker in one moment than in the next: short samples in many turns even that out.
    if part == .waiting { section.roundFactor = ComparisonSections.syncedRoundFactor }
    return section
  }

  private func rows(_ part: Options.Part) -> Section {
    switch part {
    case .stores:
      return sheet(
        "100 B", DataSet("100", keyCount: scale.keyCount, valueByteCount: 100, overwriteCount: 3),
        Workload.ofAnyStore
      ).section
    case .ycsb:
      return sheet(
        "1 KiB", DataSet("1k", keyCount: scale.keyCount / 10, valueByteCount: 1 << 10, overwriteCount: 1),
        [.load, .iterate, .retrieve, .inPlace, .overwrite] + MixedLoad.ycsb.map(Workload.mixed),
        sampleCountMax: scale.mixedCount
      ).section
    case .large:
      let middling = DataSet(
        "16k", keyCount: scale.keyCount / 200, valueByteCount: 16 << 10, overwriteCount: 1)
      let large = DataSet(
        "1m", keyCount: max(scale.keyCount / 10_000, 4), valueByteCount: 1 << 20, overwriteCount: 1)
      return joined(
        [("16 KiB", middling), ("1 MiB", large)].map { name, data in
          sheet(name, data, [.load, .retrieve, .inPlace, .overwrite])
        })
    case .json:
      return sheet(
        "JSON", DataSet("json", jsonCount: scale.keyCount / 10), [.load, .retrieve, .compactedSize]
      ).section
    case .memory:
      return sheet(
        "100 B", DataSet("memory", keyCount: scale.keyCount, valueByteCount: 100), [.memory, .openAfterKill]
      ).section
    case .limited:
      return sheet(
        "1 KiB", DataSet("limited", keyCount: max(scale.keyCount * 2 / 5, 4096), valueByteCount: 1 << 10),
        [.fill, .limited], sampleCountMax: scale.limitedCount
      ).section
    case .waiting:
      return sheet(
        "100 B", DataSet("synced", keyCount: max(scale.keyCount / 100, 64), valueByteCount: 100),
        [.fill, .synced(threadCount: 1), .synced(threadCount: ComparisonSections.groupSize)],
        sampleCountMax: scale.syncedCount
      ).section
    case .keys:
      return joined(
        [1000, 100, 10].map { divisor in
          let data = DataSet(
            "keys-\(scale.keyCount / divisor)", keyCount: scale.keyCount / divisor, valueByteCount: 100)
          return sheet("\(countText(data.keyCount)) keys", data, [.load, .retrieve])
        })
    case .manyKeys:
      let data = DataSet(
        "keys-\(scale.keyCount * 10)", keyCount: scale.keyCount * 10, valueByteCount: 100,
        hasOthers: false)
      return sheet("\(countText(data.keyCount)) keys", data, [.fill, .retrieve, .open], roundCountMax: 1)
        .section
    default: preconditionFailure("it compares nothing")
    }
  }

  private func sheet(
    _ heading: String, _ data: DataSet, _ workloads: [Workload], sampleCountMax: Int? = nil,
    roundCountMax: Int? = nil
  ) -> ComparisonSheet {
    ComparisonSheet(
      heading, data, workloads, contenders: contenders,
      sampleCountMax: sampleCountMax ?? scale.sampleCountMax, secondsMax: scale.secondsMax,
      roundCountMax: roundCountMax,
      directory: directory, program: program)
  }

  private func joined(_ sheets: [ComparisonSheet]) -> Section {
    let sections = sheets.map(\.section)
    return Section(sections.flatMap(\.groups), sections.flatMap(\.comparisons))
  }
}
