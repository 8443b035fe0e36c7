import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// The end of an opening.
struct StoreClosingTests {
  @Test(arguments: accesses)
  func `Closing and opening again and again keeps everything, and is clean each time`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    for round in 0..<30 {
      #expect(fixture.store.recovery.wasClosed)
      #expect(fixture.store.recovery.cut == nil)
      #expect(fixture.store.recovery.isDurable)
      for number in 0..<round {
        #expect(try fixture.store.retrieve(forKey: "\(number)") == pattern(700, number))
      }
      #expect(try fixture.store.count() == round)
      try fixture.store.set(pattern(700, round), forKey: "\(round)")
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `Opening and closing without a change writes nothing but who did it`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("value", forKey: "key")
    try fixture.reopen()
    let byteCount = fixture.contents.count
    for _ in 0..<10 {
      let call = fixture.disk.callCount
      try fixture.reopen()
      #expect(fixture.changes(since: call) == [.write])
      #expect(fixture.contents.count == byteCount)
    }
  }

  @Test(arguments: accesses)
  func `Every call on a closed store says that it is closed`(access: SedimentOptions.Access) async throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    try AnyChange.prepare(store)
    let users = try store.collection("users")
    try fixture.close()
    let call = fixture.disk.callCount
    for reading in StoreReading.allCases {
      #expect(code { try reading.make(in: store) } == .closed, "\(reading)")
      #expect(code { try reading.make(in: users) } == .closed, "\(reading)")
    }
    for change in AnyChange.allCases {
      for durability in [nil, .unsynced, .synced] as [SedimentDurability?] {
        #expect(code { try change.make(in: store, durability) } == .closed, "\(change)")
      }
    }
    for change in StoreChange.allCases {
      #expect(code { try change.make(in: users) } == .closed, "\(change)")
    }
    #expect(code { try store.dropCollection("never there") } == .closed)
    #expect(code { try store.sync() } == .closed)
    #expect(code { try store.checkpoint() } == .closed)
    #expect(await code { try await store.sync() } == .closed)
    #expect(fixture.disk.callCount == call)
    // What does not go to the file is still told.
    #expect(store.path == StoreFixture.path)
    #expect(store.recovery.wasClosed)
    _ = store.statistics
    _ = store.collectionNames
  }

  @Test func `Closing again does nothing, also on another thread`() throws {
    let fixture = try StoreFixture(isObserved: true)
    let store = fixture.store
    try store.set("value", forKey: "key")
    let threads = (0..<4).map { _ in TestThread { try? store.close() } }
    for thread in threads { thread.join() }
    let call = fixture.disk.callCount
    try store.close()
    #expect(fixture.disk.callCount == call)
    #expect(fixture.events.count("closed") == 1)
    try fixture.open()
    #expect(fixture.store.recovery.wasClosed)
  }

  @Test(arguments: accesses)
  func `A store that is dropped is closed, its last changes synced and its lock released`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access, durability: .interval(.seconds(1)))
    try fixture.store.set("value", forKey: "key")
    fixture.drop()
    #expect(fixture.scheduler.pendingCount == 0)
    let after = try StoreFixture(access, on: fixture.disk.afterPowerLoss(.nothing))
    #expect(after.store.recovery.wasClosed)
    #expect(try after.store.contains("key"))
    try fixture.open()
    #expect(try fixture.store.contains("key"))
  }

  @Test func `A real store that is dropped can be opened again at once`() throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    for round in 0..<50 {
      let options = SedimentOptions(durability: .interval(.milliseconds(1)), mustExist: round > 0)
      let store = try SedimentStore(path: directory["store"], options: options)
      #expect(try store.count() == round)
      try store.set("value", forKey: "\(round)")
    }
  }

  // MARK: From inside

  @Test(arguments: accesses)
  func `A value in place stays until its closure ends, though the store is closed in it`(
    access: SedimentOptions.Access
  ) throws {
    let directory = try StoreDirectory()
    for count in [100, 300_000] {
      let options = SedimentOptions(durability: .unsynced, access: access)
      let store = try SedimentStore(path: directory["store"], options: options)
      try store.set(pattern(count), forKey: "key")
      try store.withValue(forKey: "key") { value in
        try store.close()
        // Nobody else gets the file, and the value stays as it was.
        for readOnly in [false, true] {
          let error = #expect(throws: SedimentError.self) {
            try SedimentStore(path: directory["store"], options: SedimentOptions(readOnly: readOnly))
          }
          #expect(error?.code == .locked)
          #expect(error?.message.hasPrefix("This process is closing the store") == true)
        }
        #expect(code { try SedimentStore.destroy(path: directory["store"]) } == .locked)
        #expect(same([UInt8](sedimentBytes: value), pattern(count)))
        #expect(code { _ = try store.contains("key") } == .closed)
        try store.close()
      }
      // Now it does.
      try SedimentStore(path: directory["store"], options: options).close()
    }
  }

  @Test(arguments: accesses)
  func `Closures that close the store they are inside end with it`(access: SedimentOptions.Access) throws {
    let bodies: [(SedimentStore) throws -> Void] = [
      { store in
        try store.forEach { _, _ in
          try store.close(); return .continue
        }
      },
      { store in
        try store.forEachKey(withPrefix: "") { _ in
          try store.close(); return .continue
        }
      },
      { store in try store.withValues(forKeys: ["a", "b"]) { _, _ in try store.close() } },
      { store in
        try store.update(forKey: "a") { _ in
          try store.close(); return [1]
        }
      },
      { store in
        try store.update(forKey: "a") { _ in
          try store.close(); return nil
        }
      },
      { store in
        try store.batch {
          $0.set("2", forKey: "a"); try store.close()
        }
      },
      { store in try store.withValue(forKey: "a") { _ in try store.close() } },
    ]
    for (number, body) in bodies.enumerated() {
      let fixture = try StoreFixture(access)
      for key in ["a", "b", "c"] { try fixture.store.set("1", forKey: key) }
      let failure = code { try body(fixture.store) }
      #expect(failure == nil || failure == .closed, "\(number)")
      try fixture.open()
      #expect(try fixture.store.retrieve(forKey: "a", as: String.self) == "1")
      #expect(fixture.store.recovery.wasClosed)
    }
  }

  // MARK: While others are inside

  @Test(arguments: accesses, [SedimentDurability.unsynced, .interval(.milliseconds(1)), .synced])
  func `Calls of other threads finish or say that the store is closed, and what they changed is there`(
    access: SedimentOptions.Access, durability: SedimentDurability
  ) throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    let options = SedimentOptions(durability: durability, access: access)
    for round in 0..<4 {
      let store = try SedimentStore(path: directory["\(round)"], options: options)
      try AnyChange.prepare(store)
      for number in 0..<500 { try store.set(pattern(100, number), forKey: "\(number)") }
      let started = Counter()
      let others = Counter()
      let written = (0..<2).map { _ in Counter() }
      let writers = (0..<2).map { number in
        TestThread {
          started.add()
          while true {
            let key = written[number].value
            let failure = code { try store.set("\(key)", forKey: "\(number) \(key)") }
            if failure == nil { written[number].add(); continue }
            if failure != .closed { others.add() }
            return
          }
        }
      }
      let readers = (0..<2).map { _ in
        TestThread {
          started.add()
          while true {
            let failures = StoreReading.allCases.filter { $0 != .text }.map { reading in
              code { try reading.make(in: store) }
            }
            if failures.contains(where: { $0 != nil && $0 != .closed }) { others.add() }
            if failures.last == .closed { return }
          }
        }
      }
      started.wait(for: 4)
      written[0].wait(for: 20)
      try store.close()
      for thread in writers + readers { thread.join() }
      #expect(others.value == 0)
      let again = try SedimentStore(path: directory["\(round)"], options: options)
      #expect(again.recovery.wasClosed)
      for number in 0..<2 {
        #expect(try again.keys(withPrefix: "\(number) ").count == written[number].value)
      }
      try again.close()
    }
  }
}
