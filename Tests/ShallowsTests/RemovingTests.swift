import Shallows
import Testing

/// Removing a value, and all, from one tier and from all of them.
struct RemovingTests {
  private static let values = ["a": 1, "b": 2]

  @Test(arguments: Layer.all)
  func `A value, and all, are removed through each transform`(layer: Layer) async throws {
    let base = StorageProbe(Self.values)
    let storage = layer.make(base.asStorage())
    try await storage.remove(forKey: "a")
    #expect(base.values == ["b": 2])
    try await storage.remove(forKey: "a")
    try await storage.removeAll()
    #expect(base.values.isEmpty && base.count(.removeAll) == 1)
  }

  @Test(arguments: Layer.all)
  func `Sync storages remove, too`(layer: Layer) throws {
    let base = StorageProbe(Self.values)
    let storage = layer.make(base.asStorage())
    try storage.makeSyncStorage().remove(forKey: "a")
    try storage.asWriteOnlyStorage().makeSyncStorage().remove(forKey: "missing")
    #expect(base.values == ["b": 2])
    try storage.makeSyncStorage().removeAll()
    #expect(base.values.isEmpty)
    base.set(Self.values)
    try storage.asWriteOnlyStorage().makeSyncStorage().removeAll()
    #expect(base.values.isEmpty)
  }

  @Test func `A dropped key is gone from all tiers`() async throws {
    let tiers = (0..<3).map { _ in StorageProbe(Self.values) }
    let storage = tiers[0].combined(with: tiers[1]).combined(with: tiers[2])
    try await storage.remove(forKey: "a")
    #expect(tiers.allSatisfy { $0.values == ["b": 2] })
    let error = await #expect(throws: StorageError.self) { try await storage.retrieve(forKey: "a") }
    #expect(error?.isNoValue == true)
    try await storage.removeAll()
    #expect(tiers.allSatisfy { $0.values.isEmpty })
  }

  @Test func `Both sides of a zip and of a pushing storage are removed`() async throws {
    let tiers = (0..<4).map { _ in StorageProbe(Self.values) }
    try await zip(tiers[0], tiers[1]).remove(forKey: "a")
    try await tiers[2].pushing(to: tiers[3]).remove(forKey: "a")
    #expect(tiers.allSatisfy { $0.values == ["b": 2] })
    try await zip(tiers[0].asWriteOnlyStorage(), tiers[1].asWriteOnlyStorage()).removeAll()
    try await tiers[2].pushing(to: tiers[3]).removeAll()
    #expect(tiers.allSatisfy { $0.values.isEmpty })
  }

  @Test func `One tier is purged by itself, and filled again`() async throws {
    let (memory, disk) = (MemoryStorage<String, Int>(storage: Self.values), StorageProbe(Self.values))
    let storage = memory.combined(with: disk)
    try await memory.removeAll()
    #expect(memory.storage.isEmpty && disk.values == Self.values)
    #expect(try await storage.retrieve(forKey: "a") == 1)
    #expect(memory.storage == ["a": 1])
    try await memory.remove(forKey: "a")
    #expect(try await storage.retrieve(forKey: "a") == 1)
  }

  @Test func `Removing from a backed storage leaves the back alone`() async throws {
    let (front, back) = (StorageProbe(Self.values), StorageProbe(["a": 5]))
    let storage = front.backed(by: back)
    try await storage.remove(forKey: "a")
    #expect(try await storage.retrieve(forKey: "a") == 5)
    try await storage.removeAll()
    #expect(front.values.isEmpty && back.values == ["a": 5] && back.count(.removeAll) == 0)
  }

  @Test func `The one value of a single key is removed`() async throws {
    let base = StorageProbe(Self.values)
    try await base.singleKey("a").remove(forKey: ())
    #expect(base.values == ["b": 2])
  }

  @Test func `A front that fails to remove keeps the back from it`() {
    let (front, back) = (
      StorageProbe(Self.values, failing: [.remove: ProbeError()]), StorageProbe(Self.values)
    )
    let sync = front.combined(with: back).makeSyncStorage()
    #expect(throws: ProbeError()) { try sync.remove(forKey: "a") }
    #expect(back.values == Self.values)
  }

  @Test func `A storage without removing says so, by its name, through whatever lies above it`() async {
    let mine = UserStorage()
    for storage in [
      mine.asStorage(), mine.combined(with: MemoryStorage()), mine.mapKeys { (key: String) in key },
      mine.validate { _ in true }, mine.synchronizedCalls(), mine.backed(by: mine),
    ] {
      let one = await #expect(throws: StorageError.self) { try await storage.remove(forKey: "a") }
      #expect(
        one == .notSupported(.removing, storageName: "mine") && one?.storageFailureKind == .notSupported)
      let all = #expect(throws: StorageError.self) { try storage.makeSyncStorage().removeAll() }
      #expect(all == .notSupported(.removingAll, storageName: "mine"))
      #expect("\(StorageError.notSupported(.removing, storageName: "mine"))".contains("\"mine\""))
    }
    let closures = SyncStorage<Int, Int>(storageName: "closures", retrieve: { $0 }, set: { _, _ in })
    #expect(throws: StorageError.notSupported(.removing, storageName: "closures")) {
      try closures.remove(forKey: 1)
    }
    let writing = WriteOnlySyncStorage<Int, Int>(storageName: "closures", set: { _, _ in })
    #expect(throws: StorageError.notSupported(.removingAll, storageName: "closures")) {
      try writing.removeAll()
    }
  }
}
