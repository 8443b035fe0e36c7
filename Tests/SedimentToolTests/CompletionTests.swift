import Foundation
import Testing

/// Completions as the shells themselves make them of what the tool prints.
@Suite(
  .serialized,
  .enabled(if: TerminalWindow.isThere, "tmux is not installed, so that nothing is tried in a terminal")
)
struct CompletionTests {
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
    try folder.write("", to: "my lines.jsonl")
  }

  private static func isThere(_ shell: String) -> Bool {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
    }
  }

  private static let hasZsh = isThere("zsh")
  private static let hasFish = isThere("fish")

  /// Types lines into a shell, each with a tab at its end, and waits for what becomes of them.
  private func check(_ shell: String, reads line: String) throws {
    for (typed, completed) in [
      ("sediment ver", "> sediment verify"), ("sediment help sal", "> sediment help salvage"),
      ("sediment get s --js", "> sediment get s --json"),
      ("sediment export s --format c", "> sediment export s --format csv"),
      ("sediment import s my", #"> sediment import s my\ lines.jsonl"#),
    ] {
      let window = try TerminalWindow(shell, in: folder)
      try window.wait(for: "a prompt") { !$0.allSatisfy(\.isWhitespace) }
      try window.type("\(line); clear")
      try window.press("Enter")
      try window.wait(for: "an empty window") { screen in
        screen.split(separator: "\n").count == 1 && screen.hasPrefix(">") && !screen.contains("clear")
      }
      try window.type(typed)
      try window.press("Tab")
      try window.wait(for: completed)
    }
  }

  @Test func `bash completes commands, options, words and files with spaces`() throws {
    try folder.write(try folder.sediment("completions", "bash").output, to: "c")
    try check("PS1='> ' bash --norc", reads: "source ./c")
  }

  @Test(.enabled(if: hasZsh, "zsh is not installed"))
  func `zsh completes what its own function path has`() throws {
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("f"), withIntermediateDirectories: true)
    try folder.write(try folder.sediment("completions", "zsh").output, to: "f/_sediment")
    try check("PS1='> ' zsh -f", reads: "fpath=($PWD/f $fpath); autoload -U compinit; compinit -u -D")
  }

  @Test(.enabled(if: hasZsh, "zsh is not installed"))
  func `zsh completes what it was given to read`() throws {
    try folder.write(try folder.sediment("completions", "zsh").output, to: "c")
    try check("PS1='> ' zsh -f", reads: "autoload -U compinit; compinit -u -D; source ./c")
  }

  @Test(.enabled(if: hasFish, "fish is not installed"))
  func `fish completes commands, options, words and files with spaces`() throws {
    try folder.write(try folder.sediment("completions", "fish").output, to: "c")
    let prompt = "function fish_prompt; echo -n '> '; end; function fish_greeting; end"
    try check("HOME=\"$PWD\" fish --no-config -C \"\(prompt)\"", reads: "source ./c")
  }
}
