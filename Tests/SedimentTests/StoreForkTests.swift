import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// What a child after a fork may do with a store of its parent's: nothing, and without harm to the parent.
@Suite(.serialized) struct StoreForkTests {
  @Test(arguments: accesses)
  func `Every call in a child says that the store is the parent's`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    try AnyChange.prepare(store)
    let users = try store.collection("users")
    // The child does only what was done before the fork.
    for reading in StoreReading.allCases where reading != .text { try reading.make(in: users) }
    #expect(code { _ = try fixture.another() } == .locked)
    let before = fixture.image
    let answer = inForkedChild {
      var wrong: UInt8 = 0
      for reading in StoreReading.allCases {
        if code({ try reading.make(in: store) }) != .forked { wrong += 1 }
        if code({ try reading.make(in: users) }) != .forked { wrong += 1 }
      }
      for change in AnyChange.allCases {
        if code({ try change.make(in: store) }) != .forked { wrong += 1 }
        if code({ try change.make(in: store, .synced) }) != .forked { wrong += 1 }
      }
      if code({ try store.sync() }) != .forked { wrong += 1 }
      if code({ try store.checkpoint() }) != .forked { wrong += 1 }
      if code({ try store.close() }) != .forked { wrong += 1 }
      _ = store.statistics
      return 100 + wrong
    }
    #expect(answer == 100)
    #expect(fixture.image == before)
    // The parent's is as it was.
    try store.set("value", forKey: "key")
    #expect(try store.retrieve(forKey: "key", as: String.self) == "value")
    try fixture.reopen()
    #expect(fixture.store.recovery.wasClosed)
  }

  @Test func `A child that drops the store or ends does not release the parent's lock`() throws {
    let directory = try StoreDirectory()
    let path = directory["store"]
    var store: SedimentStore? = try SedimentStore(path: path)
    try store?.set("value", forKey: "key")
    let answer = inForkedChild {
      store = nil
      return 7
    }
    #expect(answer == 7)
    #expect(code { try SedimentStore.destroy(path: path) } == .locked)
    try store?.set("value", forKey: "another")
    try store?.close()
    #expect(try SedimentStore(path: path).count() == 2)
  }

  @Test(.disabled(if: hasThreadSanitizer, "A child may inherit a lock of the sanitizer's."))
  func `A child is refused while other threads of the parent are in every part of the store`() throws {
    let fixture = try StoreFixture(durability: .interval(.milliseconds(1)))
    let store = fixture.store
    try AnyChange.prepare(store)
    #expect(code { try store.setIfAbsent("", forKey: [UInt8](repeating: 0, count: 70_000)) } == .tooLarge)
    // What the child is to do was done here before.
    try store.batch { $0.remove(forKey: "nowhere") }
    try store.remove(forKey: "nowhere")
    try store.sync()
    let isDone = Counter()
    let rounds = Counter()
    let threads = (0..<3).map { number in
      TestThread {
        while isDone.value == 0 {
          try? store.set("\(number)", forKey: "busy")
          try? store.sync()
          _ = try? store.remove(forKey: "busy")
          _ = store.statistics
          rounds.add()
        }
      }
    }
    rounds.wait(for: 3)
    for _ in 0..<30 {
      let answer = inForkedChild {
        var wrong: UInt8 = 0
        if code({ try store.set("child's", forKey: "key") }) != .forked { wrong += 1 }
        if code({ try store.remove(forKey: "key") }) != .forked { wrong += 2 }
        if code({ try store.sync() }) != .forked { wrong += 4 }
        if code({ try store.batch { $0.remove(forKey: "key") } }) != .forked { wrong += 8 }
        if code({ try store.close() }) != .forked { wrong += 16 }
        if code({ _ = try store.contains("key") }) != .forked { wrong += 32 }
        return 100 + wrong
      }
      #expect(answer == 100)
    }
    isDone.add()
    for thread in threads { thread.join() }
    #expect(try store.retrieve(forKey: "key") == [7])
  }

  @Test(.disabled(if: hasThreadSanitizer, "The sanitizer lets a child start no threads."))
  func `A child opens stores of its own, and is told that its parent's is in use`() throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(path: directory["parent's"])
    try store.set("value", forKey: "key")
    let childs = directory["child's"]
    // What the child is to do was done here before.
    try SedimentStore(path: childs).close()
    #expect(code { _ = try SedimentStore(path: directory["parent's"]) } == .locked)
    let answer = inForkedChild {
      if code({ _ = try SedimentStore(path: directory["parent's"]) }) != .locked { return 1 }
      let options = SedimentOptions(durability: .interval(.milliseconds(1)))
      guard let own = try? SedimentStore(path: childs, options: options) else { return 2 }
      guard (try? own.set("value", forKey: "key")) != nil else { return 3 }
      guard eventually({ own.statistics.syncCount > 0 }) else { return 4 }
      guard (try? own.close()) != nil else { return 5 }
      return 7
    }
    #expect(answer == 7)
    #expect(try SedimentStore(path: childs).contains("key"))
    try store.close()
  }

  @Test func `A store that the parent closes stays refused in the child`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    #expect(inForkedChild { code { try store.close() } == .forked ? 7 : 0 } == 7)
    try store.close()
    #expect(inForkedChild { code { _ = try store.contains("key") } == .forked ? 7 : 0 } == 7)
  }
}
