import Foundation
import Sediment
import Testing

/// Names, keys and values that a terminal would obey, or show as something else than they are.
@Suite(.serialized)
struct EscapingTests {
  typealias Run = ToolFolder.Run
  private let folder: ToolFolder

  /// Controls of the terminal in one byte and in two, of the direction of text, and what cannot be seen.
  static let hostile: [UInt32] = [
    0x07, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x61c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, 0x202e, 0x2066, 0x2069,
    0xfeff,
    0xfff9, 0xe0001, 0xe0041,
  ]

  init() throws {
    folder = try ToolFolder()
    try folder.fill("s") { store in
      for scalar in Self.hostile.map({ String(Character(Unicode.Scalar($0)!)) }) {
        try store.collection("name\(scalar)").set("value\(scalar)", forKey: "key\(scalar)")
        try store.set("value\(scalar)", forKey: "key\(scalar)")
      }
    }
  }

  private func expectShown(_ text: String, _ comment: Comment) {
    let found = text.unicodeScalars.filter { Self.hostile.contains($0.value) }.map {
      String($0.value, radix: 16)
    }
    #expect(found == [], comment)
  }

  @Test func `What is said on standard error obeys nothing`() throws {
    for arguments in [
      ["ls", "s", "-c", "none"], ["get", "s", "key", "-c", "name\u{9b}x"], ["get", "s", "\u{202e}"],
    ] {
      let run = try folder.sediment(arguments, input: [])
      #expect(run.code == 1)
      expectShown(run.errors, "\(arguments)")
    }
    let run = try folder.sediment("shell", "s", input: "get \u{9b}2J\n")
    #expect(run.errors.contains("\\u{9b}2J"))
  }

  @Test func `JSON has escapes, and is read as what was exported`() throws {
    for arguments in [
      ["export", "s"], ["ls", "s", "-j"], ["ls", "s", "-C", "-j"], ["ls", "s"], ["ls", "s", "-C"],
    ] {
      let run = try folder.sediment(arguments, input: [])
      #expect(run.code == 0)
      expectShown(run.output, "\(arguments)")
    }
    #expect(
      try folder.shell(
        "sediment export s t.jsonl && sediment import u t.jsonl -q && sediment export u v.jsonl"
      ).code == 0)
    #expect(try folder.bytes("t.jsonl") == folder.bytes("v.jsonl"))
    let copy = try folder.open("u")
    for scalar in Self.hostile.map({ String(Character(Unicode.Scalar($0)!)) }) {
      #expect(
        try copy.collection("name\(scalar)").retrieve(forKey: "key\(scalar)", as: String.self)
          == "value\(scalar)")
    }
    try copy.close()
  }

  @Test func `CSV for a terminal has Base64 where it would obey something`() throws {
    guard TerminalWindow.isThere else { return }
    try folder.fill("one") { try $0.collection("c\u{9b}").set("v\u{9b}2J", forKey: "plain") }
    let window = try TerminalWindow("sediment export one -f csv", in: folder)
    let screen = try window.wait(for: "exit code 0")
    #expect(screen.contains("c\\u{9b},plain,text,dsKbMko=,base64,"))
    // What goes to a file stays text.
    #expect(
      try folder.sediment("export", "one", "-f", "csv").output.contains("c\u{9b},plain,text,v\u{9b}2J,text,"))
  }
}
