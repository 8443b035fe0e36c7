import Foundation
import Shallows
import Testing

/// Storages of users that never call a completion.
struct LostCompletionTests {
  /// Loses the completions of some calls, at once or by keeping them for ever.
  private final class Losing: StorageProtocol, @unchecked Sendable {
    let probe: StorageProbe
    let isKept: Bool
    let loses: Shared<Set<StorageProbe.Call>>
    private let kept = Shared<[Handed<Any>]>([])

    init(_ values: [String: Int], isKept: Bool, loses: Set<StorageProbe.Call>) {
      probe = StorageProbe(values)
      self.isKept = isKept
      self.loses = Shared(loses)
    }

    private func passes<Value>(
      _ call: StorageProbe.Call, _ completion: @escaping (ShallowsResult<Value>) -> Void
    ) -> Bool {
      guard loses.value.contains(call) else { return true }
      if isKept { kept.change { $0.append(Handed(completion)) } }
      return false
    }

    func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> Void) {
      if passes(.retrieve, completion) { probe.retrieve(forKey: key, completion: completion) }
    }

    func set(_ value: Int, forKey key: String, completion: @escaping (ShallowsResult<Void>) -> Void) {
      if passes(.set, completion) { probe.set(value, forKey: key, completion: completion) }
    }

    func removeAll(completion: @escaping (ShallowsResult<Void>) -> Void) {
      if passes(.removeAll, completion) { probe.removeAll(completion: completion) }
    }
  }

  @Test(arguments: [true, false], [StorageProbe.Call.set, .removeAll])
  func `A write of the back that never ends leaves the front in use`(isKept: Bool, call: StorageProbe.Call)
    throws
  {
    let front = MemoryStorage<String, Int>()
    let back = Losing(["a": 1, "b": 2], isKept: isKept, loses: [call])
    let storage = front.combined(with: back)
    let told = Counter()
    if call == .set {
      storage.set(5, forKey: "a") { _ in told.add() }
      front.storage = [:]
    } else {
      storage.removeAll { _ in told.add() }
    }
    let sync = storage.makeSyncStorage()
    for _ in 0..<3 {
      #expect(try sync.retrieve(forKey: "a") == 1 && sync.retrieve(forKey: "b") == 2)
    }
    #expect(front.storage == ["a": 1, "b": 2] && back.probe.count(.retrieve) == 2 && told.value == 0)
  }

  @Test func `A retrieval whose completion is lost keeps no other waiting`() throws {
    let kept = Kept([])
    let storage = coalescing(kept)
    let (lost, told) = (Counter(), ResultList<Int>())
    storage.retrieve(forKey: "a") { _ in lost.add() }
    for _ in 0..<2 { storage.retrieve(forKey: "a") { told.append($0) } }
    #expect(kept.value.count == 1)
    // Nobody can call it any more: those who have joined ask on their own.
    _ = take(kept)
    let asked = take(kept)
    #expect(asked.count == 2)
    for completion in asked { completion.value(.success(7)) }
    #expect(told.all.map(\.value) == [7, 7] && lost.value == 0)
  }

  @Test func `Who joins a retrieval that is lost before he waits for it asks on his own`() throws {
    let kept = Kept([])
    let storage = coalescing(kept)
    let (first, second) = (storage.answer(forKey: "a"), storage.answer(forKey: "a"))
    let (lost, told) = (Counter(), ResultList<Int>())
    // The other one waits first.
    let third = storage.answer(forKey: "a")
    third.deliver { told.append($0) }
    first.deliver { _ in lost.add() }
    _ = take(kept)
    second.deliver { told.append($0) }
    let asked = take(kept)
    #expect(asked.count == 2)
    for completion in asked { completion.value(.success(7)) }
    #expect(told.all.map(\.value) == [7, 7] && lost.value == 0)
  }

  private typealias Kept = Shared<[Handed<(ShallowsResult<Int>) -> Void>]>

  /// A storage that keeps the completions of those who ask it, and is asked once for all.
  private func coalescing(_ kept: Kept) -> ReadOnlyStorage<String, Int> {
    ReadOnlyStorage(storageName: "losing") { _, completion in
      let completion = Handed(completion)
      kept.change { $0.append(completion) }
    }.coalescingRetrievals()
  }

  /// Takes out what is kept; who lets go of it has lost the completions.
  @inline(never)
  private func take(_ kept: Kept) -> [Handed<(ShallowsResult<Int>) -> Void>] {
    kept.change { kept in
      defer { kept = [] }
      return kept
    }
  }

  /// That a retrieval which read 1 behind a composition before 2 was set by another leaves 2 in the end.
  private func expectNoOlderValue(in storage: () -> Storage<String, Int>, over back: StorageProbe) throws {
    back.hold([.retrieve])
    let told = ResultList<Int>()
    storage().retrieve(forKey: "a") { told.append($0) }
    back.waitForHeldCall()
    back.hold([])
    try storage().makeSyncStorage().set(2, forKey: "a")
    back.release()
    told.waitForOne()
    #expect(told.all.map(\.value) == [1])
    #expect(try storage().makeSyncStorage().retrieve(forKey: "a") == 2)
  }

  @Test func `Two compositions of the same tiers leave no older value in the front`() throws {
    let (front, back) = (MemoryStorage<String, Int>(), StorageProbe(["a": 1]))
    // As a computed property makes them.
    func storage() -> Storage<String, Int> {
      front.mapValues(transformIn: { $0 }, transformOut: { $0 }).combined(with: back)
    }
    try expectNoOlderValue(in: storage, over: back)
  }

  @Test func `Compositions of a front of closures are told to be of one, though each is made anew`() throws {
    let (probe, back) = (StorageProbe(), StorageProbe(["a": 1]))
    let front = Storage<String, Int>(
      storageName: "closures", retrieve: { probe.retrieve(forKey: $0, completion: $1) },
      set: { probe.set($0, forKey: $1, completion: $2) })
    try expectNoOlderValue(in: { front.combined(with: back) }, over: back)
  }

  @Test func `Threads may make compositions of one front, and let go of them`() {
    let (front, back) = (MemoryStorage<String, Int>(), MemoryStorage<String, Int>())
    onThreads(4) { _ in
      for _ in 0..<20_000 { _ = front.combined(with: back) }
    }
  }

  @Test func `Compositions of a folder are told to be of one, though each is made anew`() throws {
    let folder = try TestFolder()
    let (disk, back) = (DiskStorage(), StorageProbe(["a": 1]))
    func storage() -> Storage<String, Int> {
      DiskFolderStorage(folderURL: folder.url, diskStorage: disk.asStorage()).usingStringKeys()
        .mapValues(transformIn: { Int($0[$0.startIndex]) }, transformOut: { Data([UInt8($0)]) })
        .combined(with: back)
    }
    try expectNoOlderValue(in: storage, over: back)
  }

  @Test func `Compositions of a file of the engine are told to be of one, though each is made anew`() throws {
    let folder = try TestFolder()
    let back = StorageProbe(["a": 1])
    // So that the file stays open.
    let first = SedimentStorage(url: folder.url.appendingPathComponent("f"))
    try first.makeSyncStorage().set(Data(), forKey: "other")
    func storage() -> Storage<String, Int> {
      SedimentStorage(url: folder.url.appendingPathComponent("f")).usingStringKeys()
        .mapValues(transformIn: { Int($0[$0.startIndex]) }, transformOut: { Data([UInt8($0)]) })
        .combined(with: back)
    }
    try expectNoOlderValue(in: storage, over: back)
    withExtendedLifetime(first) {}
  }

  @Test func `Two compositions of the same tiers end with what the back has, whoever comes second`() throws {
    let (front, back) = (StorageProbe(), StorageProbe())
    func storage() -> Storage<String, Int> { front.combined(with: back) }
    front.hold([.set])
    let told = ResultList<Void>()
    storage().set(1, forKey: "a") { told.append($0) }
    front.waitForHeldCall()
    front.hold([])
    storage().set(2, forKey: "a") { told.append($0) }
    front.release()
    #expect(told.all.map(\.isSuccess) == [true, true])
    #expect(try storage().makeSyncStorage().retrieve(forKey: "a") == back.values["a"])
  }
}
