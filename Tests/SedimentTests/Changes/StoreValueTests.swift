import FoundationEssentials
import Sediment
import SedimentSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Keys and values of every length at which something inside the store changes.
struct StoreValueTests {
  /// Around a word, a page, what a segment of one slot has room for, a slot, what a record itself holds, whole
  /// slots of an extent, and the MiB that a checksum covers.
  private static let valueByteCounts: [Int] =
    [0, 1, 7, 8, 9, 127, 128, 4_095, 4_096, 4_097] + Array(16_165...16_190)
    + [16_383, 16_384, 16_385, 70_000, 131_071, 131_072, 131_073]
    + [147_319, 147_320, 147_321, 147_322, 152_000]
    + [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, (5 << 20) + 3]

  @Test(arguments: accesses)
  func `Values of all lengths come back, also after the store was opened again`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    for count in Self.valueByteCounts { try fixture.store.set(pattern(count), forKey: "\(count)") }
    for _ in 0..<2 {
      #expect(try fixture.store.count() == Self.valueByteCounts.count)
      for count in Self.valueByteCounts {
        #expect(try same(fixture.store.retrieve(forKey: "\(count)"), pattern(count)), "\(count) bytes")
      }
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `A value is replaced by a longer and a shorter one`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    for count in [10, 200_000, 0, 3 << 20, 131_072, 131_073, 1] {
      try fixture.store.set(pattern(count), forKey: "key")
      #expect(try same(fixture.store.retrieve(forKey: "key"), pattern(count)), "\(count) bytes")
      #expect(try fixture.store.count() == 1)
    }
    try fixture.reopen()
    #expect(try same(fixture.store.retrieve(forKey: "key"), pattern(1)))
  }

  @Test(arguments: accesses)
  func `Keys from no byte to 65,535 bytes are told apart`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let counts = [0, 1, 2, 15, 16, 17, 255, 256, 500, 513, 4_096, 65_534, 65_535]
    let key = [UInt8](repeating: 7, count: 65_535)
    for count in counts { try fixture.store.set(pattern(count), forKey: key[..<count]) }
    for _ in 0..<2 {
      for count in counts {
        #expect(try same(fixture.store.retrieve(forKey: key[..<count]), pattern(count)), "\(count) bytes")
      }
      #expect(try fixture.store.keys() == counts.map { [UInt8](key[..<$0]) })
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `The longest key takes the longest value of each kind`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let key = pattern(65_535)
    for count in [131_072, 131_073, 1 << 20] {
      try fixture.store.set(pattern(count), forKey: key)
      #expect(try same(fixture.store.retrieve(forKey: key), pattern(count)))
      try fixture.reopen()
      #expect(try same(fixture.store.retrieve(forKey: key), pattern(count)))
    }
  }

  @Test(arguments: accesses)
  func `A key of 65,536 bytes is refused by every change and found by no reading`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let key = [UInt8](repeating: 7, count: 65_536)
    let before = fixture.image
    #expect(code { try store.set("value", forKey: key) } == .tooLarge)
    #expect(code { try store.set("value", forKey: key, expiresIn: .seconds(1)) } == .tooLarge)
    #expect(code { try store.setIfAbsent("value", forKey: key) } == .tooLarge)
    #expect(code { try store.remove(forKey: key) } == .tooLarge)
    #expect(code { try store.update(forKey: key) { _ in [1] } } == .tooLarge)
    #expect(code { try store.compareAndSet(forKey: key, expected: nil, new: [1]) } == .tooLarge)
    #expect(code { try store.batch { $0.set("value", forKey: key) } } == .tooLarge)
    #expect(code { try store.batch { $0.remove(forKey: key) } } == .tooLarge)
    #expect(try store.retrieve(forKey: key) == nil)
    #expect(try !store.contains(key))
    #expect(try store.retrieve(forKeys: [key]) == [nil])
    #expect(fixture.image == before)
  }

  @Test func `What is too large says how large it may be`() throws {
    let fixture = try StoreFixture()
    let error = #expect(throws: SedimentError.self) {
      try fixture.store.set("", forKey: [UInt8](repeating: 0, count: 65_536))
    }
    #expect(error?.message == "A key of 65536 bytes is larger than the limit of 65535 bytes. Split it.")
    #expect(error?.path == StoreFixture.path)
  }

  @Test(arguments: accesses)
  func `A value of more than 1 GiB is refused before it is looked at`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let before = fixture.image
    // Reserved addresses that nobody may touch: whoever looked would die of it.
    let byteCount = 1 << 30 + 1
    let address = unsafe mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    let memory = try unsafe #require(UnsafeRawPointer(address))
    let value = unsafe RawSpan(_unsafeStart: memory, byteCount: byteCount)
    do {
      try fixture.store.set(value, forKey: "key")
      Issue.record("it was taken")
    } catch {
      #expect((error as? SedimentError)?.code == .tooLarge)
    }
    do {
      try fixture.store.batch { $0.set(value, forKey: "key") }
      Issue.record("it was taken")
    } catch {
      #expect((error as? SedimentError)?.code == .tooLarge)
    }
    unsafe munmap(address, byteCount)
    #expect(fixture.image == before)
    #expect(try !fixture.store.contains("key"))
  }

  @Test(arguments: accesses)
  func `Keys and values are given in any form of bytes`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let text = "Київ"
    let bytes = Array(text.utf8)
    let padded = [0] + bytes + [0]
    try store.set(text, forKey: text)
    #expect(try store.retrieve(forKey: bytes) == bytes)
    try store.set(bytes, forKey: padded[1..<9])
    #expect(try store.retrieve(forKey: ContiguousArray(bytes)) == bytes)
    try store.set(padded[1..<9], forKey: ("(" + text + ")").dropFirst().dropLast())
    #expect(try store.retrieve(forKey: unsafe padded.span.bytes.extracting(1..<9)) == bytes)
    try store.set(ContiguousArray(bytes), forKey: unsafe bytes.span.bytes)
    #expect(try store.retrieve(forKey: text[...]) == bytes)
    try store.set(text[...], forKey: "Київ" as StaticString)
    try store.set("Київ" as StaticString, forKey: text)
    #expect(try store.retrieve(forKey: text, as: String.self) == text)
    try store.set(unsafe padded.span.bytes.extracting(1..<9), forKey: text)
    #expect(try store.retrieve(forKey: "Київ" as StaticString, as: String.self) == text)
    let data = Data(padded)[1..<9]
    try store.set(data, forKey: data)
    #expect(try store.retrieve(forKey: data, as: Data.self) == Data(bytes))
    #expect(try store.count() == 1)
  }

  @Test func `Keys are told apart by their bytes, not as text`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("one", forKey: "\u{E9}")
    try fixture.store.set("two", forKey: "e\u{301}")
    #expect(try fixture.store.retrieve(forKey: "\u{E9}", as: String.self) == "one")
    #expect(try fixture.store.retrieve(forKey: "e\u{301}", as: String.self) == "two")
    #expect(try fixture.store.count() == 2)
  }
}
