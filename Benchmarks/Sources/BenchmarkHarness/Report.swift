public import Foundation

/// All that one run found, as it is written for machines.
public struct Report: Codable, Equatable, Sendable {
  /// Counts up when a reader of an older report could misread this one; 2 since a run goes by the rules of
  /// `Benchmarks/README.md`.
  public var version = Report.currentVersion

  /// The version of reports that are made now.
  public static let currentVersion = 2

  /// When the run began.
  public var date: Date

  /// What it ran on.
  public var machine: Machine

  /// How often each figure was measured.
  public var roundCount: Int

  /// Whether this was the short run that only proves that everything works: its figures mean little.
  public var isQuick: Bool

  /// Whether loops and rounds were as long as the rules want for figures that are kept; absent in older reports.
  public var isFull: Bool?

  /// The figures under their headings.
  public var groups: [Group]

  /// Figures beside what they are held against.
  public var comparisons: [Comparison.Result]

  /// What was compared with one another, and how each was set up; absent where nothing was.
  public var contenders: [ContenderNote]?

  /// One of those that were compared.
  public struct ContenderNote: Codable, Equatable, Sendable {
    /// Its name, as rows have it.
    public var name: String

    /// The version that was measured.
    public var version: String

    /// How it was set up and why.
    public var settings: [String]

    /// The name of another contender that this one is once more, to show the noise; absent for all others.
    public var repeats: String?

    /// Creates a note.
    public init(name: String, version: String, settings: [String], repeats: String? = nil) {
      self.name = name
      self.version = version
      self.settings = settings
      self.repeats = repeats
    }
  }

  /// Figures that belong under one heading.
  public struct Group: Codable, Equatable, Sendable {
    /// The heading.
    public var title: String

    /// What stands under it, in order.
    public var rows: [Row]

    /// Puts together what was to be measured and what came out, in the same order.
    public init(_ group: BenchmarkGroup, _ outcomes: some Sequence<Outcome>) {
      var next = outcomes.makeIterator()
      title = group.title
      rows = group.benchmarks.map { Row($0, next.next() ?? Outcome(unsupported: "not measured")) }
    }
  }

  /// One figure.
  public struct Row: Codable, Equatable, Sendable {
    /// Names the figure for machines.
    public var identifier: String

    /// Names the figure for people, within its group.
    public var name: String

    /// What the figure tells, in one short phrase.
    public var meaning: String

    /// How it was done.
    public var method: String

    /// The unit of all numbers of this row.
    public var unit: Quantity

    /// Whether it is a bare loop that others are held against; absent in reports that have none.
    public var isLimit: Bool?

    /// The samples summarized; absent if the machine could not do it.
    public var statistics: Statistics?

    /// One figure a round, in the order of the rounds.
    public var samples: [Double]

    /// The processor time of the whole process for one operation, summarized; absent where it was not measured.
    public var processor: Statistics?

    /// The same, one figure a round; absent where it was not measured.
    public var processorSamples: [Double]?

    /// Why some samples are not quite what the row says, one text each; absent if all are.
    public var remarks: [String]?

    /// Why there are no samples; absent if there are.
    public var unsupported: String?
  }

  /// Creates the report of a run.
  public init(
    groups: [Group], comparisons: [Comparison.Result] = [], machine: Machine, date: Date, roundCount: Int,
    isQuick: Bool
  ) {
    self.groups = groups
    self.comparisons = comparisons
    self.machine = machine
    self.date = date
    self.roundCount = roundCount
    self.isQuick = isQuick
  }

  /// Reads what ``json()`` has written.
  public init(json: Data) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(Report.self, from: json)
  }

  /// The report as JSON, its keys sorted so that two reports can be compared line by line.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(self)
  }
}

extension Report.Row {
  fileprivate init(_ benchmark: Benchmark, _ outcome: Outcome) {
    identifier = benchmark.identifier
    name = benchmark.name
    meaning = benchmark.meaning
    method = benchmark.method
    unit = benchmark.quantity
    isLimit = benchmark.isLimit ? true : nil
    statistics = Statistics(outcome.samples)
    samples = outcome.samples
    processor = Statistics(outcome.processorSamples)
    processorSamples = outcome.processorSamples.isEmpty ? nil : outcome.processorSamples
    remarks = outcome.remarks.isEmpty ? nil : outcome.remarks
    unsupported = outcome.unsupported
  }
}

extension Report.ContenderNote {
  /// The name for machines, with which the identifiers of its rows end.
  public var identifier: String {
    name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
  }
}
