/// Takes the arguments of a call apart, as the declaration of its command says.
struct ArgumentParser {
  private let command: CommandDeclaration
  /// The operands that are given already, such as the file of a shell.
  private let given: [OperandDeclaration]
  private var arguments: ArraySlice<String>
  private var parsed = ParsedArguments()
  private var plain: [String] = []

  private init(_ command: CommandDeclaration, _ arguments: [String], given: [OperandDeclaration]) {
    self.command = command
    self.arguments = arguments[...]
    self.given = given
  }

  /// The parsed arguments; nil if the command's help was asked for.
  static func parse(
    _ arguments: [String], for command: CommandDeclaration, given: [OperandDeclaration] = []
  ) throws(ToolFailure) -> ParsedArguments? {
    var parser = ArgumentParser(command, arguments, given: given)
    if try !parser.takeOptions() { return nil }
    try parser.takeOperands()
    return parser.parsed
  }

  // MARK: Options

  /// Takes all options; false if help was asked for.
  private mutating func takeOptions() throws(ToolFailure) -> Bool {
    while let argument = arguments.popFirst() {
      if argument == "--" {
        plain += arguments
        return true
      }
      if argument == "--help" || argument == "-h" { return false }
      if argument.hasPrefix("--") {
        try takeNamed(argument.dropFirst(2))
      } else if argument.hasPrefix("-"), argument != "-" {
        try takeLetters(argument.dropFirst())
      } else {
        plain.append(argument)
      }
    }
    return true
  }

  private mutating func takeNamed(_ text: Substring) throws(ToolFailure) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.options.first(where: { $0.name == name }) else { throw unknown("--\(name)") }
    if option.value == nil {
      guard parts.count == 1 else { throw refuse("--\(name) takes no value") }
      return try set(option, "")
    }
    try set(option, parts.count == 2 ? String(parts[1]) : try nextValue(of: option, "--\(name)"))
  }

  /// Takes letters that stand behind one dash; what follows one that takes a value is its value.
  private mutating func takeLetters(_ text: Substring) throws(ToolFailure) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = command.options.first(where: { $0.letter == letter }) else {
        throw unknown("-\(letter)")
      }
      if option.value == nil {
        try set(option, "")
      } else {
        let value = letters.isEmpty ? try nextValue(of: option, "-\(letter)") : String(letters)
        return try set(option, value)
      }
    }
  }

  private mutating func nextValue(of option: OptionDeclaration, _ name: String) throws(ToolFailure) -> String
  {
    guard let value = arguments.popFirst() else {
      throw refuse("\(name) needs a value: \(option.value ?? "")")
    }
    return value
  }

  private mutating func set(_ option: OptionDeclaration, _ value: String) throws(ToolFailure) {
    if parsed.has(option) { throw refuse("--\(option.name) is given twice") }
    parsed.set(option, to: value)
  }

  // MARK: Operands

  private mutating func takeOperands() throws(ToolFailure) {
    let wanted = command.operands.filter { operand in !given.contains { $0.name == operand.name } }
    var left = plain[...]
    for (place, operand) in wanted.enumerated() {
      let laterCount = wanted[(place + 1)...].count { $0.count == .one }
      let available = max(left.count - laterCount, 0)
      let count =
        switch operand.count {
        case .one: min(left.count, 1)
        case .optional: min(available, 1)
        case .any: available
        }
      if operand.count == .one, count == 0 {
        throw refuse("\(operand.name) is missing: \(operand.help)")
      }
      if operand.completion == .file, left.prefix(count).contains("") {
        throw refuse("\(operand.name) is empty: \(operand.help)")
      }
      parsed.set(operand, to: Array(left.prefix(count)))
      left = left.dropFirst(count)
    }
    if let extra = left.first { throw refuse("'\(extra)' is one argument too many") }
  }

  // MARK: Failures

  private func unknown(_ name: String) -> ToolFailure {
    let names = command.allOptions.map { "--\($0.name)" }
    let hint = Suggestion.nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
    let dash = "; what begins with a dash and is no option goes behind '--'"
    return refuse("there is no option '\(name)'\(hint.isEmpty ? dash : hint)")
  }

  private func refuse(_ text: String) -> ToolFailure {
    .usage("\(text)\nusage: \(command.usage)\n'sediment help \(command.name)' tells more")
  }
}
