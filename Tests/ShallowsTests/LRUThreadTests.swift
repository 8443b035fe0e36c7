import Sediment
import SedimentTesting
import Shallows
import Synchronization
import Testing

/// Many threads at once.
@Suite struct LRUThreadTests {
  /// A value that knows its key, and breaks if it is read when it is gone.
  private final class Labelled: Sendable {
    let key: Int
    init(key: Int) { self.key = key }
  }

  @Test func `Threads that do everything at once find only what belongs to their keys`() throws {
    let storage = LRUStorage<Int, Labelled>(capacity: .count(64, cost: 500) { key, _ in key % 16 })
    let strangers = Sharing()
    onThreads(8) { number in
      var generator = SeededGenerator(seed: UInt64(number))
      for _ in 0..<20_000 / testScale {
        let key = Int(generator.next() % 128)
        switch generator.next() % 16 {
        case 0..<6:
          if let value = storage.value(forKey: key), value.key != key { strangers.add() }
        case 6..<11: storage.insert(Labelled(key: key), forKey: key)
        case 11: storage.removeValue(forKey: key)
        case 12: storage.insert(Labelled(key: key), forKey: key, expiry: .after(.milliseconds(1)))
        case 13: storage.modifyValue(forKey: key) { $0 = $0 == nil ? Labelled(key: key) : nil }
        case 14: storage.trim(toCount: 60)
        default:
          if generator.next() % 20 == 0 { storage.purge() }
          storage.removeExpired()
          if storage.keysByLastUse.count > 64 || storage.totalCost > 500 { strangers.add() }
        }
      }
    }
    #expect(strangers.count == 0)
    try storage.checkInvariants()
    let held = storage.keysByLastUse.allSatisfy { storage.peek(forKey: $0)?.key ?? $0 == $0 }
    #expect(held)
  }

  @Test func `Updates of many threads are lost by none`() {
    let storage = LRUStorage<String, Int>(capacity: .count(10))
    let rounds = 10_000 / testScale
    onThreads(8) { number in
      for round in 0..<rounds {
        storage.modifyValue(forKey: "sum") { $0 = ($0 ?? 0) + 1 }
        storage.insert(round, forKey: "\(number % 5)")
      }
    }
    #expect(storage.value(forKey: "sum") == 8 * rounds)
  }

  @Test func `Values that call the storage as they end do so from all threads`() {
    let storage = LRUStorage<Int, Ending>(capacity: .count(8))
    let ended = Sharing()
    let rounds = 5_000 / testScale
    onThreads(8) { number in
      for round in 0..<rounds {
        let ending = Ending { [weak storage] in
          ended.add()
          _ = storage?.value(forKey: round % 16)
        }
        storage.insert(ending, forKey: (round + number) % 16)
      }
    }
    storage.purge()
    #expect(ended.count == 8 * rounds)
  }
}

/// A count that threads share.
private final class Sharing: Sendable {
  private let number = Atomic<Int>(0)

  var count: Int { number.load(ordering: .relaxed) }

  func add() { number.add(1, ordering: .relaxed) }
}
