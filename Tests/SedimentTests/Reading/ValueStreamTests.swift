import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Values that are read in parts, and the longest value that is read.
@Suite struct ValueStreamTests {
  /// Values of all forms in which they are stored, by their keys.
  static func values() -> [String: [UInt8]] {
    let text = Array(String(repeating: "sediment settles, ", count: 400_000).utf8)
    return [
      "empty": [], "short": Array("value".utf8), "packed": Array(text.prefix(60_000)),
      "zeros": [UInt8](repeating: 0, count: 5 << 20), "large": pattern(140_000),
      "several chunks": pattern(3 << 20), "with a tail": pattern(147_000),
      "packed large": text + pattern(200_000),
    ]
  }

  private static func fixture(_ access: SedimentOptions.Access) throws -> StoreFixture {
    let fixture = try StoreFixture(access, compression: .automatic)
    for (key, value) in values().sorted(by: { $0.key < $1.key }) { try fixture.store.set(value, forKey: key) }
    return fixture
  }

  @Test(arguments: accesses)
  func `The parts of a value are the value, as often as they are asked for`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    for (key, value) in Self.values() {
      let stream = try #require(try fixture.store.defaultCollection.stream(forKey: Array(key.utf8)))
      #expect(stream.byteCount == UInt64(value.count), "\(key)")
      for _ in 0..<2 {
        var (parts, longest) = ([UInt8](), 0)
        try stream.forEachPart { part in
          longest = max(longest, part.count)
          parts += part
        }
        #expect(parts == value, "\(key)")
        #expect(longest <= 1 << 20, "\(key)")
      }
    }
    #expect(try fixture.store.defaultCollection.stream(forKey: Array("none".utf8)) == nil)
  }

  @Test func `A value stays as it was while it is read in parts`() throws {
    let fixture = try Self.fixture(.automatic)
    let value = Self.values()["several chunks"]!
    let stream = try #require(
      try fixture.store.defaultCollection.stream(forKey: Array("several chunks".utf8)))
    try fixture.store.removeAll()
    try fixture.store.compact()
    for number in 0..<40 { try fixture.store.set(pattern(200_000, number), forKey: "\(number)") }
    #expect(try stream.wholeValue() == value)
  }

  @Test func `A damaged chunk is an error after the parts before it`() throws {
    let fixture = try Self.fixture(.automatic)
    try fixture.close()
    let report = try SedimentStore.verify(path: StoreFixture.path, on: fixture.disk)
    let extent = try #require(
      report.segments.filter { $0.kind == .extent }.max { $0.range.count < $1.range.count })
    fixture.disk.flipBit(0, ofByte: Int(extent.range.lowerBound) + 2_500_000, in: StoreFixture.path)
    try fixture.open()
    let stream = try #require(
      try fixture.store.defaultCollection.stream(forKey: Array("several chunks".utf8)))
    var count = 0
    #expect(code { try stream.forEachPart { count += $0.count } } == .damaged)
    #expect(count == 2 << 20)
  }

  // MARK: The longest value

  @Test(arguments: accesses)
  func `A value above the limit is refused before memory is taken, and names its length and the limit`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    try fixture.close()
    let store = try fixture.another { $0.valueByteCountMax = 200_000 }
    for (key, value) in Self.values() {
      let isLong = value.count > 200_000
      func check(_ call: String, _ body: () throws -> [UInt8]?) {
        do {
          let found = try body()
          #expect(!isLong && found == value, "\(key) by \(call)")
        } catch let error as SedimentError {
          #expect(isLong && error.code == .tooLarge, "\(key) by \(call): \(error)")
          let parts = ["key of \(key.utf8.count) bytes", "\(value.count) bytes", "at most 200000 bytes"]
          for part in parts { #expect(error.message.contains(part), "\(error.message)") }
        } catch {
          Issue.record("\(error)")
        }
      }
      check("retrieve") { try store.retrieve(forKey: key) }
      check("retrieve into") {
        var buffer: [UInt8] = []
        return try store.retrieve(forKey: key, into: &buffer) ? buffer : nil
      }
      check("withValue") { try store.withValue(forKey: key) { [UInt8](sedimentBytes: $0) } }
      check("many keys") { try store.retrieve(forKeys: [key])[0] }
      check("stream") { try store.defaultCollection.stream(forKey: Array(key.utf8))?.wholeValue() }
      #expect(try store.contains(key))
    }
    #expect(code { try store.forEach { _, _ in .continue } } == .tooLarge)
    #expect(try store.keys().count == Self.values().count)
    // Compaction moves what it may not show.
    try store.compact()
    try store.close()
    try fixture.open()
    for (key, value) in Self.values() { #expect(try same(fixture.store.retrieve(forKey: key), value)) }
  }

  @Test func `A limit below what records hold is refused`() throws {
    let fixture = try StoreFixture()
    try fixture.close()
    for limit in [-1, 0, 131_071, (1 << 30) + 1] {
      #expect(code { _ = try fixture.another { $0.valueByteCountMax = limit } } == .invalidArgument)
    }
    _ = try fixture.another { $0.valueByteCountMax = 131_072 }
  }
}
