import Sediment
import SedimentSupport
import Testing

/// Changes of single keys, and what they say of what was there.
struct StoreWritingTests {
  @Test(arguments: accesses)
  func `Setting, removing and setting again`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    #expect(try store.count() == 0)
    #expect(try !store.remove(forKey: "key"))
    try store.set("one", forKey: "key")
    #expect(try store.contains("key"))
    #expect(try store.count() == 1)
    try store.set("two", forKey: "key")
    #expect(try store.count() == 1)
    #expect(try store.remove(forKey: "key"))
    #expect(try !store.contains("key"))
    #expect(try store.count() == 0)
    #expect(try !store.remove(forKey: "key"))
    try store.set("three", forKey: "key")
    try fixture.reopen()
    #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "three")
    #expect(try fixture.store.count() == 1)
  }

  @Test(arguments: accesses)
  func `What was removed does not come back`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    for number in 0..<100 { try fixture.store.set(pattern(300, number), forKey: "\(number)") }
    for number in 0..<100 { try fixture.store.set(pattern(30, number), forKey: "\(number)") }
    for number in 0..<100 where number % 2 == 0 { #expect(try fixture.store.remove(forKey: "\(number)")) }
    for _ in 0..<3 {
      #expect(try fixture.store.count() == 50)
      for number in 0..<100 {
        let expected = number % 2 == 0 ? nil : pattern(30, number)
        #expect(try fixture.store.retrieve(forKey: "\(number)") == expected)
      }
      try fixture.reopen()
    }
  }

  @Test func `Removing what is not there writes nothing`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key")
    let sequence = fixture.store.statistics.sequence
    let image = fixture.image
    #expect(try !fixture.store.remove(forKey: "another"))
    #expect(fixture.store.statistics.sequence == sequence)
    #expect(fixture.image == image)
  }

  @Test(arguments: accesses)
  func `Removing everything takes one small record and leaves nothing`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    for number in 0..<1_000 { try fixture.store.set(pattern(100, number), forKey: "\(number)") }
    try fixture.store.set(pattern(1 << 20), forKey: "large")
    let before = fixture.store.statistics
    try fixture.store.removeAll()
    #expect(fixture.store.statistics.sequence == before.sequence + 1)
    #expect(fixture.store.statistics.writtenByteCount <= before.writtenByteCount + 64)
    for _ in 0..<2 {
      #expect(try fixture.store.count() == 0)
      #expect(try fixture.store.keys() == [])
      #expect(try !fixture.store.contains("500"))
      #expect(try fixture.store.retrieve(forKeys: ["1", "large"]) == [nil, nil])
      try fixture.reopen()
    }
    try fixture.store.set("new", forKey: "500")
    #expect(try fixture.store.keys() == [Array("500".utf8)])
  }

  @Test func `Removing everything twice, and with keys set between, leaves only what came after`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("1", forKey: "a")
    try fixture.store.removeAll()
    try fixture.store.set("2", forKey: "b")
    try fixture.store.removeAll()
    try fixture.store.set("3", forKey: "c")
    for _ in 0..<2 {
      fixture.scheduler.runDue()
      #expect(try fixture.store.keys() == [Array("c".utf8)])
      #expect(try fixture.store.count() == 1)
      try fixture.reopen()
    }
  }

  // MARK: If absent

  @Test(arguments: accesses)
  func `A key is set if it is absent, and else left as it is`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    #expect(try store.setIfAbsent("one", forKey: "key"))
    let sequence = store.statistics.sequence
    #expect(try !store.setIfAbsent("two", forKey: "key"))
    #expect(try !store.setIfAbsent(pattern(200_000), forKey: "key"))
    #expect(store.statistics.sequence == sequence)
    #expect(try store.retrieve(forKey: "key", as: String.self) == "one")
    try store.remove(forKey: "key")
    #expect(try store.setIfAbsent(pattern(200_000), forKey: "key"))
    #expect(try same(store.retrieve(forKey: "key"), pattern(200_000)))
    try store.removeAll()
    #expect(try store.setIfAbsent("three", forKey: "key"))
    #expect(try store.count() == 1)
  }

  // MARK: Compare and set

  @Test(arguments: accesses)
  func `A value is exchanged if it is the expected one`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let values: [[UInt8]?] = [nil, [], [1], [1, 2], pattern(150_000)]
    for present in values {
      for expected in values {
        for new in values {
          try fixture.store.removeAll()
          if let present { try fixture.store.set(present, forKey: "key") }
          let isSet = try fixture.store.compareAndSet(forKey: "key", expected: expected, new: new)
          #expect(isSet == same(present, expected))
          #expect(try same(fixture.store.retrieve(forKey: "key"), isSet ? new : present))
          #expect(try fixture.store.count() == ((isSet ? new : present) == nil ? 0 : 1))
        }
      }
    }
  }

  @Test func `Every kind of bytes can be expected and be new`() throws {
    let store = try StoreFixture().store
    func exchange<Value: SedimentBytes>(_ first: Value, _ second: Value) throws {
      #expect(try store.compareAndSet(forKey: "key", expected: nil, new: first))
      #expect(try !store.compareAndSet(forKey: "key", expected: second, new: first))
      #expect(try store.compareAndSet(forKey: "key", expected: first, new: second))
      #expect(try store.compareAndSet(forKey: "key", expected: second, new: nil))
    }
    try exchange("text", "more text")
    try exchange("text"[...], "more text"[...])
    try exchange("text" as StaticString, "more text")
    try exchange([1] as [UInt8], [])
    try exchange(([1, 2, 3] as [UInt8])[1...], [])
    try exchange([1] as ContiguousArray<UInt8>, [])
    let bytes: [UInt8] = [1, 2]
    let (isMade, isRemoved) = (
      unsafe try store.compareAndSet(forKey: "key", expected: nil, new: bytes.span.bytes),
      unsafe try store.compareAndSet(forKey: "key", expected: bytes.span.bytes, new: nil)
    )
    #expect(isMade && isRemoved)
    #expect(try !store.contains("key"))
  }
}
