import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Changes that are made all together or not at all.
struct StoreBatchTests {
  @Test(arguments: accesses)
  func `A batch sets and removes, small and large`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("old", forKey: "replaced")
    try fixture.store.set("old", forKey: "removed")
    try fixture.store.set("old", forKey: "left")
    let result = try fixture.store.batch { batch in
      batch.set("new", forKey: "replaced")
      batch.remove(forKey: "removed")
      batch.remove(forKey: "never there")
      batch.set("new", forKey: "added")
      batch.set(pattern(300_000), forKey: "large")
      batch.set("", forKey: "")
      return 7
    }
    #expect(result == 7)
    for _ in 0..<2 {
      let store = fixture.store
      #expect(try store.retrieve(forKey: "replaced", as: String.self) == "new")
      #expect(try !store.contains("removed"))
      #expect(try store.retrieve(forKey: "left", as: String.self) == "old")
      #expect(try store.retrieve(forKey: "added", as: String.self) == "new")
      #expect(try same(store.retrieve(forKey: "large"), pattern(300_000)))
      #expect(try store.retrieve(forKey: "") == [])
      #expect(try store.count() == 5)
      #expect(try store.keys().count == 5)
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `Of several changes of one key in a batch the last one stands`(
    access: SedimentOptions.Access
  ) throws {
    for isThere in [false, true] {
      let fixture = try StoreFixture(access)
      if isThere { for key in ["a", "b", "c"] { try fixture.store.set("old", forKey: key) } }
      try fixture.store.batch { batch in
        batch.set("1", forKey: "a")
        batch.set("2", forKey: "a")
        batch.set("1", forKey: "b")
        batch.remove(forKey: "b")
        batch.remove(forKey: "c")
        batch.set("3", forKey: "c")
      }
      for _ in 0..<2 {
        #expect(try fixture.store.retrieve(forKey: "a", as: String.self) == "2")
        #expect(try !fixture.store.contains("b"))
        #expect(try fixture.store.retrieve(forKey: "c", as: String.self) == "3")
        #expect(try fixture.store.count() == 2)
        #expect(try fixture.store.keys() == [Array("a".utf8), Array("c".utf8)])
        try fixture.reopen()
      }
    }
  }

  @Test func `A batch changes several collections, and only them`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let users = try store.collection("users")
    let orders = try store.collection("orders")
    try users.set("old", forKey: "1")
    try store.batch { batch in
      batch.set("store's", forKey: "1")
      batch.set("Ada", forKey: "2", in: users)
      batch.remove(forKey: "1", in: users)
      batch.set("book", forKey: "1", in: orders, expiresIn: .seconds(1))
    }
    #expect(try store.retrieve(forKey: "1", as: String.self) == "store's")
    #expect(try users.keys() == [Array("2".utf8)])
    #expect(try orders.retrieve(forKey: "1", as: String.self) == "book")
    #expect(try orders.expiry(forKey: "1") == .at(milliseconds: 1_700_000_001_000))
    #expect(try store.count() == 1)
  }

  @Test(arguments: accesses)
  func `A batch larger than segments are is whole`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.batch { batch in
      for number in 0..<500 { batch.set(pattern(1_000, number), forKey: "\(number)") }
    }
    for _ in 0..<2 {
      #expect(try fixture.store.count() == 500)
      for number in 0..<500 {
        #expect(try fixture.store.retrieve(forKey: "\(number)") == pattern(1_000, number))
      }
      try fixture.reopen()
    }
  }

  // MARK: Nothing at all

  /// Makes a batch that must fail with a code, and sees that nothing changed.
  private static func refuse(
    _ code: SedimentError.Code, _ fixture: StoreFixture, _ body: (inout SedimentBatch) throws -> Void
  ) throws {
    let before = try (fixture.store.keys(), fixture.store.statistics, fixture.image)
    let error = #expect(throws: SedimentError.self) { try fixture.store.batch { try body(&$0) } }
    #expect(error?.code == code)
    #expect(try fixture.store.keys() == before.0)
    #expect(fixture.store.statistics == before.1)
    #expect(fixture.image == before.2)
  }

  @Test(arguments: accesses)
  func `One change that is refused refuses the batch`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let another = try StoreFixture()
    let dropped = try fixture.store.collection("dropped")
    try fixture.store.dropCollection("dropped")
    let foreign = try another.store.collection("foreign")
    try fixture.store.set("old", forKey: "key")
    let long = [UInt8](repeating: 1, count: 65_536)
    try Self.refuse(.tooLarge, fixture) { batch in
      batch.set("new", forKey: "key")
      batch.set("new", forKey: long)
      batch.set("new", forKey: "another")
    }
    try Self.refuse(.tooLarge, fixture) { batch in
      batch.remove(forKey: long)
      batch.remove(forKey: "key")
    }
    try Self.refuse(.collectionDropped, fixture) { batch in
      batch.set("new", forKey: "key")
      batch.set("new", forKey: "key", in: dropped)
    }
    try Self.refuse(.collectionDropped, fixture) { batch in
      batch.set("new", forKey: "key")
      batch.remove(forKey: "key", in: dropped)
    }
    try Self.refuse(.invalidArgument, fixture) { batch in
      batch.set("new", forKey: "key")
      batch.set("new", forKey: "key", in: foreign)
    }
    try Self.refuse(.invalidArgument, fixture) { batch in
      batch.remove(forKey: "key")
      batch.remove(forKey: "key", in: foreign)
    }
    #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "old")
    #expect(try foreign.count() == 0)
  }

  @Test func `A batch whose closure throws is not made`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("old", forKey: "key")
    let image = fixture.image
    #expect(throws: Refusal()) {
      try fixture.store.batch { batch in
        batch.set("new", forKey: "key")
        batch.set(pattern(200_000), forKey: "large")
        throw Refusal()
      }
    }
    #expect(fixture.image == image)
    #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "old")
  }

  @Test func `An empty batch writes nothing`() throws {
    let fixture = try StoreFixture()
    let call = fixture.disk.callCount
    try fixture.store.batch { _ in }
    try fixture.store.batch(durability: .synced) { _ in }
    #expect(fixture.changes(since: call) == [])
  }

  @Test func `The closure of a batch reads and changes the store, and the batch comes after`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.set("1", forKey: "key")
    try store.batch { batch in
      batch.set("batch", forKey: "key")
      #expect(try store.retrieve(forKey: "key", as: String.self) == "1")
      try store.set("2", forKey: "key")
      try store.batch { $0.set("inner", forKey: "another") }
    }
    #expect(try store.retrieve(forKey: "key", as: String.self) == "batch")
    #expect(try store.retrieve(forKey: "another", as: String.self) == "inner")
  }

  // MARK: For readers and after crashes

  @Test(arguments: accesses, [1, 2] as [UInt64])
  func `A power failure leaves all of a batch or nothing`(
    access: SedimentOptions.Access, seed: UInt64
  ) throws {
    let fixture = try StoreFixture(access, on: SimulatedDisk(seed: seed))
    try fixture.store.set("old", forKey: "0")
    try fixture.store.sync()
    try fixture.store.batch { batch in
      for number in 0..<60 { batch.set(pattern(700, number), forKey: "\(number)") }
      batch.set(pattern(200_000), forKey: "large")
    }
    var results: Set<Int> = []
    for plan in [.nothing, .everything] + (0..<10).map({ CrashPlan.random(seed: seed &* 100 &+ $0) }) {
      let image = fixture.disk.afterPowerLoss(plan)
      let after = try StoreFixture(access, on: image)
      let count = try after.store.count()
      results.insert(count)
      #expect(count == 1 || count == 61, "\(plan), seed \(seed)")
      if count == 61 {
        #expect(try same(after.store.retrieve(forKey: "large"), pattern(200_000)))
        #expect(try after.store.retrieve(forKey: "0") == pattern(700, 0))
      } else {
        #expect(try after.store.retrieve(forKey: "0", as: String.self) == "old")
      }
    }
    #expect(results == [1, 61])
  }

  @Test(arguments: accesses)
  func `Large values that one batch sets and replaces leave no slots behind`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access, maxByteCount: 6 << 20)
    for number in 0..<40 {
      try fixture.store.batch { batch in
        batch.set(pattern(1 << 20, number), forKey: "key")
        batch.set(pattern(200_000, number), forKey: "removed")
        batch.set(pattern(1 << 20, -number), forKey: "key")
        batch.remove(forKey: "removed")
      }
      #expect(fixture.store.accountFindings() == [])
      if number % 8 == 7 { try fixture.reopen() }
      if number % 3 == 0 { fixture.scheduler.runDue() }
    }
    #expect(try same(fixture.store.retrieve(forKey: "key"), pattern(1 << 20, -39)))
    #expect(try fixture.store.count() == 1)
    fixture.scheduler.advance(by: 1_000_000_000)
    // One value, wherever its pieces lie.
    let slotCount = fixture.store.segments.reduce(0) { $1.kind == .extent ? $0 + $1.byteCount >> 14 : $0 }
    #expect(65...66 ~= slotCount)
    #expect(fixture.store.accountFindings() == [])
  }
}
