import Sediment
import SedimentSupport
import Testing

/// Values that are made of the value before.
struct StoreUpdateTests {
  @Test(arguments: accesses)
  func `An update sees the value and replaces it`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let values: [[UInt8]?] = [nil, [], [1, 2, 3], pattern(140_000)]
    for old in values {
      for new in values {
        try fixture.store.removeAll()
        if let old { try fixture.store.set(old, forKey: "key") }
        try fixture.store.update(forKey: "key") { found in
          #expect(same(found, old))
          return new
        }
        #expect(try same(fixture.store.retrieve(forKey: "key"), new))
        #expect(try fixture.store.count() == (new == nil ? 0 : 1))
      }
    }
  }

  @Test(arguments: accesses)
  func `An update of text sees the text and replaces it`(access: SedimentOptions.Access) throws {
    let store = try StoreFixture(access).store
    for new in ["1", "", nil, "2"] as [String?] {
      let old = try store.retrieve(forKey: "key", as: String.self)
      try store.update(forKey: "key", as: String.self) { found in
        #expect(found == old)
        return new
      }
      #expect(try store.retrieve(forKey: "key", as: String.self) == new)
    }
    try store.set([0xFF] as [UInt8], forKey: "key")
    #expect(code { try store.update(forKey: "key", as: String.self) { _ in "new" } } == .undecodable)
    #expect(try store.retrieve(forKey: "key") == [0xFF])
  }

  @Test func `An update to nothing of nothing writes nothing`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "another")
    let sequence = fixture.store.statistics.sequence
    try fixture.store.update(forKey: "key") { _ in nil }
    #expect(fixture.store.statistics.sequence == sequence)
  }

  @Test func `An update that throws changes nothing`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key")
    let sequence = fixture.store.statistics.sequence
    #expect(throws: Refusal()) { try fixture.store.update(forKey: "key") { _ in throw Refusal() } }
    #expect(fixture.store.statistics.sequence == sequence)
    #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "value")
    #expect(Readers.depth == 0)
  }

  /// What another thread does to the key while the closure runs for the first time.
  enum Interference: CaseIterable {
    case set, setToTheSame, remove, removeAndSet, removeAll
  }

  @Test(arguments: accesses, Interference.allCases)
  func `An update begins again if another thread changes the key meanwhile`(
    access: SedimentOptions.Access, interference: Interference
  ) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    try store.set("old", forKey: "key")
    var seen: [String?] = []
    try store.update(forKey: "key") { old in
      seen.append(old.map { String(decoding: $0, as: UTF8.self) })
      if seen.count == 1 {
        TestThread.run {
          switch interference {
          case .set: try? store.set("other", forKey: "key")
          case .setToTheSame: try? store.set("old", forKey: "key")
          case .remove: _ = try? store.remove(forKey: "key")
          case .removeAll: try? store.removeAll()
          case .removeAndSet:
            _ = try? store.remove(forKey: "key")
            try? store.set("other", forKey: "key")
          }
        }
      }
      return old.map { $0 + [33] } ?? [63]
    }
    let second: String? =
      switch interference {
      case .set, .removeAndSet: "other"
      case .setToTheSame: "old"
      case .remove, .removeAll: nil
      }
    #expect(seen == ["old", second])
    #expect(try store.retrieve(forKey: "key", as: String.self) == second.map { $0 + "!" } ?? "?")
  }

  @Test func `An update of an absent key begins again if the key is set meanwhile`() throws {
    for result in [nil, [9]] as [[UInt8]?] {
      let fixture = try StoreFixture()
      let store = fixture.store
      var runCount = 0
      try store.update(forKey: "key") { old in
        runCount += 1
        if runCount == 1 { TestThread.run { try? store.set("other", forKey: "key") } }
        return result
      }
      #expect(runCount == 2)
      #expect(try store.retrieve(forKey: "key") == result)
    }
  }

  @Test func `The closure of an update uses the store, other keys of it and its own`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    var runCount = 0
    try store.update(forKey: "key") { old in
      runCount += 1
      try store.set("seen", forKey: "another")
      if runCount == 1 { try store.set("inner", forKey: "key") }
      try store.update(forKey: "third") { ($0 ?? []) + [1] }
      return (old ?? []) + Array("+".utf8)
    }
    #expect(runCount == 2)
    #expect(try store.retrieve(forKey: "key", as: String.self) == "inner+")
    #expect(try store.retrieve(forKey: "another", as: String.self) == "seen")
    #expect(try store.retrieve(forKey: "third") == [1, 1])
  }
}
