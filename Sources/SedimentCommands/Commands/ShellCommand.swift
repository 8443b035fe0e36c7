internal import Sediment

/// The command `sediment shell FILE`.
enum ShellCommand: Command {
  private static let readOnly = OptionDeclaration(
    name: "read-only", letter: "r", help: "change nothing; other readers may have the store open, too")
  private static let create = OptionDeclaration(name: "create", help: "make the store if there is none")

  static let declaration = CommandDeclaration(
    "shell", "takes commands for one store, line by line",
    discussion: """
      The commands are get, set, expire, rm, ls, count and stats, as the tool has them but without FILE; 'use NAME' works in a \
      collection from then on, and 'use' outside of any; 'sync' makes everything durable; 'help' tells more, and 'exit' or \
      Ctrl-D ends. Words with spaces are put in quotation marks. On a terminal, Tab completes commands and keys, the arrows \
      go through the line and the lines before, and Ctrl-C drops a line or stops a command. Lines are kept in \
      ~/.sediment_history, which only you can read, for later shells; a line that begins with a space is not, and \
      SEDIMENT_HISTORY names another file, or none if it is empty. The store is locked for others until the shell ends. From a file or a pipe a line is a command, a '#' begins \
      a comment, and the exit code is that of the first command that failed.
      """,
    operands: [.store], options: [readOnly, create, .mode],
    examples: [
      ("sediment shell cities.sediment", "asks for commands"),
      ("printf 'set a 1\\nget a\\n' | sediment shell cities.sediment", "takes them from a pipe"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let path = try arguments.required(.store)
    let access: StoreAccess =
      arguments.has(readOnly) ? .reading : arguments.has(create) ? .making : .changing
    do {
      return try OpenStore.with(path, access, permissions: try arguments.permissions()) { store in
        let isInteractive = Descriptor.input.isTerminal && Descriptor.output.isTerminal
        return try ShellSession(store, input: console.input, isInteractive: isInteractive).run()
      }
    } catch let error as SedimentError where error.code == .notFound {
      throw ToolFailure.notFound("\(error)\n--create makes the store")
    }
  }
}
