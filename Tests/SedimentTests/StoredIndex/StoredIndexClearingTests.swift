import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// What was cleared, dropped, expired or removed since the index was stored.
struct StoredIndexClearingTests {
  /// A store with keys of its own and in two collections, whose index is stored.
  private static func stored() throws -> StoreFixture {
    let fixture = try StoreFixture()
    let store = fixture.store
    for name in ["", "users", "orders"] {
      let keys = try name.isEmpty ? store.defaultCollection : store.collection(name)
      for number in 0..<50 {
        let expiry: SedimentExpiry = number % 5 == 0 ? .at(milliseconds: 1 << 45) : .never
        try keys.set("value", forKey: "key \(number)", expiry: expiry)
      }
    }
    #expect(try store.storeIndex())
    return fixture
  }

  @Test func `Of a store in which everything was cleared the dictionary comes back, and little that is dead`()
    throws
  {
    let fixture = try StoreFixture(durability: .interval(.seconds(60)), compression: .automatic)
    let count = try fixture.setUntilTrained()
    for number in 0..<3_000 { try fixture.store.set("value", forKey: "key \(number)") }
    #expect(try fixture.store.storeIndex())
    try fixture.store.removeEverything()
    try fixture.close()
    try fixture.open()
    #expect(fixture.store.recovery.storedKeyCount < UInt64(count + 3_000) / 10)
    #expect(fixture.store.recovery.storedKeyCount > 0)
    #expect(try fixture.store.count() == 0)
    #expect(fixture.store.accountFindings() == [])
    try fixture.close()
  }

  private enum Clearing: CaseIterable {
    case collection, own, drop, everything, dropAndCreate
  }

  @Test(arguments: Clearing.allCases)
  private func `What was cleared since does not come back, and is swept out`(_ clearing: Clearing) throws {
    let fixture = try Self.stored()
    let store = fixture.store
    var counts = ["": 50, "users": 50, "orders": 50]
    switch clearing {
    case .collection:
      try store.collection("users").removeAll()
      counts["users"] = 0
    case .own:
      try store.removeAll()
      counts[""] = 0
    case .drop:
      try store.dropCollection("users")
      counts["users"] = nil
    case .everything:
      try store.removeEverything()
      counts = ["": 0, "users": 0, "orders": 0]
    case .dropAndCreate:
      try store.dropCollection("users")
      try store.collection("users").set("new", forKey: "key 1")
      counts["users"] = 1
    }
    // Records that replace dead ones do not count twice.
    let orders = try store.collection("orders")
    for number in 0..<10 {
      try store.set("later", forKey: "key \(number)")
      try orders.set("later", forKey: "key \(number)")
      try orders.remove(forKey: "key \(number + 20)")
    }
    if counts[""] == 0 { counts[""] = 10 }
    counts["orders"] = counts["orders"] == 0 ? 10 : 40
    try fixture.close()
    let report = try fixture.disk.expectSameIndex()
    #expect(report.storedCount == (clearing == .everything ? 0 : 150))
    #expect(report.hasDead == (clearing != .everything))

    let scanned = try fixture.another { $0.storesIndex = false }
    let figures = scanned.statistics
    #expect(scanned.recovery.storedKeyCount == 0)
    try scanned.close()
    try fixture.open()
    #expect(fixture.store.recovery.storedKeyCount == report.storedCount)
    for (name, count) in counts {
      let keys = try name.isEmpty ? fixture.store.defaultCollection : fixture.store.collection(name)
      #expect(try keys.count() == count, "\(name)")
      #expect(try keys.keys().count == count, "\(name)")
    }
    #expect(fixture.store.statistics.liveKeyCount == figures.liveKeyCount)
    fixture.scheduler.runDue()
    #expect(fixture.store.statistics.liveByteCount == figures.liveByteCount)
    #expect(fixture.store.statistics.deadByteCount == figures.deadByteCount)
    #expect(try fixture.store.storeIndex())
    try fixture.close()
    #expect(try fixture.disk.expectSameIndex().hasDead == false)
  }

  @Test func `What was cleared before is not stored`() throws {
    let fixture = try Self.stored()
    // Nothing sweeps the index before it is stored.
    try fixture.store.collection("users").removeAll()
    try fixture.store.collection("users").set("1", forKey: "key 1")
    #expect(try fixture.store.storeIndex())
    try fixture.close()
    let report = try fixture.disk.expectSameIndex()
    #expect(report.storedCount == 101)
    #expect(!report.hasDead)
  }

  @Test func `Removed, replaced, large and batched records come out as by a scan`() throws {
    let fixture = try Self.stored()
    let store = fixture.store
    let users = try store.collection("users")
    for number in 0..<10 { try store.remove(forKey: "key \(number)") }
    try store.set([UInt8](repeating: 1, count: 200_000), forKey: "key 11")
    try store.batch { batch in
      batch.set("a", forKey: "key 12")
      batch.remove(forKey: "key 13", in: users)
      batch.set("b", forKey: "new", in: users)
    }
    #expect(try fixture.disk.afterProcessDeath().expectSameIndex().storedCount == 150)
    #expect(try store.storeIndex())
    try store.set("c", forKey: "key 11")
    #expect(try fixture.disk.afterProcessDeath().expectSameIndex().storedCount == 140)
    try store.setExpiry(.at(milliseconds: 1 << 44), forKey: "key 14")
    try store.setExpiry(.never, forKey: "key 15")
    try fixture.close()
    #expect(try fixture.disk.expectSameIndex().storedCount == 140)
  }
}
