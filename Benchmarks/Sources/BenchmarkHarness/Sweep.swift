public import Foundation

/// What a sweep found: what each variant of each engine took to do the same things.
public struct Sweep: Codable, Equatable, Sendable {
  /// When the sweep began.
  public var date: Date

  /// What it ran on.
  public var machine: Machine

  /// How often each figure was measured.
  public var roundCount: Int

  /// Whether this was a short run whose figures mean little.
  public var isQuick: Bool

  /// What was swept.
  public var engines: [Engine]

  /// An engine and its variants.
  public struct Engine: Codable, Equatable, Sendable {
    /// What it is called where it is compared.
    public var name: String

    /// What was done, a title each.
    public var workloads: [String]

    /// All its variants.
    public var variants: [Variant]

    /// An engine whose variants have done these things.
    public init(name: String, workloads: [String], variants: [Variant]) {
      self.name = name
      self.workloads = workloads
      self.variants = variants
    }
  }

  /// A variant of an engine.
  public struct Variant: Codable, Equatable, Sendable {
    /// What tells it from the others.
    public var name: String

    /// What each workload took, nanoseconds an operation, the median of the rounds; nil where it could not do it.
    public var figures: [Double?]

    /// A variant that took so long.
    public init(name: String, figures: [Double?]) {
      self.name = name
      self.figures = figures
    }
  }

  /// Collects what came of a sweep.
  public init(date: Date, machine: Machine, roundCount: Int, isQuick: Bool, engines: [Engine]) {
    self.date = date
    self.machine = machine
    self.roundCount = roundCount
    self.isQuick = isQuick
    self.engines = engines
  }

  /// Reads what ``json()`` has written.
  public init(json: Data) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(Sweep.self, from: json)
  }

  /// All of it as JSON.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(self)
  }

  /// What an engine's variants took.
  public func engine(_ name: String) -> Engine? { engines.first { $0.name == name } }
}

extension Sweep.Engine {
  /// Puts together what one section measured: a group for each workload, a row for each variant.
  public init(name: String, groups: [Report.Group]) {
    self.name = name
    workloads = groups.map { String($0.title.prefix { $0 != "(" }).trimmed }
    variants = (groups.first?.rows ?? []).enumerated().map { number, row in
      Sweep.Variant(name: row.name, figures: groups.map { $0.rows[number].statistics?.median })
    }
  }

  /// The variant that is quickest in all workloads together; nil if none did everything.
  ///
  /// It has the least sum of logarithms, so that a tenth less counts as much in a quick workload as in a slow one.
  public var best: Sweep.Variant? {
    variants.min { $0.cost < $1.cost }.flatMap { $0.cost.isFinite ? $0 : nil }
  }

  /// The variant that is the quickest in one workload.
  public func best(at workload: Int) -> Sweep.Variant? {
    variants.filter { $0.figures[workload] != nil }
      .min { $0.figures[workload] ?? .infinity < $1.figures[workload] ?? .infinity }
  }
}

extension Sweep.Variant {
  fileprivate var cost: Double { figures.reduce(0) { $0 + ($1.map(log) ?? .infinity) } }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

extension Sweep {
  /// The sweep as text for a terminal: each engine's variants, the best of all marked, and the best of each workload.
  public var text: String {
    engines.map(Sweep.text(of:)).joined(separator: "\n")
  }

  /// The same of one engine.
  public static func text(of engine: Engine) -> String { engine.text }
}

extension Sweep.Engine {
  fileprivate var text: String {
    let best = best
    let width = variants.map(\.name.count).max() ?? 0
    let lines = variants.map { variant in
      let cells = variant.figures.map { ($0.map(Quantity.time.text) ?? "-").padded(to: 10, onLeft: true) }
      let mark = variant == best ? "  the best" : ""
      return "  \(variant.name.padded(to: width))  \(cells.joined(separator: "  "))\(mark)"
    }
    let bests = workloads.indices.map { "  \(workloads[$0]): \(self.best(at: $0)?.name ?? "none")" }
    let all = ["\(name): \(workloads.joined(separator: "; "))"] + lines + ["  Best by workload:"] + bests
    return all.map { $0 + "\n" }.joined()
  }
}
