/// Where a command reads and writes.
final class Console {
  let output = OutputWriter(.output)
  let input: ByteSource
  /// Whether values are shown for people, and not passed on as they are.
  let showsValues: Bool

  init(showsValues: Bool? = nil, input: ByteSource = ByteSource(.input)) {
    self.showsValues = showsValues ?? Descriptor.output.isTerminal
    self.input = input
  }

  func write(_ text: String) throws(ToolFailure) { try output.write(text) }

  func write(_ value: JSONValue) throws(ToolFailure) { try output.write(value.line) }

  /// Says something on standard error; nobody can be told if that fails.
  func complain(_ text: String) {
    try? Descriptor.errors.write(Array("sediment: \(text)\n".utf8))
  }
}
