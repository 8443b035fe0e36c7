/// Scripts that tell shells how to complete the tool's arguments.
enum ShellCompletions {
  static func bash(_ commands: [CommandDeclaration]) -> String {
    var cases = ""
    for command in commands {
      let options = command.allOptions.map { "--\($0.name)" }.joined(separator: " ")
      cases +=
        "    \(command.name)) options='\(options)'; words='\(command.operandWords.joined(separator: " "))' ;;\n"
    }
    return """
      _sediment_offer() {
        local word
        while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$@")
      }
      _sediment() {
        local current="${COMP_WORDS[COMP_CWORD]}" place=$COMP_CWORD options='' words=''
        COMPREPLY=()
        if ((COMP_CWORD == 1)); then
          _sediment_offer -W '\(commands.map(\.name).joined(separator: " "))' -- "$current"
          return
        fi
        # An equals sign is a word of its own.
        if [[ "$current" == = ]]; then current=''; else place=$((place - 1)); fi
        if [[ "${COMP_WORDS[place]}" == = ]]; then place=$((place - 1)); fi
        case "${COMP_WORDS[1]} ${COMP_WORDS[place]}" in
      \(bashValues(commands))  esac
        case "${COMP_WORDS[1]}" in
      \(cases)  esac
        if [[ "$current" == -* ]]; then
          _sediment_offer -W "$options" -- "$current"
        elif [[ -n "$words" ]]; then
          _sediment_offer -W "$words" -- "$current"
        else
          compopt -o filenames 2> /dev/null
          _sediment_offer -f -- "$current"
        fi
      }
      complete -F _sediment sediment

      """
  }

  /// A line for each option that takes a value, by what that may be.
  private static func bashValues(_ commands: [CommandDeclaration]) -> String {
    var lines = ""
    for command in commands {
      for option in command.options where option.value != nil {
        let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
        let patterns = names.map { "'\(command.name) \($0)'" }.joined(separator: "|")
        let offer =
          switch option.completion {
          case .none: ""
          case .file: "compopt -o filenames 2> /dev/null; _sediment_offer -f -- \"$current\"; "
          case .words(let words): "_sediment_offer -W '\(words.joined(separator: " "))' -- \"$current\"; "
          }
        lines += "    \(patterns)) \(offer)return ;;\n"
      }
    }
    return lines
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
        let name = "--\(option.name)\(value.isEmpty ? "" : "=")"
        let names = option.letter.map { "'(-\($0) --\(option.name))'{-\($0),\(name)}" } ?? name
        text += "        \(names)'[\(help)]\(value)' \\\n"
      }
      let words = command.operandWords
      text +=
        "        '*:argument:\(words.isEmpty ? "_files" : "(\(words.joined(separator: " ")))")'\n      ;;\n"
    }
    // As a file of a folder for completions it is the function's body at first; read by 'source' it is no completion yet.
    return text + """
        esac
      }

      if [[ "${funcstack[1]}" == _sediment ]]; then _sediment "$@"; else compdef _sediment sediment; fi

      """
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
          case .file: " -r"
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
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("'", with: "'\\''").replacing(":", with: "\\:")
  }

  private static func fishEscaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}

extension CommandDeclaration {
  /// What the operands may be, where that is one of some words.
  fileprivate var operandWords: [String] {
    operands.flatMap { operand in
      if case .words(let words) = operand.completion { return words }
      return []
    }
  }
}
