import Sediment
import Shallows
import Synchronization
import Testing

/// Users' code that calls the storage which called it.
@Suite struct LRUReentrancyTests {
  /// A value that asks the storage for another one when it ends.
  private final class Curious: Sendable {
    let number: Int
    let ends: Mutex<[Int]>?
    private let storage: @Sendable () -> LRUStorage<Int, Curious>?
    private let tellsEnd: @Sendable (Int) -> Void

    init(
      _ number: Int, _ storage: LRUStorage<Int, Curious>, _ tellsEnd: @escaping @Sendable (Int) -> Void
    ) {
      self.number = number
      ends = nil
      self.storage = { [weak storage] in storage }
      self.tellsEnd = tellsEnd
    }

    deinit {
      tellsEnd(number)
      guard let storage = storage() else { return }
      _ = storage.value(forKey: 0)
      _ = storage.peek(forKey: 1)
      storage.removeValue(forKey: -1)
      _ = storage.statistics
    }
  }

  private final class Ends: Sendable {
    private let numbers = Mutex<[Int]>([])

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }

    func take() -> [Int] {
      numbers.withLock { list in
        defer { list = [] }
        return list
      }
    }
  }

  @Test func `Values may call the storage as they end, however they leave it`() throws {
    let ends = Ends()
    let clock = LRUClock()
    var storage: LRUStorage<Int, Curious>? = LRUStorage(
      capacity: .count(4, cost: 100) { key, _ in key == 50 ? 100 : key == 99 ? 101 : 1 },
      clock: clock.read)
    func insert(_ key: Int, _ number: Int) {
      guard let storage else { return }
      storage.insert(Curious(number, storage) { ends.add($0) }, forKey: key)
    }
    for key in 0..<4 { insert(key, key) }
    #expect(ends.take().isEmpty)
    insert(4, 4)
    #expect(ends.take() == [0], "evicted")
    insert(4, 5)
    #expect(ends.take() == [4], "replaced")
    insert(50, 6)
    #expect(ends.take().sorted() == [1, 2, 3, 5], "several evicted")
    insert(99, 7)
    #expect(ends.take() == [7], "too large")
    storage?.removeValue(forKey: 50)
    #expect(ends.take() == [6], "removed")
    for key in 0..<4 { insert(key, key) }
    storage?.modifyValue(forKey: 0) { $0 = nil }
    #expect(ends.take() == [0], "removed by an update")
    insert(0, 8)
    if let storage { storage.modifyValue(forKey: 0) { $0 = Curious(9, storage) { ends.add($0) } } }
    #expect(ends.take() == [8], "replaced by an update")
    storage?.trim(toCount: 2)
    #expect(ends.take().count == 2, "trimmed")
    if let storage {
      storage.insert(
        Curious(10, storage) { ends.add($0) }, forKey: 0, expiry: .after(.milliseconds(1)))
      storage.insert(
        Curious(11, storage) { ends.add($0) }, forKey: 2, expiry: .after(.milliseconds(1)))
    }
    _ = ends.take()
    clock.now += 1
    #expect(storage?.value(forKey: 2) == nil)
    #expect(ends.take().contains(11), "expired")
    storage?.removeExpired()
    try storage?.checkInvariants()
    storage?.purge()
    #expect(storage?.count == 0)
    _ = ends.take()
    insert(1, 12)
    storage = nil
    #expect(ends.take() == [12], "ended with the storage")
  }

  @Test func `Keys end once each, and none too early`() {
    struct Key: Hashable, Sendable {
      let number: Int
      let ending: Ending

      static func == (left: Key, right: Key) -> Bool { left.number == right.number }
      func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }
    final class Count: Sendable { let alive = Atomic<Int>(0) }
    let count = Count()
    func key(_ number: Int) -> Key {
      count.alive.add(1, ordering: .relaxed)
      return Key(number: number, ending: Ending { count.alive.subtract(1, ordering: .relaxed) })
    }
    var storage: LRUStorage<Key, Int>? = LRUStorage(capacity: .count(100))
    for number in 0..<1_000 {
      storage?.insert(number, forKey: key(number))
      storage?.insert(number, forKey: key(number))
      _ = storage?.value(forKey: key(number / 2))
      if number % 3 == 0 { storage?.removeValue(forKey: key(number)) }
      #expect(count.alive.load(ordering: .relaxed) == storage?.count)
    }
    storage?.trim(toCount: 10)
    #expect(count.alive.load(ordering: .relaxed) == 10)
    storage = nil
    #expect(count.alive.load(ordering: .relaxed) == 0)
  }

  @Test func `The closure that tells the cost may call the storage`() {
    final class Box: Sendable {
      private let storage = Mutex<LRUStorage<Int, Int>?>(nil)
      func set(_ new: LRUStorage<Int, Int>?) { storage.withLock { $0 = new } }
      func get() -> LRUStorage<Int, Int>? { storage.withLock { $0 } }
    }
    let box = Box()
    let storage = LRUStorage<Int, Int>(
      capacity: .cost(100) { key, value in
        if key == 1 { box.get()?.insert(7, forKey: 2) }
        return value
      })
    box.set(storage)
    storage.insert(5, forKey: 1)
    #expect(storage.keysByLastUse == [1, 2] && storage.totalCost == 12)
    box.set(nil)
  }

  @Test func `The closure of an update may call the storage`() throws {
    let storage = LRUStorage<String, Int>(
      capacity: .cost(100) { _, value in value }, clock: LRUClock().read)
    for (key, value) in [("a", 1), ("b", 2)] { storage.insert(value, forKey: key) }
    var runs = 0
    let found = storage.modifyValue(forKey: "a") { value in
      runs += 1
      storage.insert(3, forKey: "c")
      storage.removeValue(forKey: "b")
      defer { value = (value ?? 0) + (storage.value(forKey: "c") ?? 0) }
      return storage.peek(forKey: "a")
    }
    #expect(found == 1 && runs == 1 && storage.keysByLastUse == ["a", "c"])
    #expect(storage.peek(forKey: "a") == 4 && storage.totalCost == 7)
    storage.modifyValue(forKey: "new") { value in
      storage.modifyValue(forKey: "b") { $0 = 5 }
      value = storage.statistics.count
    }
    #expect(storage.keysByLastUse == ["new", "b", "a", "c"] && storage.peek(forKey: "new") == 3)
    try storage.checkInvariants()
  }

  /// What others do with a key while an update has it in hand.
  enum Meddling: CaseIterable {
    case insert, insertEqual, removeAndInsert, remove, purge, evict, expire, grow
  }

  @Test(arguments: Meddling.allCases)
  func `An update whose key was changed meanwhile runs again`(meddling: Meddling) throws {
    let clock = LRUClock()
    let storage = LRUStorage<Int, Int>(capacity: .count(100), clock: clock.read)
    storage.insert(1, forKey: 0, expiry: .after(.seconds(1)))
    var seen: [Int?] = []
    storage.modifyValue(forKey: 0) { value in
      seen.append(value)
      if seen.count == 1 {
        switch meddling {
        case .insert: storage.insert(5, forKey: 0)
        case .insertEqual: storage.insert(1, forKey: 0)
        case .removeAndInsert:
          storage.removeValue(forKey: 0)
          storage.insert(7, forKey: 0)
        case .remove: storage.removeValue(forKey: 0)
        case .purge: storage.purge()
        case .evict: for key in 1...100 { storage.insert(key, forKey: key) }
        case .expire: clock.now += 1_000
        // The entries move, and none of them changes.
        case .grow: for key in 1..<50 { storage.insert(key, forKey: key) }
        }
      }
      value = (value ?? 0) + 10
    }
    let again: Int?? =
      switch meddling {
      case .insert: .some(5)
      case .insertEqual: .some(1)
      case .removeAndInsert: .some(7)
      case .remove, .purge, .evict, .expire: .some(nil)
      case .grow: nil
      }
    #expect(seen == [1] + [again].compactMap(\.self))
    #expect(storage.peek(forKey: 0) == ((again ?? 1) ?? 0) + 10)
    #expect(storage.statistics.hits == 1 && storage.statistics.misses == 0)
    try storage.checkInvariants()
  }

  @Test func `A key without a value that has none again is unchanged, and one that got one is not`() {
    let storage = LRUStorage<Int, Int>(capacity: .count(4))
    var seen: [Int?] = []
    storage.modifyValue(forKey: 0) { value in
      seen.append(value)
      storage.insert(1, forKey: 0)
      if seen.count > 1 { storage.removeValue(forKey: 0) } else { storage.insert(2, forKey: 0) }
      value = 3
    }
    #expect(seen == [nil, 2, nil] && storage.peek(forKey: 0) == 3)
  }

  @Test func `An atomic update through the storage may read and change other keys of it`() async throws {
    let storage = LRUStorage<String, Int>(capacity: .count(10))
    storage.insert(1, forKey: "a")
    storage.insert(2, forKey: "b")
    let sum = try await storage.atomicUpdate(forKey: "a") { value in
      value += try storage.makeSyncStorage().retrieve(forKey: "b")
      try storage.makeSyncStorage().remove(forKey: "b")
    }
    #expect(sum == 3 && storage.keysByLastUse == ["a"])
  }

  @Test func `An update that throws changes nothing`() throws {
    struct Failure: Error {}
    let storage = LRUStorage<String, [Int]>(capacity: .count(10))
    storage.insert([1], forKey: "a")
    #expect(throws: Failure.self) {
      try storage.modifyValue(forKey: "a") { value in
        value?.append(2)
        throw Failure()
      }
    }
    #expect(storage.value(forKey: "a") == [1])
    let count = storage.modifyValue(forKey: "a") { value in
      value?.append(2)
      return value?.count
    }
    #expect(count == 2 && storage.value(forKey: "a") == [1, 2])
    storage.modifyValue(forKey: "b") { $0 = [3] }
    #expect(storage.keysByLastUse == ["b", "a"])
    try storage.checkInvariants()
  }
}
