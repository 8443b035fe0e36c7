import Shallows
import Testing

/// The storage in memory.
struct MemoryStorageTests {
  private final class Value: @unchecked Sendable {
    private let onEnd: () -> Void

    init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
  }

  @Test func `It completes on the caller's thread before it returns`() {
    let memory = MemoryStorage<String, Int>()
    var told: [Int?] = []
    memory.set(1, forKey: "a") { told.append($0.isSuccess ? 0 : nil) }
    memory.retrieve(forKey: "a") { told.append($0.value) }
    memory.retrieve(forKey: "b") { told.append($0.error as? MemoryStorageError == .noValue ? -1 : nil) }
    #expect(told == [0, 1, -1])
  }

  @Test func `Its dictionary is read and replaced as a whole`() throws {
    let memory = MemoryStorage(storage: ["a": 1, "b": 2])
    #expect(memory.storage == ["a": 1, "b": 2])
    memory.storage = ["c": 3]
    memory.storage["d"] = 4
    #expect(memory.storage == ["c": 3, "d": 4])
    #expect(throws: MemoryStorageError.noValue) { try memory.makeSyncStorage().retrieve(forKey: "a") }
  }

  @Test func `A value that is let go may use the storage`() throws {
    let memory = MemoryStorage<String, Value>()
    let ends = Counter()
    let sync = memory.makeSyncStorage()
    func value() -> Value {
      Value { [weak memory] in
        ends.add()
        _ = memory?.storage.count
        memory?.remove(forKey: "none") { _ in }
        memory?.retrieve(forKey: "a") { _ in }
      }
    }
    try sync.set(value(), forKey: "a")
    try sync.set(value(), forKey: "a")
    #expect(ends.value == 1)
    try sync.remove(forKey: "a")
    #expect(ends.value == 2)
    for _ in 0..<3 { try sync.set(value(), forKey: "a") }
    #expect(ends.value == 4)
    _ = results { memory.atomicUpdate(forKey: "a", { $0 = value() }, completion: $0) }
    #expect(ends.value == 5)
    memory.storage = ["a": value(), "b": value()]
    #expect(ends.value == 6)
    try sync.removeAll()
    #expect(ends.value == 8)
  }

  @Test func `A key that is let go after an update may use the storage`() {
    let memory = MemoryStorage<Key, Int>()
    let ends = Counter()
    func update(_ body: @escaping (inout Int) -> Void) {
      let key = Key(1) { [weak memory] in
        ends.add()
        _ = memory?.storage.count
      }
      memory.defaulting(to: 0).atomicUpdate(forKey: key, body) { _ in }
    }
    // The inner one began later, and its key is the last to be watched by.
    var isFirst = true
    update { value in
      value += 1
      guard isFirst else { return }
      isFirst = false
      update { $0 += 1 }
    }
    #expect(memory.storage.values.first == 2)
    memory.storage = [:]
    #expect(ends.value == 2)
  }

  @Test func `Threads that write keys of their own find what they wrote`() {
    let memory = MemoryStorage<Int, Int>()
    onThreads(6) { thread in
      for number in 0..<1_000 {
        memory.set(number, forKey: thread) { _ in }
        memory.retrieve(forKey: thread) { result in #expect(result.value == number) }
        memory.remove(forKey: thread + 100) { _ in }
      }
    }
    #expect(memory.storage == Dictionary(uniqueKeysWithValues: (0..<6).map { ($0, 999) }))
  }

  @Test func `Threads may exchange the whole, of which each finds one that somebody gave`() {
    let memory = MemoryStorage<Int, Int>()
    onThreads(6) { thread in
      for _ in 0..<200 {
        memory.storage = [0: thread, 1: thread]
        let found = memory.storage
        #expect(found.count == 2 && found[0] == found[1])
      }
    }
  }

  /// A key whose end asks the storage.
  private final class Key: Hashable, @unchecked Sendable {
    let number: Int
    private let onEnd: () -> Void

    init(_ number: Int, onEnd: @escaping () -> Void = {}) {
      self.number = number
      self.onEnd = onEnd
    }

    deinit { onEnd() }

    static func == (one: Key, other: Key) -> Bool { one.number == other.number }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  @Test func `A key that is let go may use the storage`() throws {
    let memory = MemoryStorage<Key, Int>()
    let ends = Counter()
    let sync = memory.makeSyncStorage()
    func add() throws {
      let key = Key(1) { [weak memory] in
        ends.add()
        _ = memory?.storage.count
      }
      try sync.set(1, forKey: key)
    }
    try add()
    try sync.set(2, forKey: Key(1))
    #expect(ends.value == 0)
    try sync.remove(forKey: Key(1))
    #expect(ends.value == 1)
    try add()
    #expect(try memory.answer(updating: Key(1), expiry: nil) { _ in nil }.result?.get() == Int?.none)
    #expect(ends.value == 2)
    try add()
    memory.storage = [:]
    #expect(ends.value == 3)
  }
}
