import Shallows
import Testing

/// One question to the storage below for all who ask it at the same time.
struct CoalescingTests {
  private let base = StorageProbe(["a": 1, "b": 2])

  @Test(arguments: [1, 50])
  func `The back of a miss is asked once, however many retrieve at the same time`(count: Int) {
    let front = MemoryStorage<String, Int>()
    let storage = front.combined(with: base).coalescingRetrievals()
    base.hold([.retrieve])
    let told = ResultList<Int>()
    for _ in 0..<count { storage.retrieve(forKey: "a") { told.append($0) } }
    base.waitForHeldCall()
    #expect(told.all.isEmpty)
    base.release()
    #expect(told.all.map(\.value) == Array(repeating: 1, count: count))
    #expect(base.count(.retrieve) == 1 && front.storage == ["a": 1])
  }

  @Test func `Threads that retrieve at the same time share the answer, and later ones ask again`() {
    let storage = base.asReadOnlyStorage().coalescingRetrievals().makeSyncStorage()
    base.hold([.retrieve])
    let arrived = Counter()
    onThreads(9) { thread in
      if thread == 0 {
        base.waitForHeldCall()
        while arrived.value < 8 {}
        base.hold([])
        base.release()
      } else {
        arrived.add()
        let value = try? storage.retrieve(forKey: "a")
        #expect(value == 1)
      }
    }
    let count = base.count(.retrieve)
    #expect((1...8).contains(count))
    #expect((try? storage.retrieve(forKey: "a")) == 1 && base.count(.retrieve) == count + 1)
  }

  @Test func `Other keys are asked for on their own`() {
    let storage = base.coalescingRetrievals()
    base.hold([.retrieve])
    let told = ResultList<Int>()
    for key in ["a", "b", "a", "x"] { storage.retrieve(forKey: key) { told.append($0) } }
    for _ in 0..<3 { base.waitForHeldCall() }
    base.release()
    #expect(base.count(.retrieve) == 3 && told.all.compactMap(\.value).sorted() == [1, 1, 2])
    #expect(told.all.filter(\.isFailure).count == 1)
  }

  @Test func `Failures are shared, and not remembered`() throws {
    let storage = base.coalescingRetrievals()
    base.fail(.retrieve, with: ProbeError())
    base.hold([.retrieve])
    let told = ResultList<Int>()
    for _ in 0..<3 { storage.retrieve(forKey: "a") { told.append($0) } }
    base.hold([])
    base.release()
    #expect(told.all.allSatisfy { $0.error is ProbeError } && told.all.count == 3)
    base.fail(.retrieve, with: nil)
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 1)
  }

  @Test(arguments: [StorageProbe.Call.set, .remove, .removeAll])
  func `What retrieves after a write has been told does not get the value before`(write: StorageProbe.Call)
    throws
  {
    let storage = base.coalescingRetrievals()
    base.hold([.retrieve])
    let old = ResultList<Int>()
    storage.retrieve(forKey: "a") { old.append($0) }
    base.waitForHeldCall()
    let later = ResultList<Int>()
    let retrieve: (ShallowsResult<Void>) -> Void = { _ in storage.retrieve(forKey: "a") { later.append($0) } }
    switch write {
    case .set: storage.set(5, forKey: "a", completion: retrieve)
    case .remove: storage.remove(forKey: "a", completion: retrieve)
    default: storage.removeAll(completion: retrieve)
    }
    base.release()
    #expect(old.all.map(\.value) == [1])
    #expect(later.all.map(\.value) == [write == .set ? 5 : nil])
  }

  @Test func `What retrieves after an atomic update does not get the value before`() {
    let memory = MemoryStorage<String, Int>(storage: ["a": 1])
    let gate = StorageProbe(["a": 1])
    let storage = Storage(
      read: gate.asReadOnlyStorage(), write: memory.asWriteOnlyStorage()
    ).coalescingRetrievals()
    gate.hold([.retrieve])
    let told = ResultList<Int>()
    storage.retrieve(forKey: "a") { told.append($0) }
    storage.atomicUpdate(forKey: "a", { $0 += 1 }) { _ in
      storage.retrieve(forKey: "a") { told.append($0) }
    }
    #expect(gate.count(.retrieve) == 2)
    gate.release()
  }
}
