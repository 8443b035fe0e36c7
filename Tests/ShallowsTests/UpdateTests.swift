import Shallows
import Testing

/// Changing a value in place, in three steps or atomically.
struct UpdateTests {
  private struct Refused: Error, Equatable {}

  // MARK: Three steps

  @available(*, deprecated)
  @Test func `An update retrieves, changes, sets and tells the new value`() {
    let probe = StorageProbe(["a": 1], delivery: .elsewhere)
    #expect(results { probe.update(forKey: "a", { $0 += 1 }, completion: $0) }.map(\.value) == [2])
    #expect(probe.values == ["a": 2])
    let one = probe.singleKey("a")
    #expect(results { one.update({ $0 *= 5 }, completion: $0) }.map(\.value) == [10])
    let defaulted = probe.defaulting(to: 40)
    #expect(results { defaulted.update(forKey: "b", { $0 += 2 }, completion: $0) }.map(\.value) == [42])
    StorageProbe(["a": 1]).update(forKey: "a") { $0 += 1 }
  }

  @available(*, deprecated)
  @Test func `A failure of either step ends an update`() {
    let probe = StorageProbe()
    #expect(
      results { probe.update(forKey: "a", { $0 += 1 }, completion: $0) }.first?.error?.isNoValue == true)
    #expect(probe.count(.set) == 0)
    let refusing = StorageProbe(["a": 1], failing: [.set: ProbeError()])
    let told = results { refusing.update(forKey: "a", { $0 += 1 }, completion: $0) }
    #expect(told.first?.error is ProbeError && told.count == 1)
  }

  // MARK: Atomically

  /// Ways from a storage that can do it to one that says how.
  private static let ways: [(String, @Sendable (MemoryStorage<String, Int>) -> Storage<String, Int>)] = [
    ("itself", { $0.asStorage() }),
    ("values", { $0.mapValues(transformIn: { "\($0)" }, transformOut: { Int($0) ?? 0 }).backToNumbers }),
    ("keys", { $0.mapKeys { (key: String) in key.lowercased() } }),
    ("default", { $0.defaulting(to: 0) }),
    ("front", { MemoryStorage().combined(with: $0) }),
    ("two fronts", { MemoryStorage().combined(with: MemoryStorage().combined(with: $0)) }),
    ("synchronized", { $0.synchronizedCalls() }),
    ("coalescing", { $0.coalescingRetrievals() }),
    ("async keys", { $0.asyncMapKeys { (key: String) in key } }),
    ("backed", { $0.backed(by: StorageProbe(["COUNT": 0])) }),
  ]

  @Test(arguments: ways.indices)
  func `Many threads count through every way, and none is lost`(way: Int) async throws {
    let base = MemoryStorage<String, Int>()
    let storage = Self.ways[way].1(base).defaulting(to: 0)
    let (threadCount, count) = (8, 200)
    onThreads(threadCount) { _ in
      for _ in 0..<count {
        let told = results { storage.atomicUpdate(forKey: "COUNT", { $0 += 1 }, completion: $0) }
        #expect(told.count == 1 && told.first?.isSuccess == true)
      }
    }
    #expect(try await storage.retrieve(forKey: "COUNT") == threadCount * count, "\(Self.ways[way].0)")
    #expect(base.storage.values.first == threadCount * count)
  }

  @Test func `A value that is removed while it is updated does not come back`() {
    let storage = MemoryStorage(storage: ["a": 5]).backed(by: MemoryStorage(storage: ["a": 1]))
    let runs = Counter()
    let told = results {
      storage.atomicUpdate(
        forKey: "a",
        { value in
          if runs.add() == 1 { try storage.makeSyncStorage().remove(forKey: "a") }
          value += 1
        }, completion: $0)
    }
    #expect(told.map(\.value) == [2] && runs.value == 2)
  }

  @Test func `The new value is told, and returned`() async throws {
    let storage = MemoryStorage(storage: ["a": 1]).mapValues(
      transformIn: { "\($0)" }, transformOut: { Int($0) ?? 0 })
    #expect(try await storage.atomicUpdate(forKey: "a") { $0 += "0" } == "10")
    #expect(
      results { storage.atomicUpdate(forKey: "a", { $0 += "1" }, completion: $0) }.map(\.value) == ["101"])
  }

  @Test func `A missing value, and what the closure throws, change nothing`() async throws {
    let base = MemoryStorage<String, Int>(storage: ["a": 1])
    for storage in [base.asStorage(), MemoryStorage().combined(with: base), base.renaming(to: "x")] {
      let error = await #expect(throws: MemoryStorageError.self) {
        try await storage.atomicUpdate(forKey: "b") { $0 += 1 }
      }
      #expect(error?.isNoValue == true)
      await #expect(throws: Refused()) {
        try await storage.atomicUpdate(forKey: "a") { value in
          value = 9
          throw Refused()
        }
      }
    }
    #expect(base.storage == ["a": 1])
  }

  @Test func `A front has what the back was updated to, never what it was before`() async throws {
    let (front, back) = (MemoryStorage<String, Int>(storage: ["a": 1]), MemoryStorage(storage: ["a": 1]))
    let storage = front.combined(with: back)
    #expect(try await storage.atomicUpdate(forKey: "a") { $0 += 1 } == 2)
    #expect(try await storage.retrieve(forKey: "a") == 2)
    #expect(front.storage == ["a": 2] && back.storage == ["a": 2])
  }

  @Test func `A storage that cannot do it says so before anything is changed`() async {
    let probe = StorageProbe(["a": 1])
    let refusal = StorageError.notSupported(.atomicUpdate, storageName: "probe")
    for storage in [probe.asStorage(), MemoryStorage().combined(with: probe), probe.defaulting(to: 1)] {
      await #expect(throws: refusal) { try await storage.atomicUpdate(forKey: "a") { $0 += 1 } }
    }
    #expect(probe.values == ["a": 1])
  }

  @Test func `A front that cannot forget a value is given the new one`() async throws {
    let refusal = StorageError.notSupported(.removing, storageName: "probe")
    let front = StorageProbe(["a": 1], failing: [.remove: refusal])
    let back = MemoryStorage<String, Int>(storage: ["a": 1])
    #expect(try await front.combined(with: back).atomicUpdate(forKey: "a") { $0 += 1 } == 2)
    #expect(front.values == ["a": 2] && back.storage == ["a": 2])
  }

  @Test func `A closure may change other keys of the storage that it is updating`() async throws {
    let storage = MemoryStorage<String, Int>(storage: ["a": 1, "b": 1])
    let runs = Counter()
    let value = try await storage.atomicUpdate(forKey: "a") { value in
      guard runs.add() < 10 else { throw Refused() }
      try storage.makeSyncStorage().set(3, forKey: "c")
      try storage.makeSyncStorage().remove(forKey: "b")
      value += 1
    }
    #expect(value == 2 && storage.storage == ["a": 2, "c": 3] && runs.value == 1)
  }

  @Test func `A closure runs again if the key was written meanwhile`() async throws {
    let storage = MemoryStorage<String, Int>(storage: ["a": 1])
    let runs = Counter()
    let value = try await storage.atomicUpdate(forKey: "a") { value in
      if runs.add() == 1 { try storage.makeSyncStorage().set(10, forKey: "a") }
      value += 1
    }
    #expect(value == 11 && storage.storage == ["a": 11] && runs.value == 2)
  }

  @Test func `A back that answers twice makes no second update of a backed front`() async throws {
    let front = MemoryStorage<String, Int>()
    let storage = front.backed(by: StorageProbe(["a": 1], completionCount: 2))
    let told = results { storage.atomicUpdate(forKey: "a", { $0 += 1 }, completion: $0) }
    #expect(told.map(\.value) == [2] && front.storage == ["a": 2])
  }
}

extension StorageProtocol where Value == String {
  fileprivate var backToNumbers: Storage<Key, Int> {
    mapValues(transformIn: { try Int($0).unwrap() }, transformOut: { "\($0)" })
  }
}
