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
  static let quiet = OptionDeclaration(name: "quiet", letter: "q", help: "no bar that shows the progress")
}
