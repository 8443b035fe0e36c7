/// The command `sediment completions SHELL`.
enum CompletionsCommand: Command {
  private static let shell = OperandDeclaration(
    name: "SHELL", help: "bash, zsh or fish", completion: .words(["bash", "zsh", "fish"]))

  static let declaration = CommandDeclaration(
    "completions", "prints what a shell needs to complete commands and options",
    discussion: "It is made of the same declarations as the help, so that it knows every command and option.",
    operands: [shell],
    examples: [
      ("source <(sediment completions bash)", "in ~/.bashrc"),
      ("source <(sediment completions zsh)", "in ~/.zshrc, behind 'autoload -U compinit; compinit'"),
      (
        "sediment completions zsh > ~/.zfunc/_sediment", "or so, with 'fpath+=~/.zfunc' before compinit"
      ),
      ("sediment completions fish > ~/.config/fish/completions/sediment.fish", "for fish"),
    ])

  static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
    let commands = CommandTable.declarations
    switch try arguments.required(shell) {
    case "bash": try console.write(ShellCompletions.bash(commands))
    case "zsh": try console.write(ShellCompletions.zsh(commands))
    case "fish": try console.write(ShellCompletions.fish(commands))
    case let other:
      throw ToolFailure.usage("there are completions for bash, zsh and fish, not for '\(other)'")
    }
    return .fine
  }
}
