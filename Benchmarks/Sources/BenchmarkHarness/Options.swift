/// What the harness was asked to do.
public struct Options: Equatable, Sendable {
  /// Whether to take only a few seconds, to prove that everything works.
  public var isQuick = false

  /// Whether to measure all variants of the other engines instead.
  public var isSweep = false

  /// How often each figure is measured.
  public var roundCount = 5

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

    /// Stores of all kinds with values of 100 bytes.
    case stores

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

    /// What storages cost that are composed of others.
    case shallows

    /// What typed archives and their queries cost.
    case vellum

    /// What is about the storage engine.
    public static let engine = allCases.filter {
      $0 != .machine && !storages.contains($0) && !comparison.contains($0)
    }

    /// What compares stores of all kinds.
    public static let comparison: [Part] = [
      .stores, .ycsb, .large, .json, .memory, .waiting, .keys, .manyKeys, .limited,
    ]

    /// What shows a newcomer in a few minutes what the engine does on this machine.
    public static let newcomers =
      comparison.filter { $0 != .limited && $0 != .manyKeys } + [.load100, .read100]

    /// What is about the storages above it.
    public static let storages: [Part] = [.shallows, .vellum]

    /// Names of several parts.
    static let together = [
      "all": allCases,
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
    roundCount = rounds ?? (isSweep ? 2 : isQuick ? 3 : 5)
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
