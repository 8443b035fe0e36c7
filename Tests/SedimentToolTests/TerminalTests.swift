import Foundation
import Sediment
import Testing

@Suite(
  .serialized,
  .enabled(if: TerminalWindow.isThere, "tmux is not installed, so that nothing is tried in a terminal")
)
struct TerminalTests {
  typealias Run = ToolFolder.Run
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
  }

  @Test func `A value is shown as text, or else in hexadecimal`() throws {
    try folder.fill("s") { store in
      try store.set("Харків", forKey: "text")
      try store.set([0x1b, 0x5b, 0x32, 0x4a], forKey: "escape")
    }
    let window = try TerminalWindow(
      "sediment get s text; sediment get s escape; sediment get s text --raw", in: folder)
    let screen = try window.wait(for: "exit code 0")
    #expect(
      screen.hasPrefix(
        "Харків\n00000000  1b 5b 32 4a                                       |.[2J|\nХарківexit code 0\n"))
  }

  @Test func `A line of the shell can be edited, completed and had again`() throws {
    try folder.makeSmallStore()
    let window = try TerminalWindow("sediment shell s", in: folder)
    try window.wait(for: "sediment>")
    try window.type("set city:1 Kharkov")
    try window.press("Left", "BSpace")
    try window.type("i")
    try window.press("Enter")
    try window.type("ge")
    try window.press("Tab")
    try window.wait(for: "sediment> get\n")
    try window.type("ci")
    try window.press("Tab")
    try window.wait(for: "sediment> get city:1")
    try window.press("Enter")
    try window.wait(for: "Kharkiv\nsediment>")
    // Back to the line before the last, whose beginning is made another.
    try window.press("Up", "Up", "Home", "Delete", "Delete", "Delete")
    try window.type("rm")
    try window.press("C-e", "C-w", "BSpace", "Enter")
    try window.type("count")
    try window.press("Enter")
    try window.wait(for: "sediment> count\n2\n")
    try window.press("C-d")
    try window.wait(for: "exit code 0")
    #expect(try folder.sediment("ls", "s", "-k") == Run(0, "a\nb\n"))
  }

  @Test func `A shell has the lines of earlier shells, without those that begin with a space`() throws {
    try folder.makeSmallStore()
    let line = "SEDIMENT_HISTORY=lines sediment shell s"
    var window = try TerminalWindow(line, in: folder)
    try window.wait(for: "sediment>")
    try window.type("get a")
    try window.press("Enter")
    try window.wait(for: "one\n")
    try window.type(" get b")
    try window.press("Enter")
    try window.wait(for: "two\n")
    try window.press("C-d")
    try window.wait(for: "exit code 0")
    #expect(try folder.text("lines") == "get a\n")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("lines"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)

    // A line with a control character is not shown to the terminal.
    try folder.write("get a\n\u{1b}[2J\n", to: "lines")
    window = try TerminalWindow(line, in: folder)
    try window.wait(for: "sediment>")
    try window.press("Up", "Enter")
    try window.wait(for: "sediment> get a\none\n")
    try window.press("C-d")
    try window.wait(for: "exit code 0")
    #expect(try folder.names.filter { !$0.hasPrefix(".") } == ["lines", "s"])
  }

  @Test func `A history that has grown is shortened to its newest lines`() throws {
    try folder.makeSmallStore()
    try folder.write((1...2_001).map { "get \($0)\n" }.joined(), to: "lines")
    let window = try TerminalWindow("SEDIMENT_HISTORY=lines sediment shell s", in: folder)
    try window.wait(for: "sediment>")
    try window.press("C-d")
    try window.wait(for: "exit code 0")
    #expect(try folder.text("lines") == (1_002...2_001).map { "get \($0)\n" }.joined())
  }

  @Test func `Several completions are shown after their common beginning`() throws {
    try folder.fill("s") { store in
      for key in ["key one", "key two", "other"] { try store.set("v", forKey: key) }
    }
    let window = try TerminalWindow("sediment shell s", in: folder)
    try window.wait(for: "sediment>")
    try window.type("get k")
    try window.press("Tab")
    try window.wait(for: "sediment> get key\\\n")
    try window.press("Tab")
    try window.wait(for: #"key\ one  key\ two"#)
    try window.type("t")
    try window.press("Tab", "Enter")
    try window.wait(for: "v\nsediment>")
    try window.type("exit")
    try window.press("Enter")
    try window.wait(for: "exit code 0")
  }

  @Test func `Ctrl-C drops a line of the shell and goes on`() throws {
    try folder.makeSmallStore()
    let window = try TerminalWindow("sediment shell s", in: folder)
    try window.wait(for: "sediment>")
    try window.type("rm a")
    try window.press("C-c")
    try window.wait(for: "rm a^C\nsediment>")
    try window.type("nonsense")
    try window.press("Enter")
    try window.wait(for: "there is no command 'nonsense' in the shell")
    try window.type("get a")
    try window.press("Enter")
    try window.wait(for: "sediment> get a\none\n")
    try window.press("C-d")
    try window.wait(for: "exit code 0")
    #expect(try folder.sediment("count", "s") == Run(0, "2\n"))
  }

  @Test func `A collection that is not there yet is told when it is used`() throws {
    try folder.makeSmallStore()
    let window = try TerminalWindow("sediment shell s", in: folder)
    try window.wait(for: "sediment>")
    try window.type("use usres")
    try window.press("Enter")
    try window.wait(for: "sediment: there is no collection 'usres' yet; 'set' makes it\nsediment>")
    try window.type("use users")
    try window.press("Enter")
    try window.wait(for: "sediment> use users\nsediment>")
    try window.press("C-d")
    try window.wait(for: "exit code 0")
  }

  @Test func `A long line moves through a narrow window`() throws {
    try folder.makeSmallStore()
    let window = try TerminalWindow("sediment shell s", in: folder)
    try window.wait(for: "sediment>")
    let value = (0..<30).map { "part\($0)" }.joined(separator: "-")
    try window.type("set long \(value)")
    try window.wait(for: "part29")
    try window.press("Home")
    try window.wait(for: "sediment> set long part0-part1")
    try window.press("Enter", "C-d")
    try window.wait(for: "exit code 0")
    #expect(try folder.sediment("get", "s", "long") == Run(0, value))
  }

  @Test func `Ctrl-C ends an import, which keeps what it took`() throws {
    let window = try TerminalWindow("sediment import s -", in: folder)
    try window.type(#"{"key":"a","value":"1"}"#)
    try window.press("Enter")
    try window.wait(for: "a store") { _ in FileManager.default.fileExists(atPath: folder.path("s")) }
    try window.press("C-c")
    try window.wait(for: "exit code 130")
    #expect(try folder.sediment("verify", "s").code == 0)
    #expect(try folder.names == [".script", "s"])
  }

  @Test func `Ctrl-C before a value has ended changes nothing`() throws {
    try folder.makeSmallStore()
    let before = try folder.bytes("s")
    let window = try TerminalWindow("sediment set s a", in: folder)
    try window.wait(for: "type the value, then Ctrl-D on a line of its own")
    try window.type("unfinished")
    try window.press("Enter", "C-c")
    try window.wait(for: "exit code 130")
    #expect(try folder.bytes("s") == before)
  }

  @Test func `What takes long shows how far it has come, unless it is told not to`() throws {
    let line = #"{"key":"a","value":"1"}"#
    try folder.write("\(line)\n\(line)\n", to: "x")
    let window = try TerminalWindow("(while cat x; do sleep 0.2; done) | sediment import s -", in: folder)
    let screen = try window.wait(for: "import  ")
    #expect(screen.contains(" entries"))
    try window.press("C-c")
    let quiet = try TerminalWindow(
      "(for i in 1 2 3 4 5 6 7 8; do cat x; sleep 0.2; done) | sediment import t - -q", in: folder)
    let end = try quiet.wait(for: "exit code 0")
    #expect(end.hasPrefix("t: 16 entries imported\nexit code 0\n"))
  }

  @Test func `A store that is open elsewhere can be watched`() throws {
    let store = try folder.open("s")
    try store.set("v", forKey: "0")
    let window = try TerminalWindow("sediment watch s --interval 50ms", in: folder)
    try window.wait(for: "last change     2")
    #expect(try window.screen.contains("state           open"))
    for number in 1...10 { try store.set("v", forKey: "\(number)", durability: .unsynced) }
    try window.wait(for: "the changes") { screen in
      let change = screen.split(separator: "\n").first { $0.hasPrefix("last change") }?.split(separator: " ")
        .last
      return change.flatMap { Int($0) }.map { $0 >= 12 } ?? false
    }
    try store.close()
    try window.wait(for: "state           closed")
    try window.press("C-c")
    try window.wait(for: "exit code 130")
  }
}
