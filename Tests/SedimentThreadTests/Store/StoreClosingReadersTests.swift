import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a close waits for, and what it does not wait for.
struct StoreClosingReadersTests {
  @Test(arguments: accesses)
  func `A store that is closed in a closure of another one is let go of at once, though it was read there`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let other = try StoreFixture(access)
    try fixture.store.set("1", forKey: "a")
    try other.store.set("2", forKey: "b")
    try fixture.store.withValue(forKey: "a") { _ in
      #expect(try other.store.retrieve(forKey: "b", as: String.self) == "2")
      try other.reopen()
      #expect(try other.store.retrieve(forKey: "b", as: String.self) == "2")
    }
  }

  @Test func `Two threads that each close the store which the other reads end`() throws {
    let fixtures = [try StoreFixture(), try StoreFixture()]
    let stores = fixtures.map(\.store)
    for store in stores { try store.set(pattern(3_000), forKey: "key") }
    let inside = Counter()
    let closed = Counter()
    let wasSame = Counter()
    let threads = (0..<2).map { number in
      TestThread {
        try? stores[number].withValue(forKey: "key") { value in
          inside.add()
          inside.wait(for: 2)
          try? stores[1 - number].close()
          closed.add()
          closed.wait(for: 2)
          if same([UInt8](sedimentBytes: value), pattern(3_000)) { wasSame.add() }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(wasSame.value == 2)
    for fixture in fixtures { try fixture.open() }
  }

  @Test func `A close waits for values in place on other threads, and so does one beside it`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let inside = Counter()
    let mayLeave = Counter()
    let wasSame = Counter()
    let opened = Counter()
    try store.set(pattern(200_000), forKey: "key")
    let reader = TestThread {
      try? store.withValue(forKey: "key") { value in
        inside.add()
        mayLeave.wait(for: 1)
        if same([UInt8](sedimentBytes: value), pattern(200_000)) { wasSame.add() }
      }
    }
    inside.wait(for: 1)
    let options = fixture.options
    let disk = fixture.disk
    let closers = (0..<2).map { _ in
      TestThread {
        try? store.close()
        // Whichever comes first has it.
        if let own = try? SedimentStore(path: StoreFixture.path, options: options, disk: disk) {
          opened.add()
          try? own.close()
        }
      }
    }
    #expect(eventually { code { _ = try store.contains("key") } == .closed })
    for _ in 0..<100 { #expect(code { try fixture.open() } == .locked) }
    mayLeave.add()
    for thread in closers + [reader] { thread.join() }
    #expect(wasSame.value == 1)
    #expect(opened.value >= 1)
  }

  @Test func `A second close returns when the first has ended, and fails with the same error`() throws {
    for fails in [false, true] {
      let disk = HeldSyncDisk(SimulatedDisk(seed: 1))
      let store = try SedimentStore(
        path: StoreFixture.path, options: SedimentOptions(durability: .unsynced), disk: disk,
        scheduler: ManualScheduler())
      try store.set("value", forKey: "key")
      if fails { disk.inner.injectForGood(.error(.inputOutput), only: [.sync]) }
      disk.gate.hold()
      let first = Counter()
      let second = Counter()
      let begun = Counter()
      let failures = Counter()
      let opened = Counter()
      let threads = [
        TestThread {
          if code({ try store.close() }) == .outcomeUnknown { failures.add() }
          first.add()
        },
        TestThread {
          disk.gate.arrived.wait(for: 1)
          begun.add()
          if code({ try store.close() }) == .outcomeUnknown { failures.add() }
          second.add()
          if code({ try SedimentStore.destroy(path: StoreFixture.path, on: disk) }) == nil { opened.add() }
        },
      ]
      begun.wait(for: 1)
      for _ in 0..<1000 where second.value == 0 { usleep(10) }
      #expect(second.value == 0)
      disk.gate.released.add(1_000_000)
      for thread in threads { thread.join() }
      #expect(first.value == 1)
      #expect(opened.value == 1)
      #expect(failures.value == (fails ? 2 : 0))
    }
  }

  @Test func `An observer, and whoever waits for a sync without a thread, may close beside others`() throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    for round in 0..<200 {
      let box = Mutex<SedimentStore?>(nil)
      var options = SedimentOptions(durability: .interval(.milliseconds(1)))
      options.observer = { event in
        if case .recovered = event { return }
        let store = box.withLock { $0 }
        try? store?.close()
      }
      let store = try SedimentStore(path: directory["store"], options: options)
      box.withLock { $0 = store }
      let resumed = Counter()
      for number in 0..<5 {
        guard
          code({ try store.set(pattern(2_000, number), forKey: "\(number)", durability: .unsynced) }) == nil
        else { break }
      }
      store.sync { _ in
        try? store.close()
        resumed.add()
      }
      // These sync as well, with locks taken.
      if round % 3 == 0 { _ = code { try store.checkpoint() } }
      if round % 3 == 1 { _ = code { try store.compact() } }
      resumed.wait(for: 1)
      try store.close()
      box.withLock { $0 = nil }
      try SedimentStore(path: directory["store"]).close()
    }
  }

  @Test func `A writer that looks for room in a full store hears at once that it was closed`() throws {
    let fixture = try StoreFixture(maxByteCount: 1 << 20)
    let store = fixture.store
    let count = try fixture.fill()
    let inside = Counter()
    let hasEnded = Counter()
    let codes = Mutex<[SedimentError.Code?]>([])
    // What is removed is held by the reader, so that a writer waits for it: the clock of the disk stands still.
    let reader = TestThread {
      try? store.withValue(forKey: "0") { _ in
        inside.add()
        hasEnded.wait(for: 1)
      }
    }
    inside.wait(for: 1)
    for number in 1..<count { try store.remove(forKey: "\(number)") }
    let writer = TestThread {
      var found: SedimentError.Code?
      var number = 0
      while found == nil {
        found = code { try store.set(pattern(3_000, number), forKey: "new \(number)") }
        number += 1
      }
      codes.withLock { $0.append(found) }
      hasEnded.add()
    }
    usleep(50_000)
    try store.close()
    for thread in [writer, reader] { thread.join() }
    #expect(codes.withLock { $0 } == [.closed])
  }
}
