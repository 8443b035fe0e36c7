/// Scripts that tell shells how to complete the tool's arguments.
enum ShellCompletions {
  static func bash(_ commands: [CommandDeclaration]) -> String {
    var cases = ""
    for command in commands {
      let options = command.allOptions.map { "--\($0.name)" }.joined(separator: " ")
      cases +=
        "    \(command.name)) options='\(options)'; words='\(command.operandWords.joined(separator: " "))' ;;\n"
    }
    var values = ""
    for (option, words) in wordOptions(commands) {
      values +=
        "    --\(option)) COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\")); return ;;\n"
    }
    return """
      _sediment() {
        local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" options='' words=''
        COMPREPLY=()
        if ((COMP_CWORD == 1)); then
          COMPREPLY=($(compgen -W '\(commands.map(\.name).joined(separator: " "))' -- "$current"))
          return
        fi
        case "$before" in
      \(values)  esac
        case "${COMP_WORDS[1]}" in
      \(cases)  esac
        if [[ "$current" == -* ]]; then
          COMPREPLY=($(compgen -W "$options" -- "$current"))
        elif [[ -n "$words" ]]; then
          COMPREPLY=($(compgen -W "$words" -- "$current"))
        else
          compopt -o filenames
          COMPREPLY=($(compgen -f -- "$current"))
        fi
      }
      complete -F _sediment sediment

      """
  }

  static func zsh(_ commands: [CommandDeclaration]) -> String {
    var text = "#compdef sediment\n\n_sediment() {\n  local -a commands\n  commands=(\n"
    for command in commands { text += "    '\(command.name):\(escaped(command.summary))'\n" }
    text += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
    text += "  local command=\"${words[2]}\"\n  shift words\n  ((CURRENT--))\n  case \"$command\" in\n"
    for command in commands {
      text += "    \(command.name))\n      _arguments -s \\\n"
      for option in command.allOptions {
        let help = escaped(option.help).replacing("[", with: "(").replacing("]", with: ")")
        let value = option.value.map { ":\($0):\(zshAction(option.completion))" } ?? ""
        text += "        '--\(option.name)\(value.isEmpty ? "" : "=")[\(help)]\(value)' \\\n"
      }
      let words = command.operandWords
      text +=
        "        '*:argument:\(words.isEmpty ? "_files" : "(\(words.joined(separator: " ")))")'\n      ;;\n"
    }
    return text + "  esac\n}\n\n_sediment \"$@\"\n"
  }

  static func fish(_ commands: [CommandDeclaration]) -> String {
    var text = "complete -c sediment -n __fish_use_subcommand -f\n"
    for command in commands {
      text +=
        "complete -c sediment -n __fish_use_subcommand -a \(command.name) -d '\(fishEscaped(command.summary))'\n"
    }
    for command in commands {
      let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.allOptions {
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let value =
          switch option.completion {
          case .words(let words): " -x -a '\(words.joined(separator: " "))'"
          case .file, .directory: " -r"
          case .none: option.value == nil ? "" : " -x"
          }
        text +=
          "complete -c sediment \(condition)\(letter) -l \(option.name)\(value) -d '\(fishEscaped(option.help))'\n"
      }
      let words = command.operandWords
      if !words.isEmpty {
        text += "complete -c sediment \(condition) -f -a '\(words.joined(separator: " "))'\n"
      }
    }
    return text
  }

  private static func zshAction(_ completion: Completion) -> String {
    switch completion {
    case .none: " "
    case .file: "_files"
    case .directory: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  /// The options that take one of some words, each once.
  private static func wordOptions(_ commands: [CommandDeclaration]) -> [(String, [String])] {
    var found: [String: [String]] = [:]
    for option in commands.flatMap(\.options) {
      if case .words(let words) = option.completion { found[option.name] = words }
    }
    return found.sorted { $0.key < $1.key }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("'", with: "'\\''").replacing(":", with: "\\:")
  }

  private static func fishEscaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}

extension CommandDeclaration {
  fileprivate var allOptions: [OptionDeclaration] { options + [.help] }

  /// What the operands may be, where that is one of some words.
  fileprivate var operandWords: [String] {
    operands.flatMap { operand in
      if case .words(let words) = operand.completion { return words }
      return []
    }
  }
}
