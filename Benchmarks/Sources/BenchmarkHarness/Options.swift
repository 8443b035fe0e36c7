/// What the harness was asked to do.
public struct Options: Equatable, Sendable {
  /// Whether to take only a few seconds, to prove that everything works.
  public var isQuick = false

  /// Whether loops take as long as for figures that are kept.
  public var isFull = false

  /// Whether parts of the comparison that an earlier run has ended are taken from there.
  public var isResumed = false

  /// The identifiers of the contenders that take part; empty for all.
  public var contenders: [String] = []

  /// Whether to measure all variants of the other engines instead.
  public var isSweep = false

  /// How often each figure is measured.
  public var roundCount = Options.shortRoundCount

  /// The least number of rounds of figures that are kept.
  public static let fullRoundCount = 7

  private static let shortRoundCount = 3

  /// The folder for the data files; the file system is measured that it lies in.
  public var directory = ""

  /// A folder in a file system that lies in memory; nil if there is none.
  public var memoryDirectory: String?

  /// The folder for the results.
  public var output = ""

  /// What to measure, in this order.
  public var parts = Part.newcomers

  /// What can be measured by itself.
  public enum Part: String, CaseIterable, Sendable {
    /// What the machine can do.
    case machine

    /// Loading and overwriting a store with values of 100 bytes.
    case load100 = "load-100"

    /// Reading it.
    case read100 = "read-100"

    /// Loading and overwriting a store with values of 1,000 bytes.
    case load1000 = "load-1000"

    /// Reading it.
    case read1000 = "read-1000"

    /// Sets that return when they are on the disk.
    case synced

    /// Opening a store again whose process was killed.
    case reopening

    /// What a store of ten values takes.
    case small

    /// The slowest of the sets that make a store large.
    case growth

    /// What a store takes of the disk while all of it is overwritten, and how well it serves as a cache.
    case space

    /// What sets take of the clock and of all processors.
    case spending

    /// Copying a store while it is open, and verifying its file.
    case copying

    /// Calls from C and from Python.
    case interfaces

    /// What compression costs and saves.
    case compression

    /// Stores of all kinds with values of 100 bytes: what takes no steady state.
    case stores

    /// Overwriting and mixing in a steady state.
    case steady

    /// Two threads.
    case threads

    /// What one processor does by itself.
    case processor

    /// How late steps end that are due so many a second.
    case latency

    /// Values of all lengths, and keys some of which are far more wanted than others.
    case sizes

    /// The same with values of 1 KiB and mixed loads.
    case ycsb

    /// The same with values of 16 KiB and 1 MiB.
    case large

    /// The same with JSON, which is compressed.
    case json

    /// What memory they take, and how they open when their process was killed.
    case memory

    /// The same with sets that wait for the disk.
    case waiting

    /// The same with ever more keys.
    case keys

    /// The same with ten million keys.
    case manyKeys = "many-keys"

    /// The same with less memory than the stores take.
    case limited

    /// An hour of overwriting.
    case hour

    /// What storages cost that are composed of others.
    case shallows

    /// What typed archives and their queries cost.
    case vellum

    /// What is about the storage engine.
    public static let engine = allCases.filter {
      $0 != .machine && $0 != .hour && !storages.contains($0) && !comparison.contains($0)
    }

    /// What compares stores of all kinds.
    public static let comparison: [Part] = [
      .stores, .steady, .threads, .processor, .latency, .sizes, .ycsb, .large, .json, .memory, .waiting,
      .keys,
      .manyKeys, .limited,
    ]

    /// What shows a newcomer in a few minutes what the engine does on this machine.
    public static let newcomers: [Part] =
      [.stores, .steady, .threads, .processor, .large, .json, .memory, .waiting, .keys, .load100, .read100]

    /// What is about the storages above it.
    public static let storages: [Part] = [.shallows, .vellum]

    /// Names of several parts.
    static let together = [
      "all": allCases.filter { $0 != .hour },
      "engine": engine, "comparison": comparison, "storages": storages, "100": [.load100, .read100],
      "1000": [.load1000, .read1000],
    ]
  }

  /// The greatest number of rounds that makes sense.
  public static let roundCountMax = 99

  /// Reads the arguments that follow the program's name.
  public init(_ arguments: [String]) throws(UsageError) {
    var remaining = arguments[...]
    var rounds: Int?
    while let argument = remaining.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--full": isFull = true
      case "--resume": isResumed = true
      case "--contenders":
        let names = try Options.value(of: argument, in: &remaining)
        contenders = names.split(separator: ",").map(String.init)
      case "--sweep": isSweep = true
      case "--rounds": rounds = try Options.rounds(Options.value(of: argument, in: &remaining))
      case "--only": parts = try Options.parts(Options.value(of: argument, in: &remaining))
      case "--directory": directory = try Options.value(of: argument, in: &remaining)
      case "--memory-directory": memoryDirectory = try Options.value(of: argument, in: &remaining)
      case "--output": output = try Options.value(of: argument, in: &remaining)
      default: throw UsageError("unknown option '\(argument)'")
      }
    }
    if directory.isEmpty { throw UsageError("--directory is missing") }
    if output.isEmpty { throw UsageError("--output is missing") }
    isFull = isFull && !isQuick
    roundCount = rounds ?? (isSweep ? 2 : isFull ? Options.fullRoundCount : Options.shortRoundCount)
  }

  private static func value(
    of option: String, in remaining: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = remaining.popFirst(), !value.isEmpty else {
      throw UsageError("\(option) needs a value")
    }
    return value
  }

  /// The parts with these names, which are separated by commas, in their own order and each once.
  private static func parts(_ text: String) throws(UsageError) -> [Part] {
    var chosen: Set<Part> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      if let parts = Part.together[String(name)] {
        chosen.formUnion(parts)
      } else if let part = Part(rawValue: String(name)) {
        chosen.insert(part)
      } else {
        let names = (Part.allCases.map(\.rawValue) + Part.together.keys.sorted()).joined(separator: ", ")
        throw UsageError("--only needs some of \(names), not '\(name)'")
      }
    }
    return Part.allCases.filter(chosen.contains)
  }

  private static func rounds(_ text: String) throws(UsageError) -> Int {
    guard let count = Int(text), (1...roundCountMax).contains(count) else {
      throw UsageError("--rounds needs a number from 1 to \(roundCountMax), not '\(text)'")
    }
    return count
  }
}

/// Says which option was wrong and why.
public struct UsageError: Error, Equatable, CustomStringConvertible {
  /// The message for the person who typed it.
  public var description: String

  init(_ description: String) {
    self.description = description
  }
}
