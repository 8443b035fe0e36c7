import Dispatch
import Foundation
import Shallows
import Testing

/// Calls that return their results, on threads that may be any.
struct SyncTests {
  @Test(arguments: StorageProbe.Delivery.allCases)
  func `A sync storage returns or throws what the storage completes with`(delivery: StorageProbe.Delivery)
    throws
  {
    let probe = StorageProbe(["a": 1], delivery: delivery)
    // Lets go each call that is held, from another thread.
    let isDone = Counter()
    if delivery == .held {
      DispatchQueue(label: "release").async {
        while isDone.value == 0 {
          probe.waitForHeldCall()
          probe.release()
        }
      }
    }
    let sync = probe.makeSyncStorage()
    #expect(try sync.retrieve(forKey: "a") == 1)
    #expect(throws: StorageError.noValue) { try sync.retrieve(forKey: "b") }
    try probe.asWriteOnlyStorage().makeSyncStorage().set(2, forKey: "b")
    #expect(try probe.asReadOnlyStorage().makeSyncStorage().retrieve(forKey: "b") == 2)
    probe.fail(.set, with: ProbeError())
    #expect(throws: ProbeError()) { try sync.set(1, forKey: "a") }
    isDone.add()
    probe.retrieve(forKey: "a") { _ in }
  }

  @Test func `Closures make sync storages`() throws {
    let values = MemoryStorage<Int, Int>()
    let sync = SyncStorage<Int, Int>(
      storageName: "own", retrieve: { try values.storage[$0].unwrap() }, set: { values.storage[$1] = $0 })
    try sync.set(3, forKey: 1)
    #expect(try sync.retrieve(forKey: 1) == 3 && sync.storageName == "own")
    let half = ReadOnlySyncStorage<Int, Int>(storageName: "half", retrieve: { $0 + 1 })
    #expect(try half.retrieve(forKey: 1) == 2)
  }

  @Test func `A completion that is kept and called again does not answer a later call`() throws {
    let kept = Shared<[Handed<(ShallowsResult<Int>) -> Void>]>([])
    let storage = Storage<Int, Int>(
      storageName: "late",
      retrieve: { key, completion in
        for old in kept.value { old.value(.success(-1)) }
        kept.change { $0.append(Handed(completion)) }
        completion(.success(key))
        completion(.success(-2))
      }, set: { $2(.success(())) }
    ).makeSyncStorage()
    for key in 0..<10 { #expect(try storage.retrieve(forKey: key) == key) }
  }

  @Test
  func `A thread waits again and again, at once and asleep, for values of several types, also within calls`()
    throws
  {
    let probe = StorageProbe(["a": 1, "b": 2], delivery: .elsewhere)
    let (inner, text) = (
      probe.makeSyncStorage(), probe.mapValues(transformIn: { "\($0)" }, transformOut: { $0.count })
    )
    let textSync = text.makeSyncStorage()
    let nested = Storage<String, Int>(
      storageName: "nested",
      retrieve: { key, completion in
        let sum = Result { try inner.retrieve(forKey: key) + (Int(textSync.retrieve(forKey: "b")) ?? 0) }
        completion(sum)
      },
      set: { value, key, completion in completion(Result { try inner.set(value, forKey: key) }) }
    ).makeSyncStorage()
    for _ in 0..<100 {
      #expect(try nested.retrieve(forKey: "a") == 3)
      #expect(try textSync.retrieve(forKey: "a") == "1")
      #expect(throws: StorageError.noValue) { try nested.retrieve(forKey: "c") }
      try nested.set(1, forKey: "a")
    }
  }

  /// More than the tasks of this machine have threads.
  private static let taskCount = ProcessInfo.processInfo.activeProcessorCount * 8 + 64

  private static func waiting(_ storage: Storage<String, Int>, depth: Int) -> Storage<String, Int> {
    guard depth > 0 else { return storage }
    let sync = storage.makeSyncStorage()
    return waiting(storage, depth: depth - 1)
      .validate { _ in
        await Task.yield()
        return try sync.retrieve(forKey: "a") == 1
      }
      .asyncMapKeys { (key: String) in
        await Task.yield()
        _ = try sync.retrieve(forKey: "a")
        return key
      }
  }

  @Test(arguments: 0..<3)
  func `Sync calls cannot use up the threads that they wait for`(depth: Int) async throws {
    let base = StorageProbe(["a": 1], delivery: .elsewhere)
    let storage = Self.waiting(base.validate { _ in true }, depth: depth).makeSyncStorage()
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<Self.taskCount {
        group.addTask {
          try Self.setAndRetrieve(storage)
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(sum == Self.taskCount)
  }

  private static func setAndRetrieve(_ storage: SyncStorage<String, Int>) throws -> Int {
    try storage.set(1, forKey: "a")
    return try storage.retrieve(forKey: "a")
  }

  @Test func `A waiting thread hears from an actor that the closure needs`() async throws {
    let judge = Judge()
    let storage = StorageProbe(["a": 1]).validate { await judge.isGood($0) }.makeSyncStorage()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.taskCount {
        group.addTask {
          let value = try storage.retrieve(forKey: "a")
          #expect(value == 1)
        }
      }
      try await group.waitForAll()
    }
    #expect(await judge.count == Self.taskCount)
  }

  private actor Judge {
    var count = 0

    func isGood(_ number: Int) -> Bool {
      count += 1
      return number == 1
    }
  }
}
