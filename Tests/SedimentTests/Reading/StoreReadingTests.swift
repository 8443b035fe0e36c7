import FoundationEssentials
import Sediment
import SedimentSupport
import Testing

/// Every way to read a value.
struct StoreReadingTests {
  /// In a record, in a record that fills segments, and beside the log.
  private static let byteCounts = [0, 1, 100, 1_000, 20_000, 200_000]

  private static func text(_ count: Int) -> String {
    String(repeating: "0123456789", count: count / 10 + 1).prefix(count).lowercased()
  }

  @Test(arguments: accesses)
  func `All forms of reading give the same bytes`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    var buffer: [UInt8] = []
    for count in Self.byteCounts {
      let text = Self.text(count)
      let bytes = Array(text.utf8)
      try store.set(text, forKey: "key")
      #expect(try same(store.retrieve(forKey: "key"), bytes))
      #expect(try store.retrieve(forKey: "key", as: String.self) == text)
      #expect(try store.retrieve(forKey: "key", as: Data.self) == Data(bytes))
      #expect(try same(store.retrieve(forKey: "key", as: [UInt8].self), bytes))
      #expect(try store.retrieve(forKey: "key", into: &buffer))
      #expect(same(buffer, bytes))
      #expect(try same(store.withValue(forKey: "key") { [UInt8](sedimentBytes: $0) }, bytes))
      #expect(try same(store.retrieve(forKeys: ["key"])[0], bytes))
      try store.withValues(forKeys: ["key"]) { _, value in
        #expect(same(copy(value), bytes))
      }
    }
  }

  @Test(arguments: accesses)
  func `All forms of reading say that a key has no value`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    try store.set("value", forKey: "removed")
    try store.remove(forKey: "removed")
    for key in ["never", "removed", ""] {
      var buffer: [UInt8] = [1, 2, 3]
      #expect(try store.retrieve(forKey: key) == nil)
      #expect(try store.retrieve(forKey: key, as: String.self) == nil)
      #expect(try store.retrieve(forKey: key, as: Data.self) == nil)
      #expect(try !store.retrieve(forKey: key, into: &buffer))
      #expect(buffer.isEmpty)
      #expect(try store.withValue(forKey: key) { _ in 1 } == nil)
      #expect(try store.retrieve(forKeys: [key]) == [nil])
      #expect(try !store.contains(key))
      #expect(try store.expiry(forKey: key) == nil)
    }
  }

  @Test func `What is not text is an error that says so, and text that is empty is text`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set([0xFF] as [UInt8], forKey: "key")
    #expect(code { _ = try fixture.store.retrieve(forKey: "key", as: String.self) } == .undecodable)
    #expect(try fixture.store.retrieve(forKey: "key") == [0xFF])
    try fixture.store.set("", forKey: "key")
    #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "")
  }

  /// A program's own type: a number in four bytes.
  private struct Number: SedimentBytes, SedimentDecodable, Equatable {
    let value: UInt32

    func withSedimentBytes<Result, Failure: Error>(
      _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      let bytes = [UInt8](unsafe withUnsafeBytes(of: value.littleEndian) { unsafe Array($0) })
      return try body(unsafe bytes.span.bytes)
    }

    init(_ value: UInt32) { self.value = value }

    init?(sedimentBytes bytes: RawSpan) {
      guard bytes.byteCount == 4 else { return nil }
      value = UInt32(littleEndian: unsafe bytes.unsafeLoadUnaligned(as: UInt32.self))
    }
  }

  @Test func `A type of the program's is key and value`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set(Number(7), forKey: Number(0x6162_6364))
    #expect(try fixture.store.retrieve(forKey: "dcba", as: Number.self) == Number(7))
    #expect(try fixture.store.retrieve(forKeys: [Number(1), Number(0x6162_6364)]) == [nil, [7, 0, 0, 0]])
    try fixture.store.set("12345", forKey: Number(1))
    #expect(code { _ = try fixture.store.retrieve(forKey: Number(1), as: Number.self) } == .undecodable)
    #expect(try fixture.store.remove(forKey: Number(1)))
  }

  @Test(arguments: accesses)
  func `A buffer that is large enough is used again`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set(pattern(1_000), forKey: "long")
    try fixture.store.set(pattern(10), forKey: "short")
    try fixture.store.set(pattern(200_000), forKey: "large")
    var buffer: [UInt8] = []
    buffer.reserveCapacity(200_000)
    let address = unsafe buffer.withUnsafeBytes { $0.baseAddress }
    let byteCounts = ["long": 1_000, "short": 10, "large": 200_000]
    for key in ["long", "short", "short", "long", "none", "large", "long"] {
      #expect(try fixture.store.retrieve(forKey: key, into: &buffer) == (key != "none"))
      #expect(same(buffer, pattern(byteCounts[key] ?? 0)))
      #expect(unsafe buffer.withUnsafeBytes { $0.baseAddress } == address)
    }
    // An error leaves it as it was.
    try fixture.store.close()
    #expect(code { _ = try fixture.store.retrieve(forKey: "short", into: &buffer) } == .closed)
    #expect(same(buffer, pattern(1_000)))
  }

  @Test func `A buffer that somebody else holds, too, stays as it was for them`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set(pattern(10), forKey: "key")
    var buffer: [UInt8] = [1, 2, 3]
    let others = buffer
    #expect(try fixture.store.retrieve(forKey: "key", into: &buffer))
    #expect(others == [1, 2, 3])
    #expect(buffer == pattern(10))
  }

  @Test(arguments: accesses)
  func `A value in place is no copy where the file is mapped`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    for count in [100, 300_000] {
      try fixture.store.set(pattern(count), forKey: "key")
      let isSame = try fixture.store.withValue(forKey: "key") { first in
        try fixture.store.withValue(forKey: "key") { second in
          unsafe first.withUnsafeBytes { first in
            unsafe second.withUnsafeBytes { second in unsafe first.baseAddress == second.baseAddress }
          }
        }
      }
      #expect(isSame == (access != .unmapped))
    }
  }

  @Test(arguments: accesses)
  func `Readings in place lie within one another and leave each other intact`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    for count in [50, 400, 150_000] { try store.set(pattern(count), forKey: "\(count)") }
    try store.withValue(forKey: "50") { first in
      try store.withValue(forKey: "150000") { second in
        try store.withValues(forKeys: ["400", "50"]) { _, third in
          let fourth = try store.retrieve(forKey: "50")
          #expect([pattern(50), pattern(400)].contains(copy(third)))
          #expect(fourth == pattern(50))
        }
        #expect(same([UInt8](sedimentBytes: second), pattern(150_000)))
      }
      #expect([UInt8](sedimentBytes: first) == pattern(50))
    }
  }

  @Test(arguments: accesses)
  func `A value in place stays while its key is set, removed and cleared`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    for count in [100, 150_000] {
      try store.set(pattern(count), forKey: "key")
      try store.withValue(forKey: "key") { value in
        try store.set("other", forKey: "key")
        #expect(same([UInt8](sedimentBytes: value), pattern(count)))
        #expect(try store.retrieve(forKey: "key", as: String.self) == "other")
        try store.remove(forKey: "key")
        try store.removeAll()
        for number in 0..<200 { try store.set(pattern(500, number), forKey: "\(number)") }
        #expect(same([UInt8](sedimentBytes: value), pattern(count)))
      }
    }
  }

  @Test func `What a reading closure returns or throws comes through`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.set("value", forKey: "key")
    #expect(try store.withValue(forKey: "key") { $0.byteCount } == 5)
    #expect(try store.withValue(forKey: "key") { _ in nil as Int? } == .some(.none))
    #expect(throws: Refusal()) { try store.withValue(forKey: "key") { _ in throw Refusal() } }
    #expect(throws: Refusal()) { try store.withValues(forKeys: ["key"]) { _, _ in throw Refusal() } }
    #expect(Readers.depth == 0)
    #expect(try store.retrieve(forKey: "key", as: String.self) == "value")
  }
}
