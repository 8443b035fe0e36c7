/// The command `sediment help [COMMAND]`.
enum HelpCommand: Command {
  private static let command = OperandDeclaration(
    name: "COMMAND", help: "the command to explain", count: .optional, completion: .words(CommandTable.names))

  static let declaration = CommandDeclaration(
    "help", "explains a command, with examples",
    discussion: "Without a command it lists all of them, and the exit codes.", operands: [command],
    examples: [("sediment help import", "explains 'import'")])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    guard let name = arguments.optional(command) else {
      try console.write(
        HelpText.overview(
          CommandTable.groups.map { group in (group.title, group.commands.map { $0.declaration }) }))
      return .fine
    }
    try console.write(HelpText.text(of: try CommandTable.command(name).declaration))
    return .fine
  }
}
