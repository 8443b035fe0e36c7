import Foundation
import Sediment
import Testing

/// Values above a MiB, which the command passes on in parts.
@Suite struct LongValueTests {
  typealias Run = ToolFolder.Run
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
  }

  /// Long values whose characters and quotation marks lie at every place of the parts.
  private static let values: [String: [UInt8]] = [
    "text": Array(String(repeating: "Вони сказали: \"ні\", двічі.\r\n", count: 40_000).utf8) + [0x2e],
    "wide": Array("x".utf8) + Array(String(repeating: "🪨\u{85}é", count: 200_000).utf8),
    "cut": Array(String(repeating: "é", count: 600_000).utf8).dropLast(),
    "binary": (0..<1_500_001).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) },
    "zeros": [UInt8](repeating: 0, count: (1 << 20) + 5), "ascii": [UInt8](repeating: 0x41, count: 1 << 20),
  ]

  private func makeStore() throws {
    try folder.fill("s") { store in
      for (key, value) in Self.values {
        try store.set(value, forKey: key, expiry: .at(milliseconds: 1 << 44))
      }
      try store.collection("c").set(Self.values["text"]!, forKey: "k")
      try store.collection("d").set("short", forKey: "k")
    }
  }

  private func check(_ name: String) throws {
    let store = try folder.open(name)
    for (key, value) in Self.values {
      #expect(try store.retrieve(forKey: key) == value, "\(key)")
      #expect(try store.expiry(forKey: key) == .at(milliseconds: 1 << 44))
    }
    #expect(try store.count() == Self.values.count)
    #expect(try store.collection("c").retrieve(forKey: "k") == Self.values["text"]!)
    #expect(try store.collection("d").retrieve(forKey: "k", as: String.self) == "short")
    try store.close()
  }

  @Test(arguments: ["jsonl", "csv"])
  func `What is exported in parts and imported is the same store`(format: String) throws {
    try makeStore()
    #expect(try folder.sediment("export", "s", "x.\(format)") == Run())
    #expect(try folder.sediment("import", "t", "x.\(format)").code == 0)
    try check("t")
  }

  @Test(arguments: ["jsonl", "csv"])
  func `An export goes on after a long row`(format: String) throws {
    try makeStore()
    let run = try folder.shell(
      "(ulimit -f 6000; trap '' XFSZ; sediment export s t -f \(format)) 2>&1 | cat; exit ${PIPESTATUS[0]}")
    #expect(run.code == 5)
    let again = try folder.sediment("export", "s", "t", "-f", format)
    #expect(again.code == 0 && again.errors.contains("going on behind"))
    let whole = try folder.sediment("export", "s", "whole", "-f", format)
    #expect(whole.code == 0)
    #expect(try folder.bytes("t") == folder.bytes("whole"))
  }

  @Test func `Get passes on a long value as it is`() throws {
    try makeStore()
    for (key, value) in Self.values {
      #expect(try folder.shell("sediment get s \(key) > out").code == 0)
      #expect(try folder.bytes("out") == value)
      #expect(try folder.shell("sediment get s \(key) --json > out").code == 0)
      let line = try JSONSerialization.jsonObject(with: Data(folder.bytes("out")))
      let object = try #require(line as? [String: Any])
      let text = (object["value"] as? String).map { Array($0.utf8) }
      let data = (object["valueBase64"] as? String).flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
      #expect(text ?? data == value, "\(key)")
      #expect((text == nil) == (String(validating: value, as: UTF8.self) == nil))
      #expect(object["expires"] as? Int == 1 << 44)
    }
    let dump = try folder.shell("sediment get s ascii --hex | tail -n 1")
    #expect(dump.output.hasPrefix("000ffff0  41 41") && dump.output.hasSuffix("|AAAAAAAAAAAAAAAA|\n"))
  }

  @Test func `A value above --max-value is refused by every command that reads or takes one`() throws {
    try makeStore()
    let length = Self.values["zeros"]!.count
    let run = try folder.sediment("get", "s", "zeros", "--max-value", "200000")
    #expect(run.code == 2)
    for part in ["key of 5 bytes", "\(length) bytes", "200000"] { #expect(run.errors.contains(part)) }
    #expect(try folder.sediment("export", "s", "--max-value", "200000").code == 2)
    let saved = try folder.sediment("salvage", "s", "saved", "--max-value", "1300000")
    #expect(saved.code == 3)
    #expect(saved.output.contains("more than the 1300000 that were allowed"))
    let store = try folder.open("saved")
    #expect(
      try store.keys().map { String(decoding: $0, as: UTF8.self) }.sorted() == ["ascii", "cut", "zeros"])
    try store.close()
    #expect(try folder.sediment("export", "s", "x.jsonl", "-c", "c").code == 0)
    let taken = try folder.sediment("import", "t", "x.jsonl", "--max-value", "1000000")
    #expect(taken.code == 2)
    #expect(taken.errors.contains("the value of a key of 1 bytes has \(Self.values["text"]!.count) bytes"))
    #expect(try folder.sediment("get", "s", "zeros", "--max-value", "100").code == 2)
  }
}
