/// What the harness was asked to do.
public struct Options: Equatable, Sendable {
  /// Whether to take only a few seconds, to prove that everything works.
  public var isQuick = false

  /// How often each figure is measured.
  public var roundCount = 7

  /// The folder for the data files; the file system is measured that it lies in.
  public var directory = ""

  /// The folder for the results.
  public var output = ""

  /// What to measure.
  public var parts = Part.allCases

  /// What can be measured by itself.
  public enum Part: String, CaseIterable, Sendable {
    /// What the machine can do.
    case machine

    /// What the storage engine makes of it.
    case engine
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
      case "--rounds": rounds = try Options.rounds(Options.value(of: argument, in: &remaining))
      case "--only": parts = [try Options.part(Options.value(of: argument, in: &remaining))]
      case "--directory": directory = try Options.value(of: argument, in: &remaining)
      case "--output": output = try Options.value(of: argument, in: &remaining)
      default: throw UsageError("unknown option '\(argument)'")
      }
    }
    if directory.isEmpty { throw UsageError("--directory is missing") }
    if output.isEmpty { throw UsageError("--output is missing") }
    roundCount = rounds ?? (isQuick ? 3 : 7)
  }

  private static func value(
    of option: String, in remaining: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = remaining.popFirst(), !value.isEmpty else {
      throw UsageError("\(option) needs a value")
    }
    return value
  }

  private static func part(_ text: String) throws(UsageError) -> Part {
    guard let part = Part(rawValue: text) else {
      let names = Part.allCases.map(\.rawValue).joined(separator: " or ")
      throw UsageError("--only needs \(names), not '\(text)'")
    }
    return part
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
