import Foundation
import Sediment
import SedimentDisk
import SedimentTesting
import Shallows
import Testing

/// The engine as a storage.
struct SedimentStorageTests {
  @Test func `Data is set, found, replaced and removed, on the caller's thread`() throws {
    let storage = SedimentStorage(try SedimentFixture().store)
    let told = ResultList<Data>()
    storage.set(Data("one".utf8), forKey: "a") { _ in }
    storage.retrieve(forKey: "a") { told.append($0) }
    storage.set(Data(), forKey: "a") { _ in }
    storage.retrieve(forKey: "a") { told.append($0) }
    storage.remove(forKey: "a") { _ in }
    storage.retrieve(forKey: "a") { told.append($0) }
    // All that without waiting for anybody.
    #expect(told.all.map(\.value) == [Data("one".utf8), Data(), nil])
    #expect(told.all.last?.error?.isNoValue == true)
  }

  @Test func `Values are sliced as they come, and names may be any text`() throws {
    let sync = SedimentStorage(try SedimentFixture().store).makeSyncStorage()
    let long = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    for name: Filename in [
      "", "a/b\0c", "é", "e\u{301}", Filename(rawValue: String(repeating: "x", count: 1_000)),
    ] {
      try sync.set(long[500...], forKey: name)
      #expect(try sync.retrieve(forKey: name) == long[500...])
    }
    try sync.removeAll()
    #expect(throws: StorageError.noValue) { try sync.retrieve(forKey: "") }
  }

  @Test func `Collections of one store have keys of their own`() async throws {
    let fixture = try SedimentFixture()
    let (own, users) = (fixture.numbers(), fixture.numbers("users"))
    try await own.set(1, forKey: "a")
    try await users.set(2, forKey: "a")
    #expect(try await own.retrieve(forKey: "a") == 1)
    try await own.removeAll()
    #expect(try await users.retrieve(forKey: "a") == 2)
    #expect(fixture.store.collectionNames == ["users"])
    #expect(SedimentStorage(fixture.store).storageName == "sediment-values")
    #expect(SedimentStorage(fixture.store, collection: "users").storageName == "sediment-values/users")
    #expect(try SedimentStorage(fixture.store).keyspace().store === fixture.store)
  }

  @Test func `A batch is read in one go, in its order`() async throws {
    let numbers = try SedimentFixture().numbers()
    for number in 0..<200 { try await numbers.set(number, forKey: "\(number)") }
    try await numbers.remove(forKey: "7")
    let asked = ["199", "x", "0", "7", "0"] + (0..<150).map { "\($0)" }
    let found = try await MemoryStorage().combined(with: numbers).retrieve(forKeys: asked)
    #expect(Array(found[..<5]) == [199, nil, 0, nil, 0])
    #expect(Array(found[5...]) == (0..<150).map { $0 == 7 ? nil : $0 })
  }

  @Test func `A damaged value fails alone, in batches, compositions and fallbacks`() async throws {
    let fixture = try SedimentFixture()
    let storage = SedimentStorage(fixture.store).usingStringKeys()
    let names = (0..<200).map { "\($0)" }
    for name in names { try await storage.set(Data("value \(name).".utf8), forKey: name) }
    let damaged: Set = ["0", "63", "64", "130", "199"]
    let bytes = try #require(fixture.disk.contents(of: SedimentFixture.path))
    for name in damaged {
      let place = try #require(bytes.firstRange(of: Array("value \(name).".utf8)))
      fixture.disk.flipBit(0, ofByte: place.lowerBound, in: SedimentFixture.path)
    }
    let asked = names + ["x"]
    let found = await storage.retrieveResults(forKeys: asked)
    try #require(found.count == asked.count)
    for (name, result) in zip(asked, found) {
      switch name {
      case "x": #expect(result.error?.isNoValue == true)
      case _ where damaged.contains(name): #expect((result.error as? SedimentError)?.code == .damaged)
      default: #expect(result.value == Data("value \(name).".utf8))
      }
    }
    let error = await #expect(throws: SedimentError.self) { try await storage.retrieve(forKeys: asked) }
    #expect(error?.code == .damaged)
    let mended = storage.fallback { error in Data((error.isNoValue ? "missing" : "unreadable").utf8) }
    let texts = try await mended.retrieve(forKeys: ["130", "131", "x"]).map {
      $0.map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(texts == ["unreadable", "value 131.", "missing"])
    // A back has the values that cannot be read here, and the front those that can.
    let back = MemoryStorage<String, Data>(storage: ["63": Data([1]), "64": Data([2])])
    let tiers = storage.asReadOnlyStorage().backed(by: back)
    #expect(
      try await tiers.retrieve(forKeys: ["62", "63", "64"]) == [Data("value 62.".utf8), Data([1]), Data([2])])
    let front = MemoryStorage<String, Data>()
    _ = await front.combined(with: storage).retrieveResults(forKeys: ["129", "130"])
    #expect(front.storage == ["129": Data("value 129.".utf8)])
  }

  @Test func `A batch of a store that is closed fails for each key`() async throws {
    let fixture = try SedimentFixture()
    let storage = SedimentStorage(fixture.store)
    try fixture.store.close()
    let found = await storage.retrieveResults(forKeys: (0..<200).map { Filename(rawValue: "\($0)") })
    #expect(found.count == 200 && found.allSatisfy { ($0.error as? SedimentError)?.code == .closed })
  }

  @Test func `All names are listed, and keys that are no text are left out`() async throws {
    let fixture = try SedimentFixture()
    let numbers = MemoryStorage().combined(with: fixture.numbers())
    for key in ["a", "b", "é"] { try await numbers.set(1, forKey: key) }
    try fixture.store.set([1], forKey: [0xFF, 0xFE] as [UInt8])
    var keys: [String] = []
    for try await key in numbers.keys() { keys.append(key) }
    #expect(keys.sorted() == ["a", "b", "é"])
  }

  // MARK: Expiry

  @Test func `Values expire by the clock of the disk, and fronts know when`() async throws {
    let fixture = try SedimentFixture()
    let storage = fixture.numbers()
    let end = Date(timeIntervalSince1970: TimeInterval(fixture.disk.wallClock()) / 1_000 + 60)
    try await storage.expiring(after: .seconds(60)).set(1, forKey: "a")
    try await storage.set(2, forKey: "b", expiry: .at(Date(timeIntervalSince1970: 4_000_000_000)))
    try await storage.set(3, forKey: "c")
    let front = TimedStorage(TestClock())
    #expect(try await front.combined(with: storage).retrieve(forKeys: ["a", "b", "c"]) == [1, 2, 3])
    #expect(front.end(of: "a") == end)
    #expect(front.end(of: "b") == Date(timeIntervalSince1970: 4_000_000_000) && front.end(of: "c") == nil)
    fixture.disk.advanceClocks(by: .seconds(60))
    #expect(try await storage.retrieve(forKeys: ["a", "b", "c"]) == [nil, 2, 3])
    await #expect(throws: StorageError.noValue) { try await storage.retrieve(forKey: "a") }
  }

  @Test func `An update keeps the expiry unless it says another`() async throws {
    let fixture = try SedimentFixture()
    let storage = fixture.numbers()
    try await storage.set(1, forKey: "a", expiry: .after(.seconds(60)))
    #expect(try await storage.atomicUpdate(forKey: "a") { $0 += 1 } == 2)
    let end = fixture.disk.wallClock() + 60_000
    #expect(try fixture.store.expiry(forKey: "a") == .at(milliseconds: end))
    _ = try await storage.expiring(after: .seconds(90)).atomicUpdate(forKey: "a") { $0 += 1 }
    #expect(try fixture.store.expiry(forKey: "a") == .at(milliseconds: end + 30_000))
  }

  // MARK: Updating

  @Test func `Many threads count, and none is lost`() async throws {
    let fixture = try SedimentFixture()
    let base = SedimentStorage(fixture.store).mapKeys { (key: String) in Filename(rawValue: key) }
      .mapValues(transformIn: { $0.count }, transformOut: { Data(repeating: 0, count: $0) })
    let storage = MemoryStorage().combined(with: base).defaulting(to: 0)
    onThreads(6) { _ in
      for _ in 0..<50 {
        #expect(results { storage.atomicUpdate(forKey: "a", { $0 += 1 }, completion: $0) }.count == 1)
      }
    }
    #expect(try await storage.retrieve(forKey: "a") == 300)
  }

  @Test func `An update may remove, and what its closure throws changes nothing`() throws {
    let storage = SedimentStorage(try SedimentFixture().store)
    let sync = storage.makeSyncStorage()
    try sync.set(Data([1]), forKey: "a")
    #expect(throws: ProbeError()) {
      try results { completion in
        storage.answer(updating: "a", expiry: nil) { _ in throw ProbeError() }.deliver(to: completion)
      }.first.unwrap().get()
    }
    #expect(try sync.retrieve(forKey: "a") == Data([1]))
    let told = results { completion in
      storage.answer(updating: "a", expiry: nil) { _ in nil }.deliver(to: completion)
    }
    #expect(told.map(\.value) == [.some(nil)])
    #expect(throws: StorageError.noValue) { try sync.retrieve(forKey: "a") }
    #expect(
      results { storage.atomicUpdate(forKey: "a", { _ in }, completion: $0) }.first?.error?.isNoValue == true)
  }

  // MARK: Durability

  private static func isDone(
    _ change: (SedimentStorage, @escaping (ShallowsResult<Void>) -> Void) -> Void, _ fixture: SedimentFixture
  ) {
    let caller = Thread.current
    let storage = SedimentStorage(fixture.store).durability(.synced)
    let told = results { completion in
      change(storage) { result in
        #expect(Thread.current !== caller)
        completion(result)
      }
    }
    #expect(told.map(\.isSuccess) == [true])
  }

  @Test func `A change that is to be synced is told on another thread, once it is on the disk`() throws {
    let fixture = try SedimentFixture()
    let before = fixture.store.statistics.syncCount
    Self.isDone({ $0.set(Data([1]), forKey: "a", completion: $1) }, fixture)
    #expect(fixture.store.statistics.syncCount > before)
    #expect(try fixture.afterPowerLoss().numbers().makeSyncStorage().retrieve(forKey: "a") == 1)
    Self.isDone({ $0.remove(forKey: "a", completion: $1) }, fixture)
    #expect(try fixture.afterPowerLoss().store.contains("a") == false)
    Self.isDone({ $0.set(Data([1]), forKey: "b", completion: $1) }, fixture)
    Self.isDone({ $0.removeAll(completion: $1) }, fixture)
    #expect(try fixture.afterPowerLoss().store.contains("b") == false)
  }

  @Test func `The durability of the store is that of its storages unless they say another`() async throws {
    let fixture = try SedimentFixture(durability: .synced)
    try await fixture.numbers().set(1, forKey: "a")
    #expect(try fixture.afterPowerLoss().store.contains("a"))
    #expect(try await fixture.numbers().atomicUpdate(forKey: "a") { $0 = 2 } == 2)
    #expect(try await fixture.afterPowerLoss().numbers().retrieve(forKey: "a") == 2)
    let count = fixture.store.statistics.syncCount
    try await SedimentStorage(fixture.store, durability: .unsynced).numbers.set(2, forKey: "b")
    #expect(fixture.store.statistics.syncCount == count)
    #expect(try fixture.afterPowerLoss().store.contains("b") == false)
  }

  @Test func `A sync that fails is told to who waits for it, and the outcome is unknown`() async throws {
    let fixture = try SedimentFixture()
    let storage = SedimentStorage(fixture.store).durability(.synced).numbers
    fixture.disk.injectForGood(.error(.inputOutput), only: [.sync])
    let error = await #expect(throws: SedimentError.self) { try await storage.set(1, forKey: "a") }
    #expect(error?.code == .outcomeUnknown && error?.isNoValue == false)
  }
}
