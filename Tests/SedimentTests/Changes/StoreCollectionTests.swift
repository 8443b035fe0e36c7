import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Named collections in the one file.
struct StoreCollectionTests {
  @Test(arguments: accesses)
  func `Collections have keys of their own`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    for _ in 0..<2 {
      let store = fixture.store
      let spaces: [any SedimentKeyspace] = try [store, store.collection("a"), store.collection("b")]
      for (number, space) in spaces.enumerated() {
        try space.set("\(number)", forKey: "key")
        try space.set(pattern(150_000, number), forKey: "large")
        try space.set("", forKey: "only \(number)")
      }
      for (number, space) in spaces.enumerated() {
        #expect(try space.retrieve(forKey: "key", as: String.self) == "\(number)")
        #expect(try same(space.retrieve(forKey: "large"), pattern(150_000, number)))
        #expect(try !space.contains("only \((number + 1) % 3)"))
        #expect(try space.count() == 3)
        #expect(try space.keys(withPrefix: "only") == [Array("only \(number)".utf8)])
      }
      #expect(store.collectionNames == ["a", "b"])
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `Every operation works in a collection as in the store`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("store's", forKey: "key")
    let users = try fixture.store.collection("users")
    #expect(users.name == "users" && users.store === fixture.store)
    #expect(fixture.store.defaultCollection.name == "")
    #expect(try users.setIfAbsent("1", forKey: "key"))
    #expect(try !users.setIfAbsent("2", forKey: "key"))
    try users.update(forKey: "key") { ($0 ?? []) + [0x2B] }
    #expect(try users.compareAndSet(forKey: "key", expected: Array("1+".utf8), new: Array("3".utf8)))
    #expect(try users.setExpiry(.after(.seconds(1)), forKey: "key"))
    #expect(try users.expiry(forKey: "key") == .at(milliseconds: 1_700_000_001_000))
    var visited: [String] = []
    try users.forEach { key, value in
      visited.append(String(sedimentBytes: key)! + "=" + String(sedimentBytes: value)!)
      return .continue
    }
    #expect(visited == ["key=3"])
    #expect(try users.retrieve(forKeys: ["key", "x"]) == [[0x33], nil])
    fixture.disk.advanceClocks(by: .seconds(1))
    #expect(try users.count() == 0)
    try users.set("4", forKey: "key")
    #expect(try users.remove(forKey: "key"))
    #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "store's")
  }

  @Test func `Handles of one name are of one collection`() throws {
    let fixture = try StoreFixture()
    let first = try fixture.store.collection("users")
    let sequence = fixture.store.statistics.sequence
    let second = try fixture.store.collection("users")
    #expect(fixture.store.statistics.sequence == sequence)
    try first.set("value", forKey: "key")
    #expect(try second.retrieve(forKey: "key", as: String.self) == "value")
    #expect(fixture.store.statistics.collectionCount == 1)
  }

  // MARK: Names

  @Test(arguments: [
    "a", String(repeating: "x", count: 255), String(repeating: "é", count: 127), "with / and space", "\u{1}",
    "日本",
  ])
  func `A name that may be is kept to the byte`(name: String) throws {
    let fixture = try StoreFixture()
    try fixture.store.collection(name).set("value", forKey: "key")
    try fixture.reopen()
    #expect(fixture.store.collectionNames == [name])
    #expect(try fixture.store.collection(name).contains("key"))
  }

  @Test(arguments: ["", String(repeating: "x", count: 256), String(repeating: "é", count: 128), "a\0", "\0"])
  func `A name that may not be is refused`(name: String) throws {
    let fixture = try StoreFixture()
    let call = fixture.disk.callCount
    #expect(code { _ = try fixture.store.collection(name) } == .invalidArgument)
    #expect(fixture.changes(since: call) == [])
    #expect(try !fixture.store.dropCollection(name))
    #expect(fixture.store.collectionNames == [])
  }

  @Test func `Names are compared by their bytes and told in their order`() throws {
    let fixture = try StoreFixture()
    let names = ["b", "\u{E9}", "e\u{301}", "a", "A", "ab"]
    for name in names { _ = try fixture.store.collection(name) }
    for _ in 0..<2 {
      let order: [[UInt8]] = [[65], [97], [97, 98], [98], [0x65, 0xCC, 0x81], [0xC3, 0xA9]]
      #expect(fixture.store.collectionNames.map { Array($0.utf8) } == order)
      try fixture.reopen()
    }
  }

  @Test func `Many collections are there after reopening`() throws {
    let fixture = try StoreFixture()
    for number in 0..<500 {
      try fixture.store.collection("\(number)").set(pattern(number), forKey: "key")
    }
    try fixture.reopen()
    #expect(fixture.store.statistics.collectionCount == 500)
    for number in 0..<500 {
      let collection = try fixture.store.collection("\(number)")
      #expect(try collection.retrieve(forKey: "key") == pattern(number))
      #expect(try collection.count() == 1)
    }
  }

  // MARK: Dropping

  @Test(arguments: accesses)
  func `A collection that is dropped is gone with its keys`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let users = try store.collection("users")
    let others = try store.collection("others")
    for number in 0..<100 {
      try users.set(pattern(200, number), forKey: "\(number)")
      try others.set(pattern(20, number), forKey: "\(number)")
    }
    #expect(try store.dropCollection("users"))
    #expect(try !store.dropCollection("users"))
    #expect(try !store.dropCollection("never there"))
    for _ in 0..<2 {
      fixture.scheduler.runDue()
      #expect(fixture.store.collectionNames == ["others"])
      #expect(fixture.store.statistics.liveKeyCount == 100)
      #expect(try fixture.store.collection("others").count() == 100)
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `A handle of a dropped collection says so of every call`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let users = try store.collection("users")
    try users.set("value", forKey: "key")
    try store.dropCollection("users")
    var buffer: [UInt8] = []
    let calls: [() throws -> Void] = [
      { _ = try users.retrieve(forKey: "key") }, { _ = try users.retrieve(forKey: "absent") },
      { _ = try users.retrieve(forKey: "key", as: String.self) },
      { _ = try users.retrieve(forKey: "key", into: &buffer) },
      { _ = try users.withValue(forKey: "key") { _ in } },
      { _ = try users.retrieve(forKeys: ["key"]) }, { try users.withValues(forKeys: ["key"]) { _, _ in } },
      { _ = try users.contains("key") }, { _ = try users.count() },
      { try users.forEach { _, _ in .continue } }, { _ = try users.keys() },
      { try users.set("new", forKey: "key") }, { try users.set(pattern(200_000), forKey: "key") },
      { try users.set("new", forKey: "key", expiresIn: .seconds(1)) },
      { try users.setIfAbsent("new", forKey: "key") }, { try users.remove(forKey: "key") },
      { try users.update(forKey: "key") { _ in [] } },
      { try users.compareAndSet(forKey: "key", expected: nil, new: []) },
      { _ = try users.expiry(forKey: "key") }, { try users.setExpiry(.never, forKey: "key") },
      { try users.removeAll() },
    ]
    let sequence = store.statistics.sequence
    for (number, call) in calls.enumerated() {
      #expect(code(call) == .collectionDropped, "call \(number)")
    }
    #expect(store.statistics.sequence == sequence)
    // A new one of the name is another.
    let again = try store.collection("users")
    try again.set("value", forKey: "key")
    #expect(code { _ = try users.contains("key") } == .collectionDropped)
  }

  @Test(arguments: accesses)
  func `A collection made again under a dropped name begins empty`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.collection("users").set("old", forKey: "a")
    try fixture.store.dropCollection("users")
    try fixture.store.collection("users").set("new", forKey: "b")
    for _ in 0..<3 {
      let users = try fixture.store.collection("users")
      #expect(try users.keys() == [Array("b".utf8)])
      #expect(try users.count() == 1)
      #expect(fixture.store.collectionNames == ["users"])
      try fixture.reopen()
    }
    try fixture.store.dropCollection("users")
    try fixture.reopen()
    #expect(try fixture.store.collection("users").count() == 0)
  }

  // MARK: Clearing

  @Test(arguments: accesses)
  func `Clearing a collection leaves the others`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let users = try store.collection("users")
    let others = try store.collection("others")
    for space in [store.defaultCollection, users, others] { try space.set("1", forKey: "key") }
    try users.removeAll()
    #expect(try [store.defaultCollection, users, others].map { try $0.count() } == [1, 0, 1])
    try store.removeAll()
    #expect(try [store.defaultCollection, users, others].map { try $0.count() } == [0, 0, 1])
    try users.set("2", forKey: "another")
    for _ in 0..<2 {
      fixture.scheduler.runDue()
      #expect(try fixture.store.keys() == [])
      #expect(try fixture.store.collection("users").keys() == [Array("another".utf8)])
      #expect(try fixture.store.collection("others").keys() == [Array("key".utf8)])
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `Removing everything empties all collections by one record, and they stay`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let users = try store.collection("users")
    for number in 0..<200 {
      try store.set(pattern(100, number), forKey: "\(number)")
      try users.set(pattern(100, number), forKey: "\(number)")
    }
    try users.set(pattern(300_000), forKey: "large")
    let sequence = store.statistics.sequence
    try store.removeEverything()
    #expect(store.statistics.sequence == sequence + 1)
    #expect(store.statistics.liveKeyCount == 0)
    #expect(store.statistics.liveByteCount == 0)
    #expect(try users.retrieve(forKey: "7") == nil)
    try users.set("new", forKey: "8")
    for _ in 0..<2 {
      #expect(try fixture.store.keys() == [])
      #expect(try fixture.store.collection("users").keys() == [Array("8".utf8)])
      #expect(fixture.store.collectionNames == ["users"])
      try fixture.reopen()
    }
  }

  @Test func `What was cleared is out of the index once the background came to it`() throws {
    let fixture = try StoreFixture()
    let users = try fixture.store.collection("users")
    for number in 0..<3_000 { try users.set("value", forKey: "\(number)") }
    try fixture.store.set("stays", forKey: "key")
    fixture.scheduler.runDue()
    try users.removeAll()
    #expect(fixture.store.statistics.liveByteCount > 3_000)
    #expect(fixture.scheduler.runDue() == 1)
    // One record of 16 bytes, the key and the value.
    #expect(fixture.store.statistics.liveByteCount == 24)
    #expect(try fixture.store.contains("key"))
  }

  @Test func `A set between a clearing and its sweep stays`() throws {
    let fixture = try StoreFixture()
    let users = try fixture.store.collection("users")
    for number in 0..<100 { try users.set("old", forKey: "\(number)") }
    try users.removeAll()
    try users.set("new", forKey: "50")
    fixture.scheduler.runDue()
    #expect(try users.keys() == [Array("50".utf8)])
    #expect(try users.count() == 1)
  }

  /// How the store is opened again that was closed before anything was swept out of it.
  enum Opening: CaseIterable {
    case byScan, byStoredIndex, afterCompactionWasOff, afterDeath
  }

  @Test(arguments: accesses, Opening.allCases)
  func `The slots of large values come back that were cleared just before a close`(
    access: SedimentOptions.Access, opening: Opening
  ) throws {
    var fixture = try StoreFixture(access, compaction: opening == .afterCompactionWasOff ? .off : .automatic)
    let users = try fixture.store.collection("users")
    let others = try fixture.store.collection("others")
    for number in 0..<6 {
      try users.set(pattern(300_000, number), forKey: "\(number)")
      try others.set(pattern(140_000, number), forKey: "\(number)")
      try fixture.store.set(pattern(150_000, number), forKey: "\(number % 2)")
    }
    if opening == .byStoredIndex { #expect(try fixture.store.storeIndex()) }
    try others.removeAll()
    try fixture.store.dropCollection("users")
    if opening == .afterDeath {
      fixture = try StoreFixture(access, on: fixture.disk.afterProcessDeath())
    } else {
      try fixture.close()
      fixture.options.compaction = .automatic
      try fixture.open()
      #expect(fixture.store.recovery.wasClosed)
    }
    #expect((fixture.store.recovery.storedKeyCount > 0) == (opening == .byStoredIndex))
    #expect(fixture.store.accountFindings() == [])
    fixture.scheduler.advance(by: 1_000_000_000)
    #expect(fixture.store.accountFindings() == [])
    #expect(fixture.store.segments.filter { $0.kind == .extent }.count == 2)
    for number in 0..<2 {
      #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(150_000, number + 4)))
    }
  }

  @Test func `A store without lost slots is not read for them when it is opened`() throws {
    let fixture = try StoreFixture(.unmapped)
    for number in 0..<20 { try fixture.store.set(pattern(140_000, number), forKey: "\(number % 4)") }
    #expect(try fixture.store.storeIndex())
    for number in 0..<20 { try fixture.store.set(pattern(140_000, number), forKey: "\(number % 4)") }
    try fixture.reopen()
    let call = fixture.disk.calls.count
    fixture.scheduler.advance(by: 1_000_000_000)
    // The first change looks behind the log's end.
    #expect(fixture.count(.read, since: call) == 1)
  }

  // MARK: Lifetime

  @Test func `A handle keeps its store open, and the last one closes it`() throws {
    let fixture = try StoreFixture()
    var users: SedimentCollection? = try fixture.store.collection("users")
    fixture.drop()
    try users?.set("value", forKey: "key")
    #expect(code { _ = try fixture.another() } == .locked)
    users = nil
    try fixture.open()
    #expect(try fixture.store.collection("users").contains("key"))
    #expect(fixture.store.recovery.wasClosed)
  }

  @Test func `A synced drop or clearing survives a power failure`() throws {
    for change in 0..<3 {
      let fixture = try StoreFixture()
      let users = try fixture.store.collection("users")
      try users.set("value", forKey: "key")
      try fixture.store.sync()
      switch change {
      case 0: try users.removeAll(durability: .synced)
      case 1: try fixture.store.dropCollection("users", durability: .synced)
      default: try fixture.store.removeEverything(durability: .synced)
      }
      let after = try StoreFixture(on: fixture.disk.afterPowerLoss(.nothing))
      #expect(try after.store.collection("users").count() == 0)
    }
  }
}
