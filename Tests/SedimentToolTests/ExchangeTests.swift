import Foundation
import Sediment
import Shallows
import Testing

@Suite struct ExchangeTests {
  typealias Run = ToolFolder.Run
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
  }

  /// A store with keys and values of all kinds of bytes, expiry and collections, one of them empty.
  private func makeManifoldStore() throws {
    try folder.fill("s") { store in
      try store.set("", forKey: "")
      try store.set(#"he said "no", twice"#, forKey: #""quoted""#)
      try store.set("Харків, \"a\"\r\nb\u{0}\u{7f}\t\\ ", forKey: " ключ,\n")
      try store.set([UInt8](0...255), forKey: [UInt8](repeating: 0xff, count: 3))
      try store.set([UInt8](repeating: 1, count: 1_000), forKey: "controls")
      try store.set("soon", forKey: "expiring", expiry: .at(milliseconds: 1_896_091_200_123))
      try store.set(String(repeating: "large ", count: 100_000), forKey: "large")
      try store.collection("a,b").set("x", forKey: [0xc3, 0x28] as [UInt8])
      _ = try store.collection("empty")
      var generator = SystemRandomNumberGenerator()
      for _ in 0..<300 {
        let key = (0..<Int.random(in: 1...12)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let value = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try store.set(value, forKey: key, expiry: .at(milliseconds: 1_900_000_000_000))
      }
    }
  }

  /// All that a store holds, by collections.
  private func contents(_ name: String) throws -> [String: [[UInt8]: String]] {
    let store = try folder.open(name)
    var contents: [String: [[UInt8]: String]] = [:]
    func add(_ keys: some SedimentKeyspace, _ name: String) throws {
      contents[name] = [:]
      for key in try keys.keys() {
        let found = try #require(try keys.retrieveExpiring(forKey: key, as: [UInt8].self))
        contents[name]?[key] = "\(found.value) \(found.expiry)"
      }
    }
    try add(store, "")
    for name in store.collectionNames { try add(try store.collection(name), name) }
    try store.close()
    return contents
  }

  @Test(arguments: ["jsonl", "csv"])
  func `What is exported and imported is the same store, byte for byte`(format: String) throws {
    try makeManifoldStore()
    let before = try contents("s")
    #expect(before.keys.sorted() == ["", "a,b", "empty"])
    #expect(try folder.sediment("export", "s", "x.\(format)") == Run())
    let imported = try folder.sediment("import", "t", "x.\(format)")
    #expect(imported.code == 0)
    #expect(imported.output == "t: \(before.values.reduce(1) { $0 + $1.count }) entries imported\n")
    #expect(try contents("t") == before)
    // The same by pipes.
    let piped = try folder.shell(
      "sediment export s --format \(format) | sediment import u - --format \(format) --json; exit ${PIPESTATUS[0]}"
    )
    #expect(piped.code == 0)
    #expect(try contents("u") == before)
  }

  @Test func `Lines of JSON are as they are documented`() throws {
    try folder.makeSmallStore()
    try folder.fill("s") { store in
      try store.set([0xff], forKey: [0xfe] as [UInt8])
      _ = try store.collection("empty")
    }
    #expect(
      try folder.sediment("export", "s")
        == Run(
          0,
          """
          {"key":"a","value":"one"}
          {"key":"b","value":"two","expires":1896091200000}
          {"keyBase64":"/g==","valueBase64":"/w=="}
          {"collection":"empty"}
          {"collection":"users","key":"1","value":"Ada"}

          """))
    #expect(
      try folder.sediment("export", "s", "-", "-f", "csv")
        == Run(
          0,
          """
          collection,key,key_encoding,value,value_encoding,expires
          ,a,text,one,text,
          ,b,text,two,text,1896091200000
          ,/g==,base64,/w==,base64,
          empty,,none,,,
          users,1,text,Ada,text,

          """))
    try folder.fill("q") { store in
      try store.set(#"he said "no", twice"#, forKey: " a")
      try store.set("one\ntwo\r", forKey: "b")
    }
    #expect(
      try folder.sediment("export", "q", "-f", "csv")
        == Run(
          0,
          "collection,key,key_encoding,value,value_encoding,expires\n"
            + "," + #"" a",text,"he said ""no"", twice",text,"# + "\n" + ",b,text,\"one\ntwo\r\",text,\n"))
    #expect(
      try folder.sediment("export", "s", "-c", "users")
        == Run(0, #"{"collection":"users","key":"1","value":"Ada"}"# + "\n"))
    #expect(
      try folder.sediment("export", "s", "-p", "a")
        == Run(
          0,
          """
          {"key":"a","value":"one"}
          {"collection":"empty"}
          {"collection":"users"}

          """))
    #expect(try folder.sediment("export", "s", "-c", "nobody").code == 1)
  }

  @Test func `Tables and lines of others are understood`() throws {
    let lines = #"""

      { "value" : "\u0041\ud83d\ude00\/\b", "key" : "a", "expires" : null , "collection" : null }
      {"keyBase64":"AP8=","value":"x","collection":"c"}

      """#
    try folder.write(lines, to: "x.ndjson")
    #expect(try folder.sediment("import", "s", "x.ndjson") == Run(0, "s: 2 entries imported\n"))
    #expect(try folder.sediment("get", "s", "a") == Run(0, "A😀/\u{8}"))
    #expect(try folder.sediment("get", "s", "00ff", "-xc", "c") == Run(0, "x"))
    try folder.write("\u{feff}value,key\r\n\"a \"\"b\"\"\r\nc\",1\r\n,2\r\n", to: "x.csv")
    #expect(
      try folder.sediment("import", "s", "x.csv", "--collection", "table", "--json")
        == Run(0, "{\"entries\":2}\n"))
    #expect(try folder.sediment("get", "s", "1", "-c", "table") == Run(0, "a \"b\"\r\nc"))
    #expect(try folder.sediment("get", "s", "2", "-c", "table") == Run(0, ""))
  }

  @Test(arguments: [
    (#"{"key":"a"}"#, "the value is missing"),
    (#"{"value":"a"}"#, "the key is missing"),
    (#"{}"#, "the key and the value are missing"),
    (
      #"{"key":"a","value":{}}"#,
      "column 20: only strings, whole numbers and null are understood; JSON as a value is written as a string"
    ),
    (#"{"key":"a","value":1}"#, "'value' must be a string; JSON as a value is written as a string"),
    (#"{"key":"a","keyBase64":"YQ==","value":""}"#, "'keyBase64' is said a second time"),
    (#"{"keyBase64":"Y","value":""}"#, "'keyBase64' is not Base64"),
    (#"{"key":"a","value":"","expires":0}"#, "'expires' must be milliseconds since 1970, or null"),
    (
      #"{"key":"a","value":"","ttl":1}"#,
      "'ttl' is not known; there are collection, key or keyBase64, value or valueBase64, expires"
    ),
    (#"{"key":"a","value":"","collection":"b","collection":"c"}"#, "'collection' is said a second time"),
    (#"{"key":"a","value":"","expires":1,"expires":2}"#, "'expires' is said a second time"),
    (
      #"{"collection":"","key":"a","value":"b"}"#,
      "A collection's name has 1 to 255 bytes of UTF-8 without a zero byte. Choose another."
    ),
    (
      #"{"\u001b[2J":"a"}"#,
      "'0x1b5b324a' is not known; there are collection, key or keyBase64, value or valueBase64, expires"
    ),
    (#"{"key":"\ud800","value":""}"#, "column 15: half a surrogate pair stands alone in a string"),
    (#"{"key":"a","value":"b"#, "column 22: a string has no end"),
    (#"{"key":"a","value":"b"} x"#, "column 25: something follows the object"),
    (#"["a"]"#, "column 1: '{' is missing"),
    (#"{"key":"a" "value":"b"}"#, "column 12: ',' is missing"),
    (#"{"key":"a","value":"","expires":1.5}"#, "column 34: the number is not a whole one that is understood"),
  ])
  func `A line that is not understood is told with its place, and what came before stays`(
    line: String, message: String
  ) throws {
    try folder.write("{\"key\":\"first\",\"value\":\"1\"}\n\(line)\n", to: "x.jsonl")
    #expect(
      try folder.sediment("import", "s", "x.jsonl")
        == Run(2, errors: "sediment: x.jsonl, line 2: \(message)\n"))
    #expect(try folder.sediment("ls", "s", "-k") == Run(0, "first\n"))
  }

  @Test(arguments: [
    ("", "line 1: there is no row of names"),
    ("key\n", "line 1: the column 'value' is missing"),
    (
      "key,value,size\n",
      "line 1: there is no column 'size'; there are collection, key, key_encoding, value, value_encoding, expires"
    ),
    (
      "\u{1b}[2J0123456789abcdefgh\n",
      "line 1: there is no column '0x1b5b324a303132333435363738396162...'; there are collection, key, key_encoding, "
        + "value, value_encoding, expires"
    ),
    ("key,key,value\n", "line 1: there are two columns 'key'"),
    ("key,value\na\n", "line 2: the row has 1 values, and there are 2 columns"),
    ("key,value\na,\"b\nc\n", "line 2: a quoted value has no end"),
    (
      "key,value\n\"a\"b,c\n",
      "line 2: something follows a quoted value; a quotation mark inside of one is doubled"
    ),
    ("key,value\na\"b,c\n", "line 2: a value with a quotation mark in it must be quoted"),
    (
      "key,value,expires\n\"a\n\",c,\nb,c,soon\n",
      "line 4: 'expires' must be milliseconds since 1970, or empty"
    ),
    ("key,key_encoding,value\na,hex,c\n", "line 2: 'key_encoding' must be text or base64, not 'hex'"),
  ])
  func `A row that is not understood is told with its place`(text: String, message: String) throws {
    try folder.write(text, to: "x.csv")
    #expect(
      try folder.sediment("import", "s", "x.csv") == Run(2, errors: "sediment: x.csv, \(message)\n"))
  }

  @Test func `An import goes on behind the line that was not understood`() throws {
    try folder.write(
      "{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"b\"}\n{\"key\":\"c\",\"value\":\"3\"}\n", to: "x.jsonl")
    #expect(try folder.sediment("import", "s", "x.jsonl").code == 2)
    #expect(try folder.sediment("set", "s", "a", "changed") == Run())
    try folder.write("{\"key\":\"a\",\"value\":\"1\"}\n{\"key\":\"b\",\"value\":\"2\"}\n", to: "x.jsonl")
    #expect(
      try folder.sediment("import", "s", "x.jsonl")
        == Run(0, "s: 2 entries imported\n", errors: "sediment: going on behind 1 entry, at byte 24\n"))
    #expect(try folder.sediment("get", "s", "a") == Run(0, "changed"))
    #expect(try folder.sediment("ls", "s", "--collections") == Run())
  }

  @Test func `An import does not go on in another source`() throws {
    try folder.write("{\"key\":\"a\",\"value\":\"1\"}\nwrong\n", to: "x.jsonl")
    #expect(try folder.sediment("import", "s", "x.jsonl").code == 2)
    try folder.write("{\"key\":\"A\",\"value\":\"1\"}\n", to: "x.jsonl")
    #expect(
      try folder.sediment("import", "s", "x.jsonl")
        == Run(
          2,
          errors: "sediment: x.jsonl: it is not what was being imported, of which 24 bytes were taken; "
            + "import that, or begin anew with --restart\n"))
    #expect(try folder.sediment("import", "s", "x.jsonl", "--restart") == Run(0, "s: 1 entry imported\n"))
    #expect(try folder.sediment("ls", "s", "--keys") == Run(0, "A\na\n"))
  }

  @Test func `An interrupted import keeps what it took, and goes on`() throws {
    let lines = (0..<5_000).map { "{\"key\":\"\($0)\",\"value\":\"v\"}\n" }.joined()
    let input = Pipe()
    let process = try folder.start(["import", "s", "-"], input: input)
    try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8.prefix(60_000)))
    // The input has no end, so that nothing but the signal ends the import.
    while try !folder.names.contains("s") { usleep(1_000) }
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 143)
    #expect(try folder.names.filter { $0.hasPrefix(".s") } == [])
    #expect(try folder.sediment("verify", "s").code == 0)
    let run = try folder.sediment("import", "s", "-", input: lines)
    #expect(run.code == 0)
    #expect(run.output == "s: 5000 entries imported\n")
    #expect(try folder.sediment("count", "s") == Run(0, "5000\n"))
    #expect(try folder.sediment("ls", "s", "-C") == Run())
  }

  @Test func `An import that finds no room keeps what it took, and goes on once there is some`() throws {
    var generator = SystemRandomNumberGenerator()
    let lines = (0..<40).map { number in
      let value = (0..<50_000).map { _ in String(UInt8.random(in: 0...255, using: &generator), radix: 16) }
      return "{\"key\":\"\(number)\",\"value\":\"\(value.joined())\"}\n"
    }
    try folder.write(lines.joined(), to: "x.jsonl")
    let limited = try folder.shell(
      "ulimit -f 1000; trap '' XFSZ; sediment import s x.jsonl 2>&1 | cat; exit ${PIPESTATUS[0]}")
    #expect(limited.code == 5)
    let match = limited.output.firstMatch(
      of: #/\nx\.jsonl: stopped behind (\d+) entries; the same command goes on from there\n$/#)
    let taken = try #require(match.map { String($0.1) }.flatMap { Int($0) })
    #expect(0 < taken && taken < 40)
    let byteCount = lines.prefix(taken).reduce(0) { $0 + $1.utf8.count }
    #expect(
      try folder.sediment("import", "s", "x.jsonl")
        == Run(
          0, "s: 40 entries imported\n",
          errors: "sediment: going on behind \(taken) entries, at byte \(byteCount)\n"))
    #expect(try folder.sediment("count", "s") == Run(0, "40\n"))
  }

  @Test func `An export that cannot end leaves no file, and replaces none`() throws {
    try folder.makeSmallStore()
    try folder.write("mine", to: "x.jsonl")
    #expect(
      try folder.sediment("export", "s", "x.jsonl")
        == Run(
          2,
          errors:
            "sediment: x.jsonl: there is a file of that name already; remove it, or choose another name\n"))
    #expect(try folder.text("x.jsonl") == "mine")
    #expect(try folder.sediment("export", "s", "nowhere/x.jsonl").code == 1)
    #expect(try folder.shell("ulimit -f 0; trap '' XFSZ; sediment export s y.jsonl").code == 5)
    try folder.fill("large") { try $0.set([UInt8](repeating: 0xff, count: 300_000), forKey: "a") }
    #expect(try folder.shell("ulimit -f 100; trap '' XFSZ; sediment export large y.jsonl").code == 5)
    #expect(try folder.sediment("export", "s", "z.jsonl", "--format", "xml").code == 2)
    #expect(try folder.shell("sediment export s > /dev/full").code == 5)
    #expect(try folder.names == ["large", "s", "x.jsonl"])
  }

  @Test func `What is no source is told before a store is made`() throws {
    try folder.write("x", to: "file")
    #expect(
      try folder.sediment("import", "s", "file")
        == Run(
          2,
          errors:
            "sediment: file: its name does not tell the format; say --format jsonl or --format csv\n"))
    #expect(try folder.sediment("import", "s", "nowhere.csv").code == 1)
    #expect(try folder.sediment("import", "s", "file", "-f", "csv").code == 2)
    #expect(
      try folder.sediment("import", "s", "file", "-f", "jsonl")
        == Run(2, errors: "sediment: file, line 1: column 1: '{' is missing\n"))
    #expect(try folder.sediment("import", "s", "file", "--move").code == 2)
    #expect(try folder.sediment("import", "s", ".", "--format", "csv").code == 2)
    #expect(try folder.names == ["file"])
  }

  // MARK: Folders

  private func makeFolder(_ encoder: Filename.Encoder) throws {
    let storage = DiskFolderStorage(
      folderURL: folder.url.appendingPathComponent("folder"), filenameEncoder: encoder
    ).makeSyncStorage()
    for number in 0..<20 {
      try storage.set(Data("value \(number)".utf8), forKey: Filename(rawValue: "key/\(number)?"))
    }
    try folder.write("not of the storage", to: "folder/notes.txt")
  }

  @Test func `A folder of Shallows is copied into a store`() throws {
    try makeFolder(.base64URL)
    try folder.fill("s") { try $0.set("newer", forKey: "key/7?") }
    let command = ["import", "s", "folder", "--encoding", "base64url"]
    #expect(
      try folder.sediment(command, input: [])
        == Run(0, "s: 19 files imported, 1 had a value already, 1 that no key has left alone\n"))
    #expect(try folder.sediment("get", "s", "key/7?") == Run(0, "newer"))
    #expect(try folder.sediment("get", "s", "key/19?") == Run(0, "value 19"))
    #expect(
      try folder.sediment(command + ["--json", "-c", "c"], input: [])
        == Run(0, "{\"imported\":20,\"present\":0,\"others\":1,\"bytes\":150}\n"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("folder")).count == 21)
  }

  @Test func `A folder whose names are encoded in another way is told, with what to try`() throws {
    try folder.write("x", to: "file")
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("folder"), withIntermediateDirectories: true)
    try folder.write("hello", to: "folder/hello.txt")
    #expect(
      try folder.sediment("import", "s", "folder")
        == Run(
          0, "s: 0 files imported, 0 had a value already, 1 that no key has left alone\n",
          errors:
            "sediment: folder: no file has a name that base64 makes of a key; try --encoding base64url or none, or --archives\n"
        ))
    #expect(try folder.sediment("import", "s", "folder", "--encoding", "none").code == 0)
    #expect(try folder.sediment("get", "s", "hello.txt") == Run(0, "hello"))
  }

  @Test func `A folder of Vellum is copied or moved into the archives of its name, or of another`() throws {
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("vellum_user"), withIntermediateDirectories: true)
    for name in ["ada", "grace"] { try folder.write(#"{"name":"\#(name)"}"#, to: "vellum_user/\(name).vlm") }
    try folder.write("not of the archives", to: "vellum_user/notes.txt")
    let command = ["import", "s", "vellum_user", "--archives"]
    #expect(
      try folder.sediment(command, input: [])
        == Run(0, "s: 2 files imported, 0 had a value already, 1 that no key has left alone\n"))
    #expect(
      try folder.sediment(command + ["--move", "--json"], input: [])
        == Run(0, "{\"imported\":0,\"present\":2,\"others\":1,\"bytes\":0}\n"))
    #expect(try folder.sediment("count", "s", "-c", "archive:user") == Run(0, "2\n"))
    #expect(try folder.sediment("get", "s", "ada", "-c", "archive:user").output.hasSuffix(#"{"name":"ada"}"#))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("vellum_user")) == ["notes.txt"])
    try folder.write("{}", to: "vellum_user/x.vlm")
    #expect(try folder.sediment(command + ["-c", "people"], input: []).code == 0)
    #expect(try folder.sediment("count", "s", "-c", "archive:people") == Run(0, "1\n"))
    #expect(try folder.sediment(command + ["--encoding", "none"], input: []).code == 2)
    #expect(try folder.sediment("import", "s", "vellum_user/x.vlm", "--archives").code == 2)
  }

  @Test func `A folder of Shallows is moved into a store`() throws {
    try makeFolder(.base64URL)
    #expect(
      try folder.sediment("import", "s", "folder", "--move", "--encoding", "base64url").code == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("folder")) == ["notes.txt"])
    #expect(try folder.sediment("count", "s") == Run(0, "20\n"))
    #expect(try folder.sediment("get", "s", "key/3?") == Run(0, "value 3"))
  }
}
