import Foundation
import Sediment
import Testing

@Suite struct FileCommandTests {
  typealias Run = ToolFolder.Run
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
  }

  /// A store of three keys whose second record has a byte that rotted.
  private func makeDamagedStore() throws {
    try folder.makeSmallStore()
    var bytes = try folder.bytes("s")
    bytes[33_136 + 20] ^= 1
    try folder.write(bytes, to: "s")
  }

  private func object(_ run: Run) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  @Test func `Figures are those of the library, for a reader too`() throws {
    let store = try folder.open("s")
    try store.set(String(repeating: "x", count: 1_000), forKey: "a")
    try store.set(String(repeating: "y", count: 1_000), forKey: "a")
    try store.set("z", forKey: "b")
    try store.collection("users").set("Ada", forKey: "1")
    let figures = store.statistics
    try store.close()
    let before = try folder.bytes("s")
    let json = try object(try folder.sediment("stats", "s", "--json"))
    #expect(json["keys"] as? Int == 3)
    #expect(json["collections"] as? Int == 1)
    #expect(json["liveBytes"] as? UInt64 == figures.liveByteCount)
    #expect(json["userBytes"] as? UInt64 == figures.userByteCount)
    #expect(json["fileBytes"] as? Int == before.count)
    #expect(json["writeAmplification"] as? Double == 1)
    let text = try folder.sediment("stats", "s")
    let lines = text.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.prefix(2) == ["keys 3", "collections 1"])
    #expect(lines.contains("write amplification 1.00"))
    #expect(lines.contains("expired keys 0 deleted since then"))
    #expect(try folder.bytes("s") == before)
  }

  @Test func `A file is drawn with its head, a strip and its segments`() throws {
    try folder.fill("s") { store in
      try store.set("v", forKey: "k")
      try store.set((0..<300_000).map { _ in UInt8.random(in: 0...255) }, forKey: "large")
    }
    let before = try folder.bytes("s")
    let run = try folder.sediment("inspect", "s", "--ascii")
    #expect(run.code == 0)
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "s: \(before.count) bytes, 2 segments")
    #expect(lines[1].hasPrefix("superblock "))
    #expect(lines[1].contains(", closed, checkpoint at byte 32896, "))
    #expect(run.output.contains("\none letter: 16 KiB\nuse   |==HE"))
    #expect(run.output.contains("\nfull  |  19"))
    #expect(run.output.contains("\nage   |  90"))
    #expect(run.output.contains("\nhot, the end of the log           1    32768"))
    let json = try object(try folder.sediment("inspect", "s", "--json"))
    let segments = try #require(json["segments"] as? [[String: Any]])
    #expect(segments.map { $0["kind"] as? String } == ["hot", "extent"])
    #expect(segments[0]["records"] as? Int == 2)
    #expect(try folder.bytes("s") == before)
  }

  @Test func `Records of a segment are listed with their places`() throws {
    try folder.makeSmallStore()
    let run = try folder.sediment("inspect", "s", "--segment", "1")
    #expect(run.code == 0)
    let lines = run.output.split(separator: "\n")
    #expect(lines[0] == "hot segment of generation 1, bytes 32768..<49152, changes after 0")
    #expect(lines[1] == "AT BYTE  CHANGE  BYTES  KEY  VALUE  WHAT")
    #expect(lines[2] == "  32896       1    240    0    224  checkpoint, part 1 of 1")
    #expect(lines[3] == "  33136       2     24    1      3  put")
    #expect(lines[4] == "  33160       3     32    1      3  put, expires 2030-01-31T12:00:00Z")
    #expect(lines.contains { $0.hasSuffix("put, collection 1") })
    #expect(lines.last == "then: no record")
    let json = try folder.sediment("inspect", "s", "-s", "1", "-j").output.split(separator: "\n")
    #expect(
      json[1]
        == #"{"offset":33136,"sequence":2,"bytes":24,"kind":"put","keyBytes":1,"valueBytes":3,"collection":0,"expires":null,"isBatched":false}"#
    )
    #expect(
      try folder.sediment("inspect", "s", "--segment", "9")
        == Run(1, errors: "sediment: s: there is no segment of generation 9\n"))
    #expect(
      try folder.sediment("inspect", "s", "--segment", "x").errors
        == "sediment: --segment takes a number from 1 to 9223372036854775807, not 'x'\n")
  }

  @Test func `A file that is open elsewhere, or damaged, is drawn as far as its headers tell`() throws {
    let store = try folder.open("s")
    try store.set("v", forKey: "k")
    let open = try folder.sediment("inspect", "s", "--ascii")
    #expect(open.code == 0)
    #expect(
      open.output.contains(
        "\nwhat lives in the segments cannot be told: another process has the store open\n"))
    #expect(open.output.contains("\nuse   |==H"))
    #expect(!open.output.contains("\nfull "))
    try store.close()
    try folder.write(Array(try folder.bytes("s").prefix(32_800)), to: "cut")
    let cut = try folder.sediment("inspect", "cut", "--ascii")
    #expect(cut.code == 0 || cut.code == 3)
    #expect(try folder.sediment("inspect", "nowhere").code == 1)
    try folder.write("no store", to: "foreign")
    #expect(try folder.sediment("inspect", "foreign").code == 3)
  }

  @Test func `An intact file and a damaged one are told apart`() throws {
    try folder.makeSmallStore()
    let before = try folder.bytes("s")
    let intact = try folder.sediment("verify", "s")
    #expect(
      intact == Run(0, "s: intact\n\(before.count) bytes, 1 segment, 3 records, closed in order\n"))
    #expect(try object(try folder.sediment("verify", "s", "--json"))["isIntact"] as? Bool == true)
    #expect(try folder.bytes("s") == before)

    try makeDamagedStore()
    let damaged = try folder.sediment("verify", "s")
    #expect(damaged.code == 3)
    #expect(damaged.output.hasPrefix("s: corrupt at bytes 33136..<33160: "))
    #expect(
      damaged.output.contains(
        "\ns: DAMAGED; keep the file as it is, and restore a backup or use 'sediment salvage'\n"))
    let json = try folder.sediment("verify", "s", "--json")
    #expect(json.code == 3)
    let findings = try #require(try object(json)["findings"] as? [[String: Any]])
    #expect(findings.first?["start"] as? Int == 33_136)
    #expect(try folder.sediment("verify", "nowhere").code == 1)
  }

  @Test func `What is whole of a damaged file goes to a new one`() throws {
    try makeDamagedStore()
    let before = try folder.bytes("s")
    let run = try folder.sediment("salvage", "s", "t")
    #expect(run.code == 3)
    #expect(run.output.hasPrefix("lost: bytes 33136..<33160, changes 2 to 2: "))
    #expect(run.output.hasSuffix("not everything could be saved\n"))
    #expect(try folder.bytes("s") == before)
    #expect(try folder.sediment("ls", "t", "--keys") == Run(0, "b\n"))
    #expect(try folder.sediment("salvage", "s", "t").code == 2)
    #expect(try folder.names == ["s", "t"])

    try FileManager.default.removeItem(atPath: folder.path("s"))
    try folder.makeSmallStore()
    let whole = try folder.sediment("salvage", "s", "u", "--json")
    #expect(whole.code == 0)
    #expect(try object(whole)["keys"] as? Int == 3)
  }

  @Test func `Compaction gives space back`() throws {
    // By the tool alone, which moves nothing in the background.
    for number in 0..<40 {
      let value = (0..<100_000).map { _ in UInt8.random(in: 0...255) }
      #expect(try folder.sediment(["set", "s", "\(number)"], input: value) == Run())
    }
    #expect(try folder.sediment(["rm", "s"] + (0..<39).map { "\($0)" }, input: []) == Run())
    let json = try object(try folder.sediment("compact", "s", "--json"))
    let after = try folder.bytes("s").count
    #expect(json["bytesAfter"] as? Int == after)
    #expect(try #require(json["allocatedBefore"] as? Int) > 4_000_000)
    #expect(try #require(json["allocatedAfter"] as? Int) < 3_000_000)
    #expect(try folder.sediment("count", "s") == Run(0, "1\n"))
    let text = try folder.sediment("compact", "s")
    #expect(text.output.wholeMatch(of: #/s: \S+ [KM]iB on the disk before, \S+ [KM]iB now\n/#) != nil)
    #expect(try folder.sediment("compact", "nowhere").code == 1)
    #expect(try folder.names == ["s"])
  }

  @Test func `A backup is a store of its own that replaces nothing`() throws {
    try folder.makeSmallStore()
    let before = try folder.bytes("s")
    #expect(try folder.sediment("backup", "s", "t").code == 0)
    #expect(try folder.sediment("ls", "t") == folder.sediment("ls", "s"))
    #expect(try folder.sediment("get", "t", "1", "-c", "users") == Run(0, "Ada"))
    #expect(try folder.bytes("s") == before)
    let copy = try folder.bytes("t")
    let again = try folder.sediment("backup", "s", "t")
    #expect(again.code == 2)
    #expect(again.errors.hasPrefix("sediment: t: There is a file of that name already."))
    #expect(try folder.bytes("t") == copy)
    #expect(try folder.sediment("backup", "s", "nowhere/t").code == 1)
    #expect(try folder.sediment("backup", "nowhere", "u").code == 1)
    #expect(try folder.names == ["s", "t"])
  }

  /// A store of 40 MiB, so that copying it takes a while.
  private func makeLargeStore() throws {
    let value = [UInt8](repeating: 0, count: 1 << 20).indices.map {
      UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13)
    }
    let store = try SedimentStore(path: folder.path("s"), options: SedimentOptions(compression: .off))
    for number in 0..<40 { try store.set(value, forKey: "\(number)") }
    try store.close()
  }

  /// Starts copying it to `t`, and waits until that is under way.
  private func startCopy(_ command: String) throws -> Process {
    let process = try folder.start([command, "s", "t"], input: Pipe())
    let begin = command == "export" ? "t.part-" : ".t.new-"
    while process.isRunning, try !folder.names.contains(where: { $0.hasPrefix(begin) }) { usleep(100) }
    return process
  }

  @Test(arguments: ["backup", "salvage", "export"])
  func `A file that takes the name meanwhile stays as it is`(command: String) throws {
    try makeLargeStore()
    let process = try startCopy(command)
    try folder.write("mine", to: "mine")
    // Linking fails if the copy was quicker.
    let isFirst =
      (try? FileManager.default.linkItem(atPath: folder.path("mine"), toPath: folder.path("t"))) != nil
    process.waitUntilExit()
    #expect(process.terminationStatus == (isFirst ? 2 : 0))
    #expect(try (folder.text("t") == "mine") == isFirst)
    #expect(try folder.names.filter { $0.hasPrefix(".t") } == [])
  }

  @Test(arguments: ["backup", "salvage", "export"])
  func `A copy that is interrupted is not there, and one that was quicker is whole`(command: String) throws {
    try makeLargeStore()
    let process = try startCopy(command)
    process.terminate()
    process.waitUntilExit()
    let names = try folder.names.filter { ![".output", ".errors"].contains($0) }
    if process.terminationStatus == 0 {
      #expect(names == ["s", "t"])
      if command == "export" { #expect(try folder.sediment("import", "u", "t", "-f", "jsonl").code == 0) }
      #expect(try folder.sediment("count", command == "export" ? "u" : "t") == Run(0, "40\n"))
    } else {
      #expect(process.terminationStatus == 143)
      // An export may have come far enough to leave what it has.
      #expect(names.filter { command != "export" || !$0.hasPrefix("t.part-") } == ["s"])
    }
    #expect(try folder.sediment("verify", "s").code == 0)
  }
}
