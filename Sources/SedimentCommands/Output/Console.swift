/// Where a command reads and writes.
final class Console {
  let output = OutputWriter(.output)
  let input: ByteSource
  /// Whether values are shown for people, and not passed on as they are.
  let showsValues: Bool

  /// Whether the input is lines of commands, so that no command may read it.
  let isShell: Bool

  init(showsValues: Bool? = nil, input: ByteSource = ByteSource(.input), isShell: Bool = false) {
    self.showsValues = showsValues ?? Descriptor.output.isTerminal
    self.isShell = isShell
    self.input = input
  }

  /// Writes text for people.
  ///
  /// Names that come from a file may hold anything: on a terminal it is shown, not obeyed.
  func write(_ text: String) throws(ToolFailure) {
    try output.write(showsValues ? ByteText.escaped(text) : text)
  }

  func write(_ value: JSONValue) throws(ToolFailure) { try output.write(value.line) }

  /// Writes what a command found out: as JSON where that was asked for.
  func write(
    _ arguments: ParsedArguments, json: @autoclosure () -> JSONValue, text: @autoclosure () -> String
  ) throws(ToolFailure) {
    if arguments.has(.json) { try write(json()) } else { try write(text()) }
  }

  /// Says something on standard error; nobody can be told if that fails.
  ///
  /// Messages quote names and keys that may hold anything.
  func complain(_ text: String) {
    try? Descriptor.errors.write(Array("sediment: \(ByteText.escaped(text))\n".utf8))
  }
}
