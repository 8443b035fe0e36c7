/// What a command takes and does, in words: parsing, help and completions are all made of it.
struct CommandDeclaration: Sendable {
  let name: String
  /// What it does, as the rest of a sentence that begins with the command.
  let summary: String
  /// What a user should know who has not used it before.
  let discussion: String
  let operands: [OperandDeclaration]
  let options: [OptionDeclaration]
  let examples: [Example]

  /// Something to type, and what it does.
  struct Example: Sendable {
    let line: String
    let meaning: String

    init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  init(
    _ name: String, _ summary: String, discussion: String, operands: [OperandDeclaration] = [],
    options: [OptionDeclaration] = [], examples: [Example]
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.operands = operands
    self.options = options
    self.examples = examples
  }

  /// How it is called, in one line.
  var usage: String {
    (["sediment \(name)"] + (options.isEmpty ? [] : ["[OPTIONS]"]) + operands.map(\.usage))
      .joined(separator: " ")
  }
}

/// An argument that is told by its place.
struct OperandDeclaration: Sendable {
  let name: String
  let help: String
  var count = Count.one
  var completion = Completion.none

  /// How many arguments it takes.
  enum Count: Sendable {
    case one
    case optional
    case oneOrMore
    case any
  }

  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
    case .oneOrMore: "\(name)..."
    case .any: "[\(name)...]"
    }
  }
}

/// An argument that is told by its name.
struct OptionDeclaration: Sendable, Hashable {
  /// The name without its two dashes.
  let name: String
  /// The letter that may be used for it with one dash.
  var letter: Character?
  /// What its value is called; nil if it takes none.
  var value: String?
  let help: String
  var completion = Completion.none

  static func == (one: OptionDeclaration, other: OptionDeclaration) -> Bool { one.name == other.name }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// How it is written, as help shows it.
  var usage: String {
    let letter = letter.map { "-\($0), " } ?? "    "
    return "\(letter)--\(name)" + (value.map { " \($0)" } ?? "")
  }
}

/// What a shell offers for an argument.
enum Completion: Sendable, Hashable {
  case none
  case file
  case words([String])
}
