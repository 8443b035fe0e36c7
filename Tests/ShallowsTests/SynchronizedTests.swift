import Dispatch
import Shallows
import Synchronization
import Testing

/// A storage whose calls run one at a time.
struct SynchronizedTests {
  /// Changes its values without a lock, over several threads: right only if nobody comes in between.
  private final class Fragile: StorageProtocol, @unchecked Sendable {
    private var value = 0
    private let callCount = Atomic(0)
    let overlapCount = Counter()
    private let queue = DispatchQueue(label: "fragile", attributes: .concurrent)

    private func alone(_ body: @escaping @Sendable () -> Void) {
      if callCount.add(1, ordering: .sequentiallyConsistent).newValue != 1 { overlapCount.add() }
      queue.async {
        self.callCount.subtract(1, ordering: .sequentiallyConsistent)
        body()
      }
    }

    func retrieve(forKey key: Int, completion: @escaping (ShallowsResult<Int>) -> Void) {
      let (completion, value) = (Handed(completion), value)
      alone { completion.value(.success(value)) }
    }

    func set(_ value: Int, forKey key: Int, completion: @escaping (ShallowsResult<Void>) -> Void) {
      self.value = value
      let completion = Handed(completion)
      alone { completion.value(.success(())) }
    }
  }

  @Test func `Only one call is under way at a time, from its beginning to its completion`() throws {
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

  @Test func `Calls begin in the order in which they came`() {
    let probe = StorageProbe(delivery: .held)
    let storage = probe.synchronizedCalls()
    let told = ResultList<Void>()
    for number in 0..<3 { storage.set(number, forKey: "a") { told.append($0) } }
    for number in 0..<3 {
      probe.waitForHeldCall()
      #expect(probe.count(.set) == number + 1 && probe.values["a"] == number)
      probe.release()
      told.waitForOne()
    }
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

  @Test func `A call that completes twice lets the next one begin once`() throws {
    let storage = StorageProbe(["a": 1], delivery: .elsewhere, completionCount: 2).synchronizedCalls()
    let told = results { storage.retrieve(forKey: "a", completion: $0) }
    #expect(told.map(\.value) == [1, 1])
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 1)
  }
}
