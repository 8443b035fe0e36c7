/// What a command takes and does, in words: parsing, help and completions are all made of it.
struct CommandDeclaration: Sendable {
  let name: String
  /// What it does, as the rest of a sentence that begins with the command.
  let summary: String
  /// What a user should know who has not used it before.
  let discussion: String
  let operands: [OperandDeclaration]
  let options: [OptionDeclaration]
  /// What to type, and what it does.
  let examples: [(line: String, meaning: String)]

  init(
    _ name: String, _ summary: String, discussion: String, operands: [OperandDeclaration] = [],
    options: [OptionDeclaration] = [], examples: [(line: String, meaning: String)]
  ) {
    (self.name, self.summary, self.discussion) = (name, summary, discussion)
    (self.operands, self.options, self.examples) = (operands, options, examples)
  }

  /// Its options with the one that every command has.
  var allOptions: [OptionDeclaration] { options + [.help] }

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
    case any
  }

  var usage: String {
    switch count {
    case .one: name
    case .optional: "[\(name)]"
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

// MARK: What several commands take

extension OperandDeclaration {
  /// The first operand of nearly every command.
  static let store = OperandDeclaration(name: "FILE", help: "the store's file", completion: .file)
  static let key = OperandDeclaration(
    name: "KEY", help: "the key: text, or hexadecimal digits with --hex-key")
}

extension OptionDeclaration {
  static let help = OptionDeclaration(name: "help", letter: "h", help: "print this")
  static let collection = OptionDeclaration(
    name: "collection", letter: "c", value: "NAME",
    help: "the keys of that collection instead of those outside of any")
  static let json = OptionDeclaration(
    name: "json", letter: "j", help: "print JSON, for a program to read")
  static let hexKey = OptionDeclaration(
    name: "hex-key", letter: "x", help: "keys are hexadecimal digits, given and printed")
  static let mustExist = OptionDeclaration(
    name: "must-exist", help: "fail if there is no such file, rather than make it")
  static let mode = OptionDeclaration(
    name: "mode", value: "MODE",
    help: "who may use the file if it is made, in octal digits as for chmod; 600 without it")
  static let maxValue = OptionDeclaration(
    name: "max-value", value: "BYTES",
    help: "fail at a value that is longer, 131072 bytes at least, before any memory is taken for it")
  static let quiet = OptionDeclaration(name: "quiet", letter: "q", help: "no bar that shows the progress")
}
