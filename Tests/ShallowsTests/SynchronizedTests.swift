import Shallows
import Synchronization
import Testing

/// A storage whose calls begin one at a time.
struct SynchronizedTests {
  /// Changes its value without a lock: right only if nobody comes in between.
  private final class Fragile: StorageProtocol, @unchecked Sendable {
    private var value = 0
    private let callCount = Atomic(0)
    let overlapCount = Counter()

    private func alone<Value>(_ body: () -> Value) -> Value {
      if callCount.add(1, ordering: .sequentiallyConsistent).newValue != 1 { overlapCount.add() }
      defer { callCount.subtract(1, ordering: .sequentiallyConsistent) }
      return body()
    }

    func retrieve(forKey key: Int, completion: @escaping (ShallowsResult<Int>) -> Void) {
      completion(.success(alone { value }))
    }

    func set(_ value: Int, forKey key: Int, completion: @escaping (ShallowsResult<Void>) -> Void) {
      alone { self.value = value }
      completion(.success(()))
    }
  }

  @Test func `Only one call is made at a time`() throws {
    let fragile = Fragile()
    let storage = fragile.synchronizedCalls()
    let sync = storage.makeSyncStorage()
    onThreads(8) { thread in
      for number in 0..<100 {
        #expect(throws: Never.self) {
          try sync.set(thread * 1_000 + number, forKey: 0)
          _ = try sync.retrieve(forKey: 0)
        }
      }
    }
    #expect(fragile.overlapCount.value == 0)
  }

  @Test func `Calls are made in their order, and so are completions, one after another`() {
    let storage = MemoryStorage<Int, Int>().synchronizedCalls()
    let order = Shared([Int]())
    let (running, overlaps) = (Counter(), Counter())
    let told = ResultList<Void>()
    for number in 0..<500 {
      storage.set(number, forKey: 0) { result in
        if running.add() != number + 1 { overlaps.add() }
        order.change { $0.append(number) }
        told.append(result)
      }
    }
    for _ in 0..<500 { told.waitForOne() }
    #expect(order.value == Array(0..<500) && overlaps.value == 0)
  }

  @Test func `A completion that does not come keeps nobody else waiting`() throws {
    let probe = StorageProbe(["a": 1])
    let storage = probe.synchronizedCalls()
    probe.hold([.set])
    for number in 2..<5 { storage.set(number, forKey: "a") { _ in } }
    for _ in 2..<5 { probe.waitForHeldCall() }
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 4)
    probe.release()
  }

  @Test func `What is below may use the synchronized storage`() {
    let memory = MemoryStorage(storage: ["a": 1])
    let upper = Shared<Storage<String, Int>?>(nil)
    let base = Storage<String, Int>(
      storageName: "reentrant",
      retrieve: { key, completion in
        guard key != "a" else { return memory.retrieve(forKey: key, completion: completion) }
        upper.value?.retrieve(forKey: "a", completion: completion)
      },
      set: { memory.set($0, forKey: $1, completion: $2) })
    let storage = base.synchronizedCalls()
    upper.change { $0 = storage }
    #expect(results { storage.retrieve(forKey: "b", completion: $0) }.map(\.value) == [1])
    upper.change { $0 = nil }
  }

  @Test(arguments: [StorageProbe.Delivery.inline, .elsewhere])
  func `A completion may use the storage, and wait for it`(delivery: StorageProbe.Delivery) {
    let storage = StorageProbe(["a": 1], delivery: delivery).synchronizedCalls()
    let sync = storage.makeSyncStorage()
    let told = ResultList<Int>()
    storage.retrieve(forKey: "a") { _ in
      storage.set(2, forKey: "a") { _ in
        told.append(Result { try sync.retrieve(forKey: "a") })
      }
    }
    told.waitForOne()
    #expect(told.all.map(\.value) == [2])
  }

  @Test func `A call that waits for another storage keeps its turn`() {
    let other = StorageProbe(["a": 1], delivery: .elsewhere).makeSyncStorage()
    let (running, overlaps, told) = (Shared(0), Counter(), ResultList<Int>())
    let storage = Storage<Int, Int>(
      storageName: "waits",
      retrieve: { key, completion in
        let count = running.change { running in
          running += 1
          return running
        }
        if count > 1 { overlaps.add() }
        _ = try? other.retrieve(forKey: "a")
        running.change { $0 -= 1 }
        completion(.success(key))
      },
      set: { $2(.success(())) }
    ).synchronizedCalls()
    for number in 0..<50 { storage.retrieve(forKey: number) { told.append($0) } }
    for _ in 0..<50 { told.waitForOne() }
    #expect(told.all.map(\.value) == Array(0..<50) && overlaps.value == 0)
  }

  @Test func `A call that completes twice lets the next one begin once`() throws {
    let storage = StorageProbe(["a": 1], delivery: .elsewhere, completionCount: 2).synchronizedCalls()
    let told = results { storage.retrieve(forKey: "a", completion: $0) }
    #expect(told.map(\.value) == [1, 1])
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 1)
  }
}
