/// All subcommands.
enum CommandTable {
  static let groups: [(title: String, commands: [any Command.Type])] = [
    (
      "Values",
      [
        GetCommand.self, SetCommand.self, ExpireCommand.self, RemoveCommand.self, ListCommand.self,
        CountCommand.self,
      ]
    ),
    (
      "The file",
      [
        StatsCommand.self, InspectCommand.self, VerifyCommand.self, SalvageCommand.self, CompactCommand.self,
        BackupCommand.self,
      ]
    ),
    ("Other formats", [ExportCommand.self, ImportCommand.self]),
    ("Live", [ShellCommand.self, WatchCommand.self, BenchCommand.self]),
    ("This tool", [HelpCommand.self, CompletionsCommand.self]),
  ]

  static let names = groups.flatMap { $0.commands.map { name(of: $0) } }

  static var declarations: [CommandDeclaration] { groups.flatMap { $0.commands.map { $0.declaration } } }

  /// The names are needed where the declarations are made, so help's own is not asked for.
  private static func name(of command: any Command.Type) -> String {
    command == HelpCommand.self ? "help" : command.declaration.name
  }

  /// The command of a name.
  static func command(_ name: String) throws(ToolFailure) -> any Command.Type {
    for command in groups.flatMap(\.commands) where self.name(of: command) == name { return command }
    let hint = Suggestion.hint(for: name, among: names + ["--help", "--version"])
    throw .usage("there is no command '\(name)'\(hint)\n'sediment help' lists all commands")
  }
}
