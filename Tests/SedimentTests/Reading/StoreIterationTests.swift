import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Going through all keys, or those that begin alike.
struct StoreIterationTests {
  private static func visited(_ space: some SedimentKeyspace) throws -> [[UInt8]: [UInt8]] {
    var found: [[UInt8]: [UInt8]] = [:]
    try space.forEach { key, value in
      let old = found.updateValue([UInt8](sedimentBytes: value), forKey: [UInt8](sedimentBytes: key))
      #expect(old == nil, "a key came twice")
      return .continue
    }
    return found
  }

  @Test(arguments: accesses)
  func `Every key comes once with its value`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    #expect(try Self.visited(fixture.store) == [:])
    var expected: [[UInt8]: [UInt8]] = [:]
    for number in 0..<2_000 {
      expected[Array("\(number)".utf8)] = pattern(number % 300, number)
      try fixture.store.set(pattern(number % 300, number), forKey: "\(number)")
    }
    expected[[]] = pattern(200_000)
    try fixture.store.set(pattern(200_000), forKey: "")
    try fixture.store.set("removed", forKey: "x")
    try fixture.store.remove(forKey: "x")
    for _ in 0..<2 {
      #expect(try Self.visited(fixture.store) == expected)
      #expect(try fixture.store.keys().count == 2_001)
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `Keys are listed by their prefix, in order`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let keys: [[UInt8]] = [
      [], [0], [0, 0], [0, 1], [1], [1, 0xFF], [1, 0xFF, 0], [2], [0xFF], [0xFF, 0xFF],
    ]
    for key in keys.reversed() { try fixture.store.set("", forKey: key) }
    #expect(try fixture.store.keys() == keys)
    for prefix in keys + [[3], [1, 0xFF, 0, 0], [UInt8](repeating: 0, count: 70_000)] {
      #expect(try fixture.store.keys(withPrefix: prefix) == keys.filter { $0.starts(with: prefix) })
    }
    let prefix = [1, 0xFF] as [UInt8]
    #expect(try fixture.store.keys(withPrefix: unsafe prefix.span.bytes).count == 2)
  }

  @Test func `Keys with a prefix are visited until the closure says stop`() throws {
    let fixture = try StoreFixture()
    for number in 0..<500 { try fixture.store.set("", forKey: "\(number % 2)-\(number)") }
    var count = 0
    try fixture.store.forEachKey(withPrefix: "1-") { key in
      #expect(String(sedimentBytes: key)?.hasPrefix("1-") == true)
      count += 1
      return .continue
    }
    #expect(count == 250)
    for limit in [1, 2, 249] {
      count = 0
      try fixture.store.forEachKey(withPrefix: "1-") { _ in
        count += 1
        return count == limit ? .stop : .continue
      }
      #expect(count == limit)
    }
  }

  @Test(arguments: accesses)
  func `A closure stops the way, or ends it by throwing`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    for number in 0..<300 { try fixture.store.set("", forKey: "\(number)") }
    for limit in [1, 20, 299] {
      var count = 0
      try fixture.store.forEach { _, _ in
        count += 1
        return count == limit ? .stop : .continue
      }
      #expect(count == limit)
      count = 0
      #expect(throws: Refusal()) {
        try fixture.store.forEach { _, _ in
          count += 1
          if count == limit { throw Refusal() }
          return .continue
        }
      }
      #expect(count == limit)
      #expect(Readers.depth == 0)
    }
  }

  @Test(arguments: accesses)
  func `The closure reads, changes and goes through the store`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    for number in 0..<300 { try store.set(pattern(50, number), forKey: "\(number)") }
    var visited: Set<[UInt8]> = []
    try store.forEach { key, value in
      let bytes = [UInt8](sedimentBytes: key)
      #expect(try store.retrieve(forKey: bytes) == [UInt8](sedimentBytes: value))
      #expect(visited.insert(bytes).inserted)
      let keyCount = try visited.count == 100 ? store.keys().count : 300
      #expect(keyCount == 300)
      try store.set("seen", forKey: bytes)
      return .continue
    }
    #expect(visited.count == 300)
    try store.forEach { key, value in
      #expect(String(sedimentBytes: value) == "seen")
      let wasThere = try store.remove(forKey: key)
      #expect(wasThere)
      return .continue
    }
    #expect(try store.count() == 0)
  }

  @Test func `A closure that adds keys sees all that were there before`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for number in 0..<200 { try store.set("", forKey: "old \(number)") }
    var old = 0
    var added = 0
    try store.forEach { key, _ in
      if String(sedimentBytes: key)!.hasPrefix("old") {
        old += 1
        for _ in 0..<50 {
          try store.set("", forKey: "new \(added)")
          added += 1
        }
      }
      return .continue
    }
    #expect(old == 200)
    #expect(try store.count() == 10_200)
  }

  @Test(arguments: accesses)
  func `A store that is emptied on the way is not gone on with`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    for clear in [{ try store.removeAll() }, { try store.removeEverything() }] {
      for number in 0..<2_000 { try store.set("old", forKey: "\(number)") }
      var count = 0
      try store.forEach { _, value in
        #expect(String(sedimentBytes: value) == "old")
        count += 1
        if count == 10 { try clear() }
        return .continue
      }
      #expect(count == 10)
    }
  }

  // MARK: While others write

  @Test func `Expired keys are passed over, and counted out`() throws {
    let fixture = try StoreFixture()
    for number in 0..<100 {
      try fixture.store.set("", forKey: "\(number)", expiresIn: .milliseconds(number + 1))
    }
    fixture.disk.advanceClocks(by: .milliseconds(60))
    #expect(try fixture.store.keys().count == 40)
    #expect(try fixture.store.count() == 40)
    #expect(fixture.store.statistics.liveKeyCount == 100)
  }
}
