import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// What each public call costs at most in a store that has much of what the call is not about: calls of the disk and
/// their bytes, where every record that is looked at is a call.
@Suite struct CostTests {
  typealias Burden = CostlyStore.Burden

  /// A call, how many records it looks at and how often it writes, at most.
  struct Row: Sendable {
    let name: String
    let readCountMax: Int
    let writeCountMax: Int
    /// Whether it goes through the index, which tells 32 named collections apart.
    let isWalk: Bool
    let call: @Sendable (CostlyStore) throws -> Void

    init(
      _ name: String, reads: Int, writes: Int = 0, isWalk: Bool = false,
      _ call: @escaping @Sendable (CostlyStore) throws -> Void
    ) {
      (self.name, readCountMax, writeCountMax, self.isWalk, self.call) = (name, reads, writes, isWalk, call)
    }
  }

  /// Calls in an order in which each finds the ten keys of `own`; the last two leave none.
  static let rows: [Row] = [
    Row("retrieve", reads: 1) { try #expect($0.own.retrieve(forKey: "1") == pattern(60, 1)) },
    Row("retrieve what is not there", reads: 0) { try #expect($0.own.retrieve(forKey: "x") == nil) },
    Row("withValue", reads: 1) { store in
      let byteCount = try store.own.withValue(forKey: "1") { value in value.byteCount }
      #expect(byteCount == 60)
    },
    Row("retrieve many", reads: 3) { store in
      try #expect(store.own.retrieve(forKeys: ["1", "2", "3", "x"]).count == 4)
    },
    Row("contains", reads: 1) { try #expect($0.own.contains("1")) },
    Row("expiry", reads: 1) { try #expect($0.own.expiry(forKey: "1") == .never) },
    Row("count", reads: 0) { try #expect($0.own.count() == 10) },
    Row("forEach", reads: 10, isWalk: true) { store in
      var count = 0
      try store.own.forEach { _, _ in
        count += 1
        return .continue
      }
      #expect(count == 10)
    },
    Row("forEachKey", reads: 10, isWalk: true) { store in
      var count = 0
      try store.own.forEachKey(withPrefix: "1") { _ in
        count += 1
        return .continue
      }
      #expect(count == 1)
    },
    Row("keys", reads: 10, isWalk: true) { try #expect($0.own.keys().count == 10) },
    Row("set a new key", reads: 0, writes: 1) { try $0.own.set("value", forKey: "new") },
    Row("set it again", reads: 1, writes: 1) { try $0.own.set("value", forKey: "new") },
    Row("setIfAbsent", reads: 1) { try #expect(!$0.own.setIfAbsent("value", forKey: "new")) },
    Row("update", reads: 3, writes: 1) { store in
      try store.own.update(forKey: "new") { value in (value ?? []) + [1] }
    },
    Row("compareAndSet", reads: 1) {
      try #expect(!$0.own.compareAndSet(forKey: "new", expected: nil, new: [1]))
    },
    Row("setExpiry", reads: 3, writes: 1) {
      try #expect($0.own.setExpiry(.at(milliseconds: 1 << 44), forKey: "new"))
    },
    Row("remove", reads: 1, writes: 1) { try #expect($0.own.remove(forKey: "new")) },
    Row("remove what is not there", reads: 0) { try #expect(!$0.own.remove(forKey: "new")) },
    Row("batch", reads: 1, writes: 1) { store in
      try store.store.batch { batch in
        batch.set("value", forKey: "new", in: store.own)
        batch.remove(forKey: "new", in: store.own)
        batch.remove(forKey: "9", in: store.own)
        batch.set(pattern(60, 9), forKey: "9", in: store.own)
      }
    },
    Row("statistics", reads: 0) { #expect($0.store.statistics.liveKeyCount >= 10) },
    Row("collectionNames", reads: 0) { #expect($0.store.collectionNames.contains("own")) },
    Row("collection", reads: 0) { try #expect($0.store.collection("own").name == "own") },
    Row("create a collection", reads: 0, writes: 1) { _ = try $0.store.collection("new") },
    Row("drop an empty collection", reads: 0, writes: 1) { try #expect($0.store.dropCollection("new")) },
    Row("clear a collection", reads: 10, writes: 1, isWalk: true) { try $0.own.removeAll() },
    Row("clear it again", reads: 0, writes: 1) { try $0.own.removeAll() },
    Row("set after it was cleared", reads: 0, writes: 1) { try $0.own.set("value", forKey: "1") },
    Row("drop a collection", reads: 1, writes: 1, isWalk: true) {
      try #expect($0.store.dropCollection("own"))
    },
  ]

  @Test(arguments: Burden.allCases)
  func `A call costs what it is about, whatever else the store has`(burden: Burden) throws {
    let store = try CostlyStore(burden)
    for row in Self.rows {
      let cost = try store.disk.cost {
        try row.call(store)
        // What a call leaves to the background is its cost as well.
        store.rest()
      }
      let readCountMax = row.readCountMax + (row.isWalk ? CostlyStore.alikeCount(burden) : 0)
      #expect(cost.readCount <= readCountMax, "\(row.name): \(cost)")
      #expect(cost.readByteCount <= cost.readCount * 512, "\(row.name): \(cost)")
      #expect(cost.writeCount <= row.writeCountMax, "\(row.name): \(cost)")
      #expect(cost.writtenByteCount <= cost.writeCount * 512, "\(row.name): \(cost)")
      #expect(cost.syncCount == 0, "\(row.name): \(cost)")
    }
  }

  @Test func `Counting a collection of which keys expire looks at none until one may have expired`()
    throws
  {
    let store = try CostlyStore(.defaultKeys)
    let keys = store.store
    try keys.set("", forKey: "far", expiry: .after(.seconds(1_000)))
    try keys.set("", forKey: "near", expiry: .after(.seconds(10)))
    try #expect(keys.count() == CostlyStore.burdenCount + 2)
    let cost = try store.disk.cost {
      for _ in 0..<10 { try #expect(keys.count() == CostlyStore.burdenCount + 2) }
    }
    #expect(cost == DiskCost())
    store.disk.inner.advanceClocks(by: .seconds(11))
    try #expect(keys.count() == CostlyStore.burdenCount + 1)
    let laterCost = try store.disk.cost {
      for _ in 0..<10 { try #expect(keys.count() == CostlyStore.burdenCount + 1) }
    }
    #expect(laterCost == DiskCost())
  }
}
