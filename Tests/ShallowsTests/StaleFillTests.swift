import Foundation
import Shallows
import Synchronization
import Testing

/// A value that was read from the back before another was written never ends in the front.
struct StaleFillTests {
  private enum Write: CaseIterable { case set, remove, removeAll, atomicUpdate }

  /// A back that a test holds at will, over a memory that can update atomically.
  private final class HeldBack: AnsweringStorage, Sendable {
    let memory = MemoryStorage<String, Int>(storage: ["a": 1])
    /// Holds the answers to retrievals, which are known by then.
    let gate: StorageProbe

    init() {
      gate = StorageProbe(["a": 1])
      gate.hold([.retrieve])
    }

    func answer(forKey key: String) -> StorageAnswer<Int> {
      let answer = memory.answer(forKey: key)
      return .pending { completion in
        self.gate.retrieve(forKey: "a") { _ in answer.deliver(to: completion) }
      }
    }

    func answer(setting value: Int, forKey key: String, expiry: StorageExpiry) -> StorageAnswer<Void> {
      memory.answer(setting: value, forKey: key, expiry: expiry)
    }

    func answer(removing key: String) -> StorageAnswer<Void> { memory.answer(removing: key) }

    func answerRemovingAll() -> StorageAnswer<Void> { memory.answerRemovingAll() }

    func answer(
      updating key: String, expiry: StorageExpiry?,
      _ modify: @escaping (ShallowsResult<Int>) throws -> Int?
    ) -> StorageAnswer<Int?> {
      memory.answer(updating: key, expiry: expiry, modify)
    }
  }

  private static func write(_ write: Write, to storage: Storage<String, Int>) throws {
    switch write {
    case .set: try storage.makeSyncStorage().set(2, forKey: "a")
    case .remove: try storage.makeSyncStorage().remove(forKey: "a")
    case .removeAll: try storage.makeSyncStorage().removeAll()
    case .atomicUpdate:
      let told = results { storage.atomicUpdate(forKey: "a", { $0 += 1 }, completion: $0) }
      #expect(told.map(\.value) == [2])
    }
  }

  private static func compose(
    _ front: MemoryStorage<String, Int>, _ back: HeldBack
  ) -> [Storage<String, Int>] {
    [
      front.combined(with: back), front.combined(with: back, fallingThroughOn: .missesOnly),
      front.combined(with: back, setStrategy: .backFirst),
      front.combined(with: back, pullStrategy: .completeThenPull),
      front.unhashable.combined(with: back.unhashable).mapKeys { Unhashable($0) },
      UserDeclarations.generic(front, back),
      front.singleKey("a").combined(with: back.singleKey("a")).mapKeys { (_: String) in () },
    ]
  }

  @Test(arguments: Write.allCases, 0..<7)
  private func `A write between the answer of the back and the filling of the front wins`(
    write: Write, composition: Int
  ) throws {
    let (front, back) = (MemoryStorage<String, Int>(), HeldBack())
    let storage = Self.compose(front, back)[composition]
    let told = ResultList<Int>()
    storage.retrieve(forKey: "a") { told.append($0) }
    back.gate.waitForHeldCall()
    try Self.write(write, to: storage)
    let written = back.memory.storage["a"]
    #expect(written == (write == .set || write == .atomicUpdate ? 2 : nil))
    back.gate.release()
    told.waitForOne()
    #expect(told.all.map(\.value) == [1])
    #expect(front.storage["a"] == nil || front.storage["a"] == written)
  }

  @Test(arguments: Write.allCases)
  private func `A write while the front is being filled wins`(write: Write) throws {
    let (front, back) = (StorageProbe(), MemoryStorage<String, Int>(storage: ["a": 1]))
    let storage = front.combined(with: back)
    let told = ResultList<Int>()
    front.hold([.set])
    storage.retrieve(forKey: "a") { told.append($0) }
    front.waitForHeldCall()
    front.hold([])
    #expect(front.values == ["a": 1])
    try Self.write(write, to: storage)
    front.release()
    told.waitForOne()
    #expect(front.values["a"] == nil || front.values["a"] == back.storage["a"])
    let now = try? storage.makeSyncStorage().retrieve(forKey: "a")
    #expect(now == back.storage["a"])
  }

  /// A front whose next set does its work only when a test says so.
  private final class LateFront: AnsweringStorage, Sendable {
    let memory = MemoryStorage<String, Int>()
    let gate = StorageProbe()
    private let isLate = Mutex(true)
    private let removes: Bool

    init(removes: Bool = true) { self.removes = removes }

    func answer(forKey key: String) -> StorageAnswer<Int> { memory.answer(forKey: key) }

    func answer(setting value: Int, forKey key: String, expiry: StorageExpiry) -> StorageAnswer<Void> {
      let isLate = isLate.withLock { isLate in
        defer { isLate = false }
        return isLate
      }
      guard isLate else { return memory.answer(setting: value, forKey: key, expiry: expiry) }
      gate.hold([.set])
      return .pending { completion in
        self.gate.set(0, forKey: "") { _ in self.memory.set(value, forKey: key, completion: completion) }
      }
    }

    func answer(removing key: String) -> StorageAnswer<Void> {
      guard removes else { return .failure(StorageError.notSupported(.removing, storageName: "late")) }
      return memory.answer(removing: key)
    }

    func answerRemovingAll() -> StorageAnswer<Void> { memory.answerRemovingAll() }
  }

  @Test(arguments: Write.allCases)
  private func `A value that comes to the front after a write is taken out again`(write: Write) throws {
    let (front, back) = (LateFront(), MemoryStorage<String, Int>(storage: ["a": 1]))
    let storage = front.combined(with: back)
    let told = ResultList<Int>()
    storage.retrieve(forKey: "a") { told.append($0) }
    front.gate.waitForHeldCall()
    try Self.write(write, to: storage)
    front.gate.release()
    told.waitForOne()
    #expect(told.all.map(\.value) == [1])
    #expect(front.memory.storage["a"] == nil || front.memory.storage["a"] == back.storage["a"])
    let now = try? storage.makeSyncStorage().retrieve(forKey: "a")
    #expect(now == back.storage["a"])
  }

  // MARK: A front that cannot remove

  @Test(arguments: [StorageCombinationSetStrategy.frontFirst, .backFirst, .backOnly])
  func `A value that comes to such a front after a write is replaced by the newest`(
    strategy: StorageCombinationSetStrategy
  ) throws {
    let (front, back) = (LateFront(removes: false), MemoryStorage<String, Int>(storage: ["a": 1]))
    let storage = front.combined(with: back, setStrategy: strategy)
    let told = ResultList<Int>()
    storage.retrieve(forKey: "a") { told.append($0) }
    front.gate.waitForHeldCall()
    try Self.write(.set, to: storage)
    front.gate.release()
    told.waitForOne()
    #expect(told.all.map(\.value) == [1])
    #expect(front.memory.storage == ["a": 2] && back.storage == ["a": 2])
  }

  @Test func `A value that comes to such a front during a write is replaced when that has ended`() throws {
    let (front, back) = (LateFront(removes: false), StorageProbe(["a": 1]))
    let storage = front.combined(with: back)
    let (told, written) = (ResultList<Int>(), ResultList<Void>())
    storage.retrieve(forKey: "a") { told.append($0) }
    front.gate.waitForHeldCall()
    back.hold([.set])
    storage.set(2, forKey: "a") { written.append($0) }
    back.waitForHeldCall()
    front.gate.release()
    told.waitForOne()
    #expect(told.all.map(\.value) == [1] && front.memory.storage == ["a": 1] && written.all.isEmpty)
    back.hold([])
    back.release()
    #expect(written.all.map(\.isSuccess) == [true])
    #expect(front.memory.storage == ["a": 2] && back.values == ["a": 2])
  }

  @Test(arguments: [StorageCombinationSetStrategy.frontFirst, .backFirst])
  func `Two sets at the same time leave such a front what the back has`(
    strategy: StorageCombinationSetStrategy
  ) throws {
    let refusal = StorageError.notSupported(.removing, storageName: "probe")
    let (front, back) = (StorageProbe(failing: [.remove: refusal]), StorageProbe())
    let storage = front.combined(with: back, setStrategy: strategy)
    let first = strategy == .frontFirst ? front : back
    first.hold([.set])
    let told = ResultList<Void>()
    storage.set(1, forKey: "a") { told.append($0) }
    first.waitForHeldCall()
    first.hold([])
    storage.set(2, forKey: "a") { told.append($0) }
    first.release()
    #expect(told.all.map(\.isSuccess) == [true, true])
    #expect(front.values == back.values && front.values.count == 1)
  }

  @Test func `Tiers agree in the end though many threads use a front that cannot remove`() throws {
    let refusal = StorageError.notSupported(.removing, storageName: "probe")
    let front = StorageProbe(delivery: .elsewhere, failing: [.remove: refusal])
    let back = StorageProbe(delivery: .elsewhere)
    let storage = front.combined(with: back).makeSyncStorage()
    onThreads(6) { thread in
      for number in 0..<200 {
        let key = "\(number % 3)"
        if (number + thread) % 3 == 0 {
          try? storage.set(thread * 10_000 + number, forKey: key)
        } else {
          _ = try? storage.retrieve(forKey: key)
        }
      }
    }
    #expect(front.values == back.values && front.values.count == 3)
  }

  @Test func `A retrieval during a write leaves nothing old in the front`() throws {
    let (front, back) = (StorageProbe(), StorageProbe(["a": 1]))
    let storage = front.combined(with: back, setStrategy: .backFirst)
    back.hold([.remove, .set])
    storage.set(2, forKey: "a") { _ in }
    back.waitForHeldCall()
    back.set(["a": 1])
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 1)
    back.set(["a": 2])
    back.release()
    #expect(front.values.isEmpty)
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 2)
    #expect(front.values == ["a": 2])
  }

  @Test func `A batch does not fill the front with what was written meanwhile`() throws {
    let (front, back) = (MemoryStorage<String, Int>(), StorageProbe(["a": 1, "b": 1]))
    let storage = front.combined(with: back)
    back.hold([.retrieve])
    let told = ResultList<Int>()
    storage.retrieve(forKeys: ["a", "b"]) { $0.forEach { told.append($0) } }
    back.waitForHeldCall()
    back.hold([])
    try storage.makeSyncStorage().set(2, forKey: "a")
    back.release()
    told.waitForOne()
    #expect(told.all.map(\.value) == [1, 1] && front.storage["a"] == 2)
  }

  @Test func `A value that was written before very many others is not overwritten by an older one`() throws {
    let (front, back) = (MemoryStorage<String, Int>(), HeldBack())
    let storage = front.combined(with: back)
    let told = ResultList<Int>()
    storage.retrieve(forKey: "a") { told.append($0) }
    back.gate.waitForHeldCall()
    try storage.makeSyncStorage().set(2, forKey: "a")
    for number in 0..<5_000 { try storage.makeSyncStorage().set(number, forKey: "\(number)") }
    back.gate.release()
    #expect(told.all.map(\.value) == [1] && front.storage["a"] == 2)
    #expect(front.storage.count == 5_001)
  }

  @Test func `Writes of many keys that go on at the same time all stay in the front`() {
    let (front, back) = (MemoryStorage<String, Int>(), StorageProbe())
    let storage = front.combined(with: back)
    back.hold([.set])
    for number in 0..<3_000 { storage.set(number, forKey: "\(number)") { _ in } }
    back.hold([])
    back.release()
    #expect(front.storage == back.values && front.storage.count == 3_000)
  }

  @Test func `A front that fails to set keeps no older value than the back`() {
    let (front, back) = (StorageProbe(["a": 1]), StorageProbe(["a": 1]))
    front.fail(.set, with: ProbeError())
    let storage = front.combined(with: back, setStrategy: .backFirst).makeSyncStorage()
    #expect(throws: ProbeError()) { try storage.set(2, forKey: "a") }
    #expect(front.values.isEmpty && back.values == ["a": 2])
    #expect((try? storage.retrieve(forKey: "a")) == 2)
  }

  @Test func `Renewing a front that cannot remove leaves it nothing older than a write of that time`() {
    let refusal = StorageError.notSupported(.removing, storageName: "probe")
    let (front, memory) = (StorageProbe(failing: [.remove: refusal]), MemoryStorage<String, Int>())
    let (reads, writes) = (StorageProbe(["": 0]), StorageProbe())
    // It reads, and writes, when it answers.
    let back = Storage<String, Int>(
      storageName: "late",
      retrieve: { key, completion in
        reads.retrieve(forKey: "") { _ in memory.retrieve(forKey: key, completion: completion) }
      },
      set: { value, key, completion in
        writes.set(0, forKey: "") { _ in memory.set(value, forKey: key, completion: completion) }
      })
    let storage = front.combined(with: back)
    // Everything is being removed, so that two keys have to be renewed, one after the other.
    front.hold([.removeAll])
    storage.removeAll { _ in }
    for key in ["a", "b"] { storage.set(1, forKey: key) { _ in } }
    reads.hold([.retrieve])
    front.hold([])
    front.release()
    storage.set(5, forKey: "c") { _ in }
    reads.waitForHeldCall()
    reads.hold([])
    writes.hold([.set])
    storage.set(2, forKey: "b") { _ in }
    reads.release()
    writes.release()
    #expect(front.values["b"] == 2 && memory.storage["b"] == 2)
  }

  @Test func `A value that fills a front while it is removed of both tiers is taken out again`() throws {
    let (front, back) = (MemoryStorage<String, Int>(), StorageProbe(["a": 1]))
    back.hold([.remove])
    front.combined(with: back).remove(forKey: "a") { _ in }
    back.set(["a": 1])
    #expect(try front.backed(by: back).makeSyncStorage().retrieve(forKey: "a") == 1)
    back.set([:])
    back.release()
    #expect(front.storage.isEmpty)
  }

  @Test func `Tiers of one file, and of one disk, keep what is set though the last fails`() throws {
    let (fixture, folder) = (try SedimentFixture(), try TestFolder())
    let disk = DiskStorage().asStorage()
    func files(_ name: String) -> Storage<String, Int> {
      DiskFolderStorage(folderURL: folder.file(name), diskStorage: disk).usingStringKeys()
        .mapValues(transformIn: { Int($0[$0.startIndex]) }, transformOut: { Data([UInt8($0)]) })
    }
    for tier in [{ fixture.numbers($0) }, files] as [(String) -> Storage<String, Int>] {
      for failing in [[:], [.set: ProbeError()]] as [[StorageProbe.Call: any Error]] {
        let storage = tier("1").combined(with: tier("2").combined(with: StorageProbe(failing: failing)))
        try? storage.makeSyncStorage().set(7, forKey: "a")
        #expect(try tier("1").makeSyncStorage().retrieve(forKey: "a") == 7)
        #expect(try tier("2").makeSyncStorage().retrieve(forKey: "a") == 7)
      }
    }
  }

  // MARK: A front that alone has what is set

  @Test(arguments: [true, false])
  func `A value that is set to a backed front is not lost to one that is pulled`(isBacked: Bool) throws {
    let (front, back) = (MemoryStorage<String, Int>(), HeldBack())
    let storage = isBacked ? front.backed(by: back) : front.combined(with: back, setStrategy: .frontOnly)
    let told = ResultList<Int>()
    storage.retrieve(forKey: "a") { told.append($0) }
    back.gate.waitForHeldCall()
    try storage.makeSyncStorage().set(2, forKey: "a")
    back.gate.release()
    told.waitForOne()
    #expect(front.storage == ["a": 2])
  }

  @Test func `A value that is set just after a backed front was filled stays`() throws {
    let (front, back) = (StorageProbe(), StorageProbe(["a": 1]))
    let storage = front.backed(by: back)
    let told = ResultList<Int>()
    front.hold([.set])
    storage.retrieve(forKey: "a") { told.append($0) }
    front.waitForHeldCall()
    front.hold([])
    try storage.makeSyncStorage().set(2, forKey: "a")
    front.release()
    #expect(told.all.map(\.value) == [1] && front.values == ["a": 2])
  }

  @Test(arguments: [true, false])
  func `A value is taken out of what fills a file by a removal there, and by none on another disk`(
    isSameFile: Bool
  ) throws {
    let (fixture, back) = (try SedimentFixture(), HeldBack())
    let other = isSameFile ? fixture : try SedimentFixture()
    let told = ResultList<Int>()
    fixture.numbers().backed(by: back).retrieve(forKey: "a") { told.append($0) }
    back.gate.waitForHeldCall()
    try other.numbers().backed(by: StorageProbe()).makeSyncStorage().remove(forKey: "a")
    back.gate.release()
    told.waitForOne()
    #expect(told.all.map(\.value) == [1])
    let filled = results { fixture.numbers().retrieve(forKey: "a", completion: $0) }
    #expect(filled.map(\.value) == [isSameFile ? nil : 1])
  }

  // MARK: Several writes

  @Test(arguments: [StorageCombinationSetStrategy.frontFirst, .backFirst])
  func `Two sets at the same time leave the same in both tiers, or nothing in the front`(
    strategy: StorageCombinationSetStrategy
  ) throws {
    let (front, back) = (StorageProbe(), StorageProbe())
    let storage = front.combined(with: back, setStrategy: strategy)
    let (first, second) = strategy == .frontFirst ? (front, back) : (back, front)
    first.hold([.set])
    let told = ResultList<Void>()
    storage.set(1, forKey: "a") { told.append($0) }
    first.waitForHeldCall()
    first.hold([])
    // Comes second to the first side, and first to the second one.
    storage.set(2, forKey: "a") { told.append($0) }
    #expect(second.values == ["a": 2] || second.values.isEmpty)
    first.release()
    #expect(told.all.map(\.isSuccess) == [true, true])
    #expect(front.values["a"] == nil || front.values == back.values)
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == back.values["a"])
  }

  @Test func `A set that a removal overtakes leaves nothing in the front that the back lacks`() throws {
    let (front, back) = (StorageProbe(), StorageProbe())
    let storage = front.combined(with: back)
    front.hold([.remove])
    storage.remove(forKey: "a") { _ in }
    front.waitForHeldCall()
    front.hold([])
    try storage.makeSyncStorage().set(2, forKey: "a")
    front.release()
    #expect(back.values.isEmpty && front.values.isEmpty)
  }

  @Test func `Writes one after another stay in the front`() throws {
    let (front, back) = (StorageProbe(), StorageProbe())
    let storage = front.combined(with: back).makeSyncStorage()
    for number in 0..<100 { try storage.set(number, forKey: "\(number % 7)") }
    #expect(front.values == back.values && front.values.count == 7 && front.count(.remove) == 0)
  }

  // MARK: Many threads

  @Test func `Tiers that many threads read and write agree in the end`() throws {
    let (front, back) = (MemoryStorage<String, Int>(), MemoryStorage<String, Int>())
    let storage = front.combined(with: StorageProbe().combined(with: back)).makeSyncStorage()
    onThreads(6) { thread in
      for number in 0..<500 {
        let key = "\(number % 5)"
        switch (number + thread) % 4 {
        case 0: try? storage.set(thread * 10_000 + number, forKey: key)
        case 1 where number % 40 == 1: try? storage.remove(forKey: key)
        default: _ = try? storage.retrieve(forKey: key)
        }
      }
    }
    for (key, value) in front.storage { #expect(back.storage[key] == value) }
  }
}
