import Foundation
import Sediment
import Shallows
import Testing

/// When values cease to be there.
@Suite struct LRUExpiryTests {
  private let clock = LRUClock()

  private func storage(_ count: Int = 100) -> LRUStorage<String, Int> {
    LRUStorage(capacity: .count(count), clock: clock.read)
  }

  @Test func `An expired value is a miss, and is dropped by being asked for`() throws {
    let storage = storage()
    storage.insert(1, forKey: "a", expiry: .after(.milliseconds(10)))
    storage.insert(2, forKey: "b", expiry: .at(milliseconds: clock.now + 20))
    clock.now += 9
    #expect(storage.value(forKey: "a") == 1)
    clock.now += 1
    #expect(storage.peek(forKey: "a") == nil && storage.count == 2)
    #expect(storage.value(forKey: "a") == nil && storage.count == 1)
    #expect(storage.value(forKey: "b") == 2)
    clock.now += 10
    #expect(storage.removeValue(forKey: "b") == nil && storage.count == 0)
    let statistics = storage.statistics
    #expect(statistics.hits == 2 && statistics.misses == 1 && statistics.expirations == 2)
    try storage.checkInvariants()
  }

  @Test func `All that has expired is dropped at once on request`() throws {
    let storage = storage(1_000)
    for number in 0..<1_000 {
      storage.insert(number, forKey: "\(number)", expiry: .after(.seconds(number % 10)))
    }
    let before = storage.statistics.tableBytes
    clock.now += 9_000 - 1
    storage.removeExpired()
    #expect(storage.keysByLastUse == (0..<100).reversed().map { "\($0 * 10 + 9)" })
    #expect(storage.statistics.expirations == 900 && storage.statistics.tableBytes < before / 4)
    try storage.checkInvariants()
  }

  @Test func `A new value lives as long as it is given, or as the old one does`() {
    let storage = storage()
    storage.insert(1, forKey: "a", expiry: .after(.milliseconds(10)))
    storage.insert(2, forKey: "a", expiry: nil)
    storage.modifyValue(forKey: "a") { $0 = 3 }
    clock.now += 10
    #expect(storage.value(forKey: "a") == nil)
    // Nothing is left of the expiry of a value that has expired, or was replaced.
    storage.insert(1, forKey: "b", expiry: .after(.milliseconds(10)))
    clock.now += 10
    storage.insert(2, forKey: "b", expiry: nil)
    storage.insert(1, forKey: "c", expiry: .after(.milliseconds(10)))
    storage.insert(2, forKey: "c")
    clock.now += 1_000_000
    #expect(storage.value(forKey: "b") == 2 && storage.value(forKey: "c") == 2)
  }

  @Test func `Odd times are expired, or as good as never, and nothing traps`() {
    let storage = storage()
    let past: [StorageExpiry] = [
      .after(.zero), .after(.seconds(-5)), .after(.nanoseconds(-1)), .after(.seconds(Int64.min)),
      .at(milliseconds: 0), .at(milliseconds: 1), .at(milliseconds: clock.now), .at(Date.distantPast),
    ]
    for expiry in past {
      storage.insert(1, forKey: "a", expiry: expiry)
      #expect(storage.value(forKey: "a") == nil, "\(expiry)")
    }
    let future: [StorageExpiry] = [
      .after(.nanoseconds(1)), .after(.seconds(Int64.max)), .after(.milliseconds(UInt64.max)),
      .at(milliseconds: .max), .at(Date.distantFuture), .never,
    ]
    for expiry in future {
      storage.insert(1, forKey: "a", expiry: expiry)
      #expect(storage.value(forKey: "a") == 1, "\(expiry)")
    }
  }

  @Test func `A clock that jumps hides and shows, and drops only what was asked for meanwhile`() {
    let storage = storage()
    storage.insert(1, forKey: "a", expiry: .after(.seconds(10)))
    storage.insert(2, forKey: "b", expiry: .after(.seconds(10)))
    let start = clock.now
    clock.now = .max
    #expect(storage.value(forKey: "a") == nil && storage.peek(forKey: "b") == nil)
    clock.now = 0
    #expect(storage.value(forKey: "a") == nil && storage.value(forKey: "b") == 2)
    clock.now = start + 10_000
    #expect(storage.value(forKey: "b") == nil)
    clock.now = .max
    storage.insert(3, forKey: "c", expiry: .after(.seconds(1)))
    storage.insert(4, forKey: "d", expiry: nil)
    #expect(storage.value(forKey: "d") == 4)
  }

  @Test func `The clock is not looked at for values that do not expire`() {
    let storage = storage()
    storage.insert(1, forKey: "a")
    for _ in 0..<10 { #expect(storage.value(forKey: "a") == 1) }
    #expect(storage.value(forKey: "b") == nil)
    storage.insert(2, forKey: "a", expiry: nil)
    storage.modifyValue(forKey: "a") { $0 = 3 }
    storage.removeValue(forKey: "a")
    #expect(clock.readCount == 0)
  }

  @Test func `Without a clock of its own it goes by wall time`() {
    let storage = LRUStorage<String, Int>(capacity: .count(10))
    storage.insert(1, forKey: "a", expiry: .at(Date(timeIntervalSinceNow: 3_600)))
    storage.insert(2, forKey: "b", expiry: .at(Date(timeIntervalSinceNow: -3_600)))
    #expect(storage.value(forKey: "a") == 1 && storage.value(forKey: "b") == nil)
  }

  @Test func `Keys are those of values that have not expired`() async throws {
    let storage = storage()
    storage.insert(1, forKey: "a", expiry: .after(.milliseconds(10)))
    storage.insert(2, forKey: "b")
    clock.now += 10
    var keys: [String] = []
    for try await key in storage.keys() { keys.append(key) }
    #expect(keys == ["b"])
  }
}
