import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Calls of several threads at a time on a store of a simulated disk.
struct StoreThreadTests {
  @Test func `Of many threads that set an absent key one does`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let winners = Counter()
    let threads = (0..<4).map { number in
      TestThread {
        for key in 0..<200 {
          if (try? store.setIfAbsent("\(number)", forKey: "\(key)")) == true { winners.add() }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(winners.value == 200)
    #expect(try store.count() == 200)
  }

  @Test func `Threads that exchange a number until they succeed count each other's`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let threads = (0..<3).map { _ in
      TestThread {
        for _ in 0..<200 {
          while true {
            guard let old = try? store.retrieve(forKey: "count") ?? [] else { return }
            let new = old.isEmpty ? [0, 1] : [UInt8(old[1] == 255 ? old[0] + 1 : old[0]), old[1] &+ 1]
            let isDone = try? store.compareAndSet(
              forKey: "count", expected: old.isEmpty ? nil : old, new: new)
            if isDone == true { break }
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(try store.retrieve(forKey: "count") == [2, 88])
  }

  @Test(arguments: accesses)
  func `Updates of many threads are all there`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let threads = (0..<4).map { _ in
      TestThread {
        for _ in 0..<250 {
          try? store.update(forKey: "count") { old in
            var bytes = old ?? [0, 0]
            bytes[1] &+= 1
            if bytes[1] == 0 { bytes[0] += 1 }
            return bytes
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(try store.retrieve(forKey: "count") == [3, 232])
  }

  @Test(arguments: accesses)
  func `Readers never see a batch in part`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let keys = (0..<40).map { "\($0)" }
    let isDone = Counter()
    let violations = Counter()
    let reader = TestThread {
      var round = 0
      while isDone.value == 0 {
        // Whoever is read later must not be older than who was read before.
        let order = round % 2 == 0 ? keys : keys.reversed()
        var last = 0
        for key in order {
          guard let value = try? store.retrieve(forKey: key) else { continue }
          let number = Int(value[0]) << 8 | Int(value[1])
          if number < last { violations.add() }
          last = number
        }
        round += 1
      }
    }
    for number in 0..<600 {
      try store.batch { batch in
        for key in keys { batch.set([UInt8(number >> 8), UInt8(number & 0xFF)], forKey: key) }
      }
    }
    isDone.add()
    reader.join()
    #expect(violations.value == 0)
    #expect(try store.retrieve(forKey: "39") == [2, 87])
  }

  /// What other threads do while one goes through the keys that stay.
  enum Disturbance: CaseIterable {
    case overwriting, comingAndGoing, growing, batches
  }

  @Test(arguments: accesses, Disturbance.allCases)
  func `Keys that are there the whole time come exactly once while others write`(
    access: SedimentOptions.Access, disturbance: Disturbance
  ) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let stableCount = 2_000
    for number in 0..<stableCount { try store.set("0", forKey: "stays \(number)") }
    let isDone = Counter()
    let changes = Counter()
    let writer = TestThread {
      var number = 0
      while isDone.value == 0 {
        switch disturbance {
        case .overwriting:
          try? store.set("\(number)", forKey: "stays \(number % stableCount)")
        case .comingAndGoing:
          try? store.set("1", forKey: "goes \(number % 500)")
          _ = try? store.remove(forKey: "goes \((number + 250) % 500)")
        case .growing:
          try? store.set("1", forKey: "new \(number)")
        case .batches:
          try? store.batch { batch in
            for member in 0..<10 {
              batch.set("b", forKey: "stays \((number + member * 200) % stableCount)")
            }
            batch.set("c", forKey: "new \(number)")
          }
        }
        number += 1
        changes.add()
      }
    }
    changes.wait(for: 10)
    for _ in 0..<6 {
      let before = changes.value
      var seen = [Int](repeating: 0, count: stableCount)
      try store.forEachKey(withPrefix: "stays ") { key in
        seen[Int(String(sedimentBytes: key)!.dropFirst(6))!] += 1
        return .continue
      }
      #expect(seen.allSatisfy { $0 == 1 })
      changes.wait(for: before + 200)
    }
    isDone.add()
    writer.join()
    #expect(try store.keys(withPrefix: "stays ").count == stableCount)
  }

  @Test func `Synced sets of many threads are all durable, and share syncs`() throws {
    let fixture = try StoreFixture(durability: .synced)
    let store = fixture.store
    let threads = (0..<8).map { number in
      TestThread {
        for key in 0..<25 { try? store.set("\(number)", forKey: "\(number) \(key)") }
      }
    }
    for thread in threads { thread.join() }
    #expect(try StoreFixture(on: fixture.disk.afterPowerLoss(.nothing)).store.count() == 200)
    #expect(store.statistics.syncCount <= 200)
  }

  @Test func `All who wait for a sync that fails are told`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    try store.set("value", forKey: "key")
    try store.sync()
    fixture.disk.injectForGood(.error(.inputOutput), only: [.sync])
    let told = Counter()
    let threads = (0..<6).map { number in
      TestThread {
        if code({ try store.set("new", forKey: "\(number)", durability: .synced) }) == .outcomeUnknown {
          told.add()
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(told.value == 6)
  }
}
