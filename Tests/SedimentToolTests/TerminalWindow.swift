import Foundation

/// A window of a terminal, by tmux, in which a line of shell runs; `sediment` in it is the built tool.
///
/// When the line has ended, the window says `exit code N`.
final class TerminalWindow {
  private let socket = "sediment-\(UUID().uuidString)"

  static let isThere = (try? run(["-V"]))?.code == 0

  init(_ line: String, in folder: ToolFolder) throws {
    let script = """
      sediment() { '\(try ToolFolder.tool)' "$@"; }
      cd '\(folder.url.path)'
      export SEDIMENT_HISTORY=
      \(line)
      echo "exit code $?"
      cat
      """
    try folder.write(script, to: ".script")
    let command = "LC_ALL=C.UTF-8 bash '\(folder.path(".script"))'"
    _ = try tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", command)
  }

  // The server ends with its last session; it may have the signal blocked by which it would end itself.
  deinit { _ = try? tmux("kill-session") }

  /// Types text as it is.
  func type(_ text: String) throws { _ = try tmux("send-keys", "-l", text) }

  /// Presses keys that have names: `Enter`, `C-c`, `Left`.
  func press(_ keys: String...) throws { _ = try Self.run(["-L", socket, "send-keys"] + keys) }

  /// What the window shows.
  var screen: String { get throws { try tmux("capture-pane", "-p") } }

  /// Waits until the window shows a text, and returns all that it shows; fails if that never comes.
  @discardableResult
  func wait(for text: String) throws -> String {
    try wait(for: text) { $0.contains(text) }
  }

  @discardableResult
  func wait(for what: String, until isReached: (String) -> Bool) throws -> String {
    var shown = ""
    for _ in 0..<1_000 {
      shown = try screen
      if isReached(shown) { return shown }
      usleep(20_000)
    }
    throw NeverShown(what: what, shown: shown)
  }

  struct NeverShown: Error {
    let what: String
    let shown: String
  }

  private func tmux(_ arguments: String...) throws -> String {
    try Self.run(["-L", socket] + arguments).output
  }

  private static func run(_ arguments: [String]) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    // The server that the first call starts would keep open what Foundation waits for the end of.
    let closing =
      "for ((number = 3; number < 256; number++)); do eval \"exec $number>&-\"; done; exec tmux \"$@\""
    process.arguments = ["-c", closing, "tmux"] + arguments
    // A pipe would stay open: the server that the first call starts has it, too.
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("tmux-\(UUID().uuidString)")
    try Data().write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: url)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: try Data(contentsOf: url), as: UTF8.self))
  }
}
