import Foundation
import Sediment
import Testing

@Suite struct ValueCommandTests {
  typealias Run = ToolFolder.Run
  private let folder: ToolFolder

  init() throws {
    folder = try ToolFolder()
  }

  // MARK: get

  @Test func `A value goes to a file byte for byte`() throws {
    try folder.makeSmallStore()
    #expect(try folder.sediment("get", "s", "a") == Run(0, "one"))
    #expect(try folder.sediment("get", "s", "1", "-c", "users") == Run(0, "Ada"))
    #expect(try folder.sediment("get", "--collection=users", "s", "1") == Run(0, "Ada"))
  }

  @Test func `A value is shown as JSON with its expiry`() throws {
    try folder.makeSmallStore()
    try folder.fill("s") { try $0.set([0xff, 0x00], forKey: [0x00, 0xfe] as [UInt8]) }
    #expect(
      try folder.sediment("get", "s", "b", "--json")
        == Run(0, #"{"key":"b","value":"two","expires":1896091200000}"# + "\n"))
    #expect(
      try folder.sediment("get", "s", "00fe", "-xj")
        == Run(0, #"{"keyBase64":"AP4=","valueBase64":"/wA=","expires":null}"# + "\n"))
    #expect(
      try folder.sediment("get", "s", "a", "--hex")
        == Run(0, "00000000  6f 6e 65                                          |one|\n"))
  }

  @Test func `A key without a value is not found, and nothing is made for it`() throws {
    try folder.makeSmallStore()
    let before = try folder.bytes("s")
    #expect(
      try folder.sediment("get", "s", "z")
        == Run(1, errors: "sediment: s: there is no value for the key 'z'\n"))
    #expect(
      try folder.sediment("get", "s", "1", "-c", "user")
        == Run(1, errors: "sediment: s: there is no collection 'user'; there are: users\n"))
    let missing = try folder.sediment("get", "t", "a")
    #expect(missing.code == 1)
    #expect(missing.errors.hasPrefix("sediment: t: There is no such file."))
    #expect(try folder.names == ["s"])
    #expect(try folder.bytes("s") == before)
  }

  // MARK: expire

  @Test func `The expiry of a value is changed, and its bytes are not`() throws {
    try folder.makeSmallStore()
    #expect(try folder.sediment("expire", "s", "b", "never") == Run())
    #expect(
      try folder.sediment("get", "s", "b", "-j")
        == Run(0, #"{"key":"b","value":"two","expires":null}"# + "\n"))
    #expect(try folder.sediment("expire", "s", "1", "2030-01-31T12:00:00Z", "-c", "users") == Run())
    #expect(
      try folder.sediment("get", "s", "1", "-j", "-c", "users")
        == Run(0, #"{"key":"1","value":"Ada","expires":1896091200000}"# + "\n"))
    #expect(
      try folder.sediment("expire", "s", "z", "10m")
        == Run(1, errors: "sediment: s: there is no value for the key 'z'\n"))
    let refused = try folder.sediment("expire", "s", "b", "soon")
    #expect(refused.code == 2)
    #expect(refused.errors.hasPrefix("sediment: 'soon' is no time;"))
  }

  // MARK: set

  @Test func `A value comes from an argument, a file or standard input`() throws {
    #expect(try folder.sediment("set", "s", "a", "one") == Run())
    #expect(try folder.sediment("set", "s", "b", input: "two\n") == Run())
    #expect(try folder.sediment("set", "s", "c", "-", input: "") == Run())
    try folder.write([0, 1, 255], to: "value")
    #expect(try folder.sediment("set", "s", "d", "--from", "value", "-c", "files") == Run())
    #expect(try folder.sediment("set", "s", "00", "ff 00", "--hex-key", "--hex") == Run())
    #expect(try folder.sediment("set", "s", "--", "-k", "-v") == Run())
    let store = try folder.open("s")
    #expect(try store.retrieve(forKey: "a", as: String.self) == "one")
    #expect(try store.retrieve(forKey: "b", as: String.self) == "two\n")
    #expect(try store.retrieve(forKey: "c") == [])
    #expect(try store.collection("files").retrieve(forKey: "d") == [0, 1, 255])
    #expect(try store.retrieve(forKey: [0] as [UInt8]) == [0xff, 0])
    #expect(try store.retrieve(forKey: "-k", as: String.self) == "-v")
    #expect(try store.keys().count == 5)
    try store.close()
  }

  @Test func `An expiry is a time or a duration`() throws {
    #expect(try folder.sediment("set", "s", "a", "x", "--expires", "2030-01-31T12:00:00Z") == Run())
    #expect(try folder.sediment("set", "s", "b", "x", "-e", "1h30m") == Run())
    #expect(try folder.sediment("set", "s", "c", "x", "-e", "never") == Run())
    let store = try folder.open("s")
    #expect(try store.expiry(forKey: "a") == .at(milliseconds: 1_896_091_200_000))
    #expect(try store.expiry(forKey: "b") != .never)
    #expect(try store.expiry(forKey: "c") == .never)
    try store.close()
    let wrong = try folder.sediment("set", "t", "a", "x", "--expires", "soon")
    #expect(
      wrong
        == Run(
          2,
          errors:
            "sediment: 'soon' is no time; give one such as 90s, 10m, 1h30m, 7d or 2030-01-31T12:00:00Z\n"))
    #expect(try folder.names == ["s"])
  }

  @Test(arguments: [
    ("1500ms", 1_500), ("90s", 90_000), ("10m", 600_000), ("1h30m", 5_400_000), ("7d", 604_800_000),
    ("2w", 1_209_600_000),
  ])
  func `A duration is counted from when the value is set`(text: String, milliseconds: Int64) throws {
    func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
    let before = now()
    #expect(try folder.sediment("set", "s", "a", "x", "--expires", text) == Run())
    let after = now() + 1
    let store = try folder.open("s")
    let expiry = try store.expiry(forKey: "a")
    try store.close()
    // One so short may be over.
    guard let expiry else { return #expect(now() >= before + milliseconds) }
    guard case .at(let time) = expiry else { return #expect(expiry != .never) }
    #expect((before + milliseconds...after + milliseconds).contains(Int64(time)))
  }

  @Test func `A value that is there can be left alone`() throws {
    #expect(try folder.sediment("set", "s", "a", "1", "--if-absent") == Run())
    #expect(try folder.sediment("set", "s", "a", "2", "--if-absent") == Run(1))
    #expect(try folder.sediment("get", "s", "a") == Run(0, "1"))
  }

  @Test func `Nothing is made where the file must exist or the value cannot be had`() throws {
    #expect(try folder.sediment("set", "s", "a", "1", "--must-exist").code == 1)
    #expect(
      try folder.sediment("set", "s", "a", "--from", "nowhere")
        == Run(1, errors: "sediment: nowhere: No such file or directory (2)\n"))
    #expect(
      try folder.sediment("set", "s", "a", "--from", ".")
        == Run(5, errors: "sediment: .: Is a directory (21)\n"))
    #expect(try folder.sediment("set", "s", "a", "1", "--from", "x").code == 2)
    #expect(try folder.sediment("set", "s", "a", "0g", "--hex").code == 2)
    #expect(
      try folder.sediment("set", "s", String(repeating: "k", count: 65_536), "1", "--must-exist").code == 1)
    #expect(try folder.names == [])
  }

  @Test func `A key that is too long is wrong usage`() throws {
    let run = try folder.sediment("set", "s", String(repeating: "k", count: 65_536), "1")
    #expect(run.code == 2)
    #expect(run.errors.contains("is larger than the limit of 65535 bytes"))
  }

  // MARK: rm

  @Test func `Keys are removed one by one, by prefix, all of them, or with their collection`() throws {
    try folder.fill("s") { store in
      for key in ["a", "b", "c:1", "c:2", "d"] { try store.set("x", forKey: key) }
      try store.collection("users").set("x", forKey: "1")
      try store.collection("gone").set("x", forKey: "1")
    }
    #expect(
      try folder.sediment("rm", "s", "a", "z", "b")
        == Run(1, errors: "sediment: s: there is no value for the key 'z'\n"))
    #expect(try folder.sediment("ls", "s", "--keys") == Run(0, "c:1\nc:2\nd\n"))
    #expect(try folder.sediment("rm", "s", "z", "--force") == Run())
    #expect(try folder.sediment("rm", "s", "--prefix", "c:") == Run())
    #expect(try folder.sediment("ls", "s", "-k") == Run(0, "d\n"))
    #expect(try folder.sediment("rm", "s", "-c", "users", "--all") == Run())
    #expect(try folder.sediment("rm", "s", "-c", "gone", "--drop") == Run())
    #expect(try folder.sediment("ls", "s", "--collections") == Run(0, "       0  users\n"))
    #expect(try folder.sediment("count", "s") == Run(0, "1\n"))
  }

  @Test func `What to remove is said in one way`() throws {
    try folder.makeSmallStore()
    let message = "sediment: say what to remove in one way: keys, --prefix, --all or --drop\n"
    #expect(try folder.sediment("rm", "s") == Run(2, errors: message))
    #expect(try folder.sediment("rm", "s", "a", "--all") == Run(2, errors: message))
    #expect(
      try folder.sediment("rm", "s", "--drop") == Run(2, errors: "sediment: --drop needs --collection NAME\n")
    )
    #expect(try folder.sediment("rm", "t", "a").code == 1)
    #expect(try folder.names == ["s"])
  }

  // MARK: ls and count

  @Test func `Keys are listed in order with sizes and expiry`() throws {
    try folder.makeSmallStore()
    try folder.fill("s") { store in
      try store.set([], forKey: [0xff, 0x0a] as [UInt8])
      try store.set(String(repeating: "x", count: 300_000), forKey: "large")
      try store.set("Харків", forKey: "місто")
    }
    #expect(
      try folder.sediment("ls", "s")
        == Run(
          0,
          """
                 3  -                     a
                 3  2030-01-31T12:00:00Z  b
            300000  -                     large
                12  -                     місто
                 0  -                     0xff0a

          """))
    #expect(try folder.sediment("ls", "s", "l", "--hex-key", "-k").code == 2)
    #expect(try folder.sediment("ls", "s", "6c", "-xk") == Run(0, "6c61726765\n"))
    #expect(try folder.sediment("ls", "s", "-n", "2", "-k") == Run(0, "a\nb\n"))
    #expect(
      try folder.sediment("ls", "s", "b", "--json")
        == Run(0, #"{"key":"b","bytes":3,"expires":1896091200000}"# + "\n"))
    let unsorted = try folder.sediment("ls", "s", "--unsorted", "--keys")
    #expect(unsorted.code == 0)
    #expect(
      Set(unsorted.output.split(separator: "\n")) == ["a", "b", "large", "місто", "0xff0a"])
  }

  @Test func `Keys are counted`() throws {
    try folder.makeSmallStore()
    #expect(try folder.sediment("count", "s") == Run(0, "2\n"))
    #expect(try folder.sediment("count", "s", "a") == Run(0, "1\n"))
    #expect(try folder.sediment("count", "s", "-c", "users", "--json") == Run(0, "{\"keys\":1}\n"))
  }
}
