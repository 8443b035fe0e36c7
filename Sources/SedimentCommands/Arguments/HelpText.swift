/// The help of the whole tool and of each command.
enum HelpText {
  /// The help of one command.
  static func text(of command: CommandDeclaration) -> String {
    var parts = ["sediment \(command.name): \(command.summary)", "Usage: \(command.usage)"]
    parts.append(wrapped(command.discussion))
    if !command.operands.isEmpty {
      parts.append("Operands:\n" + list(command.operands.map { ($0.usage, $0.help) }))
    }
    parts.append("Options:\n" + list(command.allOptions.map { ($0.usage, $0.help) }))
    let examples = command.examples.map { "  \($0.line)\n      \($0.meaning)" }
    parts.append("Examples:\n" + examples.joined(separator: "\n"))
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// The help of the whole tool.
  static func overview(_ groups: [(title: String, commands: [CommandDeclaration])]) -> String {
    var text = """
      sediment: shows, changes, checks and moves stores of Sediment

      Usage: sediment COMMAND [OPTIONS] FILE ...


      """
    for group in groups {
      text += "\(group.title):\n" + list(group.commands.map { ($0.name, $0.summary) }, column: 14) + "\n\n"
    }
    return text + """
      'sediment help COMMAND' or 'sediment COMMAND --help' tells more, with examples; 'sediment --version'
      tells the versions of the package, of the file format and of libzstd.

      What only reads never changes a file and never makes one. Keys that begin with a dash go behind '--'.

      Exit codes: 0 fine; 1 not found; 2 wrong usage; 3 damaged, foreign or newer; 4 locked by another process;
      5 input or output failed; 128 and the number of a signal: 130 for Ctrl-C, 141 for a reader that went away.

      """
  }

  /// Two columns; what does not fit the first begins a line of its own.
  private static func list(_ rows: [(String, String)], column: Int = 26) -> String {
    rows.map { name, help in
      let indentation = String(repeating: " ", count: column)
      let lines = wrapped(help, width: lineWidth - column).replacing("\n", with: "\n" + indentation)
      return name.count > column - 4
        ? "  \(name)\n\(indentation)\(lines)" : "  \(name.filled(to: column - 2))\(lines)"
    }.joined(separator: "\n")
  }

  private static let lineWidth = 100

  /// Breaks each line of a text at spaces so that it fits.
  static func wrapped(_ text: String, width: Int = lineWidth) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var lines: [String] = []
      var current = ""
      for word in line.split(separator: " ") {
        if !current.isEmpty, current.count + 1 + word.count > width {
          lines.append(current)
          current = ""
        }
        current += (current.isEmpty ? "" : " ") + word
      }
      return (lines + [current]).joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
