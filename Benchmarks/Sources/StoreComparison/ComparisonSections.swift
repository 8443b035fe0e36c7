package import BenchmarkHarness

/// How much the stores that are compared hold and do.
package struct ComparisonScale: Sendable {
  /// How many keys there are with values of 100 bytes; other values are fewer.
  package var keyCount: Int

  /// How many calls a piece of a sample has at most.
  package var sampleCountMax: Int

  /// How many calls a piece of a sample has that wait for the disk.
  package var syncedCount: Int

  /// How many calls a sample has that read from the disk.
  package var limitedCount: Int

  /// How long loops go on.
  package var timing: Timing

  /// In how many rounds what takes minutes is measured at most.
  package var slowRoundCount: Int

  /// A run whose figures are kept.
  package static let full = ComparisonScale(
    keyCount: 1_000_000, sampleCountMax: 50_000, syncedCount: 320, limitedCount: 4_000, timing: .full,
    slowRoundCount: 3)

  /// A run of some minutes.
  package static let short = ComparisonScale(
    keyCount: 1_000_000, sampleCountMax: 50_000, syncedCount: 320, limitedCount: 4_000, timing: .short,
    slowRoundCount: 1)

  /// A run of a few seconds that only proves that everything works.
  package static let quick = ComparisonScale(
    keyCount: 10_000, sampleCountMax: 2_000, syncedCount: 32, limitedCount: 500, timing: .quick,
    slowRoundCount: 1)
}

/// Stores of all kinds, all put to the same test.
package struct ComparisonSections {
  private static let groupSize = 16
  /// Steps a second that every engine keeps up with, and that only quick ones do.
  private static let rates = [20_000, 200_000]
  /// For how many passes of overwriting keys are chosen before the same ones come again.
  private static let drawCount = 4

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
    if part == .steady { section.groups.append(MachineRow.group) }
    section.comparisons = ComparisonTargets(contenders).comparisons(part)
    return section
  }

  private func rows(_ part: Options.Part) -> Section {
    switch part {
    case .stores: return sheet("100 B", hundred, Life.short).section
    case .steady: return sheet("100 B", hundred, Life.steady).section
    case .threads: return sheet("100 B", hundred, [.threads]).section
    case .processor: return sheet("100 B", hundred, Life.onOneProcessor).section
    case .latency: return sheet("100 B", hundred, ComparisonSections.rates.map(Life.latency)).section
    case .sizes:
      let sizes = DataSet(
        "sizes", keyCount: scale.keyCount / 5, sizes: ValueSizes(), drawCount: ComparisonSections.drawCount)
      let skewed = sheet("100 B", hundred, [Life([.mixed(.ycsbA)], isSlow: true)])
      return joined([
        skewed, sheet("16 B to 4 KiB", sizes, [Life([.load, .size, .retrieve]), slow(.overwriting)]),
      ])
    case .ycsb:
      let data = DataSet(
        "1k", keyCount: scale.keyCount / 10, valueByteCount: 1 << 10, drawCount: ComparisonSections.drawCount)
      return sheet(
        "1 KiB", data,
        [Life([.load, .iterate, .retrieve, .inPlace, .mixed(.ycsbC)]), slow(.overwriting)]
          + [MixedLoad.ycsbA, .ycsbB, .ycsbD, .ycsbF].map { Life([.mixed($0)], isSlow: true) }
      ).section
    case .large:
      let middling = DataSet(
        "16k", keyCount: scale.keyCount / 200, valueByteCount: 16 << 10,
        drawCount: ComparisonSections.drawCount)
      let large = DataSet(
        "1m", keyCount: max(scale.keyCount / 10_000, 4), valueByteCount: 1 << 20,
        drawCount: ComparisonSections.drawCount)
      return joined(
        [("16 KiB", middling), ("1 MiB", large)].map { name, data in
          sheet(name, data, [Life([.load, .retrieve, .inPlace]), slow(.overwriting)])
        })
    case .json:
      return sheet(
        "JSON", DataSet("json", jsonCount: scale.keyCount / 10), [Life([.load, .retrieve, .compactedSize])]
      ).section
    case .memory:
      return sheet(
        "100 B", DataSet("memory", keyCount: scale.keyCount, valueByteCount: 100),
        [Life([.memory, .openAfterKill], isSlow: true)]
      ).section
    case .limited:
      return sheet(
        "1 KiB", DataSet("limited", keyCount: max(scale.keyCount * 2 / 5, 4096), valueByteCount: 1 << 10),
        [Life([.limited], isSlow: true)], sampleCountMax: scale.limitedCount
      ).section
    case .waiting:
      let data = DataSet("synced", keyCount: max(scale.keyCount / 100, 64), valueByteCount: 100)
      return sheet(
        "100 B", data,
        [1, ComparisonSections.groupSize].map { Life([.synced(threadCount: $0)], threadCount: $0) },
        sampleCountMax: scale.syncedCount
      ).section
    case .keys:
      return joined(
        [1000, 100, 10].map { divisor in
          let data = DataSet(
            "keys-\(scale.keyCount / divisor)", keyCount: scale.keyCount / divisor, valueByteCount: 100)
          return sheet("\(countText(data.keyCount)) keys", data, [Life([.load, .retrieve])])
        })
    case .manyKeys:
      let data = DataSet(
        "keys-\(scale.keyCount * 10)", keyCount: scale.keyCount * 10, valueByteCount: 100, hasOthers: false)
      return sheet("\(countText(data.keyCount)) keys", data, [Life([.fill, .retrieve, .open], isSlow: true)])
        .section
    default: preconditionFailure("it compares nothing")
    }
  }

  private var hundred: DataSet {
    DataSet("100", keyCount: scale.keyCount, valueByteCount: 100, drawCount: ComparisonSections.drawCount)
  }

  private func slow(_ life: Life) -> Life {
    var life = life
    life.isSlow = true
    return life
  }

  private func sheet(
    _ heading: String, _ data: DataSet, _ lives: [Life], sampleCountMax: Int? = nil
  ) -> ComparisonSheet {
    ComparisonSheet(
      heading, data, lives, contenders: contenders, sampleCountMax: sampleCountMax ?? scale.sampleCountMax,
      timing: scale.timing, roundCountMax: scale.slowRoundCount, directory: directory, program: program)
  }

  private func joined(_ sheets: [ComparisonSheet]) -> Section {
    let sections = sheets.map(\.section)
    return Section(sections.flatMap(\.groups), sections.flatMap(\.comparisons), isRotated: true)
  }
}
