/// What a figure counts.
public enum Quantity: String, Codable, Sendable {
  /// Nanoseconds an operation: less is better.
  case time = "ns"

  /// Bytes a nanosecond, which are gigabytes a second: more is better.
  case bandwidth = "GB/s"
}

/// What one run of a benchmark found.
public struct Sample: Equatable, Sendable {
  /// How long the timed part took.
  public var nanoseconds: UInt64

  /// How many operations, or bytes where bandwidth is measured, the timed part was about.
  public var amount: Int

  /// Creates a sample.
  public init(nanoseconds: UInt64, amount: Int) {
    self.nanoseconds = nanoseconds
    self.amount = amount
  }

  /// The figure: nanoseconds an operation, or bytes a nanosecond.
  public func value(as quantity: Quantity) -> Double {
    switch quantity {
    case .time: Double(nanoseconds) / Double(amount)
    case .bandwidth: Double(amount) / Double(nanoseconds)
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

  /// Runs it once: prepares, times its own loop, cleans up.
  ///
  /// It throws ``Unsupported`` where the machine cannot do it at all.
  public var run: () throws -> Sample

  /// Creates a benchmark.
  public init(
    _ identifier: String, name: String, meaning: String, method: String, quantity: Quantity = .time,
    run: @escaping () throws -> Sample
  ) {
    self.identifier = identifier
    self.name = name
    self.meaning = meaning
    self.method = method
    self.quantity = quantity
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
