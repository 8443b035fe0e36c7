/// The arguments of one call, as a command's declaration takes them apart.
struct ParsedArguments {
  /// The values given to options, by their names; a flag's is empty.
  private(set) var options: [String: String] = [:]
  /// The arguments given to operands, by their names.
  private(set) var operands: [String: [String]] = [:]

  mutating func set(_ option: OptionDeclaration, to value: String) { options[option.name] = value }

  mutating func set(_ operand: OperandDeclaration, to values: [String]) { operands[operand.name] = values }

  func has(_ option: OptionDeclaration) -> Bool { options[option.name] != nil }

  func value(of option: OptionDeclaration) -> String? { options[option.name] }

  /// The argument of an operand that may be left out.
  func optional(_ operand: OperandDeclaration) -> String? { operands[operand.name]?.first }

  /// All arguments of an operand that takes several.
  func all(_ operand: OperandDeclaration) -> [String] { operands[operand.name] ?? [] }

  /// The argument of an operand that must be there, which the parser has seen to.
  func required(_ operand: OperandDeclaration) throws(ToolFailure) -> String {
    guard let value = optional(operand) else { throw .usage("\(operand.name) is missing") }
    return value
  }

  /// The bytes of a key as it was given.
  func key(_ text: String) throws(ToolFailure) -> [UInt8] {
    guard has(.hexKey) else { return Array(text.utf8) }
    guard let bytes = HexText.bytes(text) else {
      throw .usage("'\(text)' is not hexadecimal; give two digits for each byte, such as 00ff")
    }
    return bytes
  }

  /// The number given to an option, nil if it was not given.
  func number(of option: OptionDeclaration, in range: ClosedRange<Int>) throws(ToolFailure) -> Int? {
    guard let text = value(of: option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .usage(
        "--\(option.name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return number
  }

  /// The longest value that `--max-value` lets be read; the longest that there can be if it was not given.
  func valueByteCountMax() throws(ToolFailure) -> Int {
    try number(of: .maxValue, in: 131_072...1 << 30) ?? 1 << 30
  }

  /// The permission bits of `--mode`; those of a file that is its owner's alone if it was not given.
  func permissions() throws(ToolFailure) -> UInt16 {
    guard let text = value(of: .mode) else { return 0o600 }
    guard let permissions = UInt16(text, radix: 8), permissions & 0o600 == 0o600, permissions <= 0o777 else {
      throw .usage(
        "--mode takes octal digits from 600 to 777 with which the owner may read and write, not '\(text)'")
    }
    return permissions
  }

  /// Which of a few words was given to an option, nil if it was not given.
  func choice(of option: OptionDeclaration) throws(ToolFailure) -> String? {
    guard let text = value(of: option), case .words(let words) = option.completion else { return nil }
    guard words.contains(text) else {
      throw .usage("--\(option.name) takes \(words.joined(separator: " or ")), not '\(text)'")
    }
    return text
  }
}
