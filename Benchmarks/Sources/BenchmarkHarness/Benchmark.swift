/// What a figure counts.
public enum Quantity: String, Codable, Sendable {
  /// Nanoseconds an operation: less is better.
  case time = "ns"

  /// Bytes a nanosecond, which are gigabytes a second: more is better.
  case bandwidth = "GB/s"

  /// Bytes a key or another thing: less is better.
  case size = "B"

  /// How many times as much is done in the same time: more is better.
  case gain = "times"

  /// Of a hundred: more is better.
  case share = "%"

  /// Whether a smaller figure is the better one.
  public var isBetterSmaller: Bool { self == .time || self == .size }
}

/// What one run of a benchmark found.
public struct Sample: Equatable, Sendable {
  /// How long the timed part took in nanoseconds, or how many bytes were taken.
  public var measured: UInt64

  /// How many operations, or bytes where bandwidth is measured, that was about.
  public var amount: Int

  /// For how many nanoseconds the threads of the process had processors meanwhile, all of them together; nil where that
  /// was not measured.
  public var processor: UInt64?

  /// Why the figure is not quite what its row says; nil if it is.
  public var remark: String?

  /// Creates a sample of a time.
  public init(nanoseconds: UInt64, amount: Int, processor: UInt64? = nil) {
    measured = nanoseconds
    self.amount = amount
    self.processor = processor
  }

  /// Creates a sample of a size, taken by so many things.
  public init(byteCount: Int, amount: Int) {
    measured = UInt64(byteCount)
    self.amount = amount
  }

  /// Creates a sample of so many things out of others.
  public init(count: Int, of amount: Int) {
    measured = UInt64(count)
    self.amount = amount
  }

  /// Adds what another piece of the same work has taken.
  public static func += (sum: inout Sample, piece: Sample) {
    sum.measured += piece.measured
    sum.amount += piece.amount
    sum.processor = sum.processor.flatMap { one in piece.processor.map { one + $0 } }
  }

  /// The process's processor time of one operation, in nanoseconds; nil where it was not measured.
  public var processorValue: Double? { processor.map { Double($0) / Double(amount) } }

  /// The figure: nanoseconds an operation, bytes a nanosecond, bytes a thing.
  public func value(as quantity: Quantity) -> Double {
    switch quantity {
    case .time, .size: Double(measured) / Double(amount)
    case .bandwidth, .gain: Double(amount) / Double(measured)
    case .share: 100 * Double(measured) / Double(amount)
    }
  }
}

/// One thing to be measured, again and again, in turns with others.
public struct Benchmark {
  /// Names the figure for machines: it stays the same when the wording changes.
  public var identifier: String

  /// Names the figure for people, within its group.
  public var name: String

  /// What the figure tells, in one short phrase.
  public var meaning: String

  /// How it was done, for the report.
  public var method: String

  /// What the figure counts.
  public var quantity: Quantity

  /// Whether it is a bare loop that others are held against.
  public var isLimit: Bool

  /// In how many rounds it is measured at most; nil for all of them.
  public var roundCountMax: Int?

  /// Runs it once: prepares, times its own loop, cleans up.
  ///
  /// It throws ``Unsupported`` where the machine cannot do it at all.
  public var run: () throws -> Sample

  /// Creates a benchmark.
  public init(
    _ identifier: String, name: String, meaning: String, method: String, quantity: Quantity = .time,
    isLimit: Bool = false, roundCountMax: Int? = nil, run: @escaping () throws -> Sample
  ) {
    self.identifier = identifier
    self.name = name
    self.meaning = meaning
    self.method = method
    self.quantity = quantity
    self.isLimit = isLimit
    self.roundCountMax = roundCountMax
    self.run = run
  }
}

/// Measurements that belong under one heading.
public struct BenchmarkGroup {
  /// The heading.
  public var title: String

  /// What stands under it, in order.
  public var benchmarks: [Benchmark]

  /// Creates a group.
  public init(_ title: String, _ benchmarks: [Benchmark]) {
    self.title = title
    self.benchmarks = benchmarks
  }
}

/// Says that this machine, or this file system, cannot do what was to be measured.
public struct Unsupported: Error, Equatable {
  /// What is missing, for the report.
  public var reason: String

  /// Creates the error.
  public init(_ reason: String) {
    self.reason = reason
  }
}
