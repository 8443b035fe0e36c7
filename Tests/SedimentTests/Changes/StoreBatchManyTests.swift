import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Batches of many changes, and how they are collected.
struct StoreBatchManyTests {
  /// What a key is to have.
  private enum Kind: CaseIterable {
    case small, empty, text, large, expiring, removed
  }

  @Test(arguments: accesses)
  func `Batches of many changes leave what a dictionary has`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access, compression: access == .automatic ? .automatic : .off)
    var generator = SeededGenerator(seed: 20)
    var expected = [[String: [UInt8]]](repeating: [:], count: 3)
    for round in 0..<24 {
      let collections = [nil, try fixture.store.collection("one"), try fixture.store.collection("two")]
      try fixture.store.batch { batch in
        // Some fill several groups of those that are looked up together.
        for _ in 0..<[1, 2, 63, 64, 65, 300][round % 6] {
          let number = Int(generator.next() % 3)
          let key = "key \(generator.next() % 90)"
          // Large ones are few, and only in the collection that the store itself is.
          let choice = Kind.allCases[Int(generator.next() % 6)]
          let kind = choice == .large && (number > 0 || generator.next() % 8 > 0) ? .small : choice
          let value: [UInt8]
          switch kind {
          case .small, .expiring: value = pattern(1 + Int(generator.next() % 200), round)
          case .empty: value = []
          case .text: value = Array(String(repeating: "text that can be compressed ", count: 40).utf8)
          case .large: value = pattern(200_000, round)
          case .removed:
            expected[number][key] = nil
            if let collection = collections[number] {
              batch.remove(forKey: key, in: collection)
            } else {
              batch.remove(forKey: key)
            }
            continue
          }
          expected[number][key] = value
          let duration: Duration? = kind == .expiring ? .seconds(1_000_000) : nil
          if let collection = collections[number] {
            batch.set(value, forKey: key, in: collection, expiresIn: duration)
          } else {
            batch.set(value, forKey: key, expiresIn: duration)
          }
        }
      }
      try check(fixture.store, expected)
      if round % 5 == 4 {
        let liveByteCount = fixture.store.statistics.liveByteCount
        try fixture.reopen()
        try check(fixture.store, expected)
        #expect(fixture.store.statistics.liveByteCount == liveByteCount)
      }
    }
  }

  private func check(_ store: SedimentStore, _ expected: [[String: [UInt8]]]) throws {
    for (number, expected) in expected.enumerated() {
      let keyspace = try number == 0 ? store.defaultCollection : store.collection(number == 1 ? "one" : "two")
      var found: [String: [UInt8]] = [:]
      try keyspace.forEach { key, value in
        found[String(decoding: [UInt8](sedimentBytes: key), as: UTF8.self)] = [UInt8](sedimentBytes: value)
        return .continue
      }
      #expect(found == expected)
      #expect(try keyspace.count() == expected.count)
      for (key, value) in expected { #expect(try keyspace.retrieve(forKey: key) == value) }
    }
  }

  @Test(arguments: accesses)
  func `A synced batch takes as many calls however many changes it has`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access, durability: .synced)
    func calls(_ count: Int) throws -> Int {
      let before = fixture.disk.callCount
      try fixture.store.batch { batch in
        for number in 0..<count { batch.set(pattern(20), forKey: "\(before) \(number)") }
      }
      return fixture.disk.callCount - before
    }
    _ = try calls(1)
    #expect(try calls(2) == calls(200))
  }

  @Test func `What is added to a copy of a batch is not in the batch`() throws {
    let fixture = try StoreFixture(.automatic)
    try fixture.store.batch { batch in
      batch.set("1", forKey: "both")
      var copy = batch
      copy.set("2", forKey: "both")
      copy.set("2", forKey: "copy")
      batch.set("1", forKey: "batch")
      copy.set("2", forKey: "copy again")
    }
    #expect(try fixture.store.retrieve(forKey: "both", as: String.self) == "1")
    #expect(try fixture.store.retrieve(forKey: "batch", as: String.self) == "1")
    #expect(try fixture.store.count() == 2)
  }
}
