import Shallows
import Testing

/// The names that storages have, and those of what is made of them.
struct NamingTests {
  private let front = StorageProbe(name: "front")
  private let back = StorageProbe(name: "back")

  @Test func `A storage is named after its type unless it says otherwise`() {
    #expect(UserClassStorage().storageName == "UserClassStorage")
    #expect(UserStorage().storageName == "mine" && UserStorage().asStorage().storageName == "mine")
    #expect(MemoryStorage<String, [Int]>().storageName == "memory-storage-String:Array<Int>")
  }

  @Test func `Storages carry the name they were given`() {
    let reading = ReadOnlyStorage<Int, Int>(storageName: "reading") { _, _ in }
    let writing = WriteOnlyStorage<Int, Int>(storageName: "writing") { _, _, _ in }
    #expect(reading.storageName == "reading" && writing.storageName == "writing")
    #expect(Storage(read: reading, write: writing).storageName == "reading")
    let both = Storage(storageName: "both", read: reading, write: writing)
    #expect(both.storageName == "both" && both.asReadOnlyStorage().storageName == "both")
    let closures = Storage<Int, Int>(storageName: "closures", retrieve: { _, _ in }, set: { _, _, _ in })
    #expect(closures.storageName == "closures" && closures.asStorage().storageName == "closures")
    #expect(Storage(front).storageName == "front" && ReadOnlyStorage(front).storageName == "front")
    #expect(WriteOnlyStorage(front).storageName == "front")
  }

  @Test func `Renaming changes the name everywhere`() {
    let full = front.renaming(to: "new")
    #expect(full.storageName == "new" && full.asStorage().storageName == "new")
    #expect(full.asReadOnlyStorage().storageName == "new" && full.asWriteOnlyStorage().storageName == "new")
    let reading = front.asReadOnlyStorage().renaming(to: "new")
    let writing = front.asWriteOnlyStorage().renaming(to: "new")
    #expect(reading.storageName == "new" && reading.asReadOnlyStorage().storageName == "new")
    #expect(writing.storageName == "new" && writing.asWriteOnlyStorage().storageName == "new")
    #expect(full.combined(with: back).storageName == "new<->back")
    #expect(full.asReadOnlyStorage().renaming(to: "newer").storageName == "newer")
  }

  @Test func `Compositions are named after what they are made of`() {
    #expect(front.combined(with: back).storageName == "front<->back")
    #expect(front.backed(by: back).storageName == "front<-back")
    #expect(front.asReadOnlyStorage().backed(by: back).storageName == "front-back")
    #expect(front.pushing(to: back).storageName == "front-back")
    #expect(zip(front, back).storageName == "front+back")
    #expect(zip(front.asReadOnlyStorage(), back.asReadOnlyStorage()).storageName == "front+back")
    #expect(zip(front.asWriteOnlyStorage(), back.asWriteOnlyStorage()).storageName == "front+back")
    #expect(front.combined(with: back).combined(with: front).storageName == "front<->back<->front")
    #expect(front.unhashable.combined(with: back.unhashable).storageName == "front<->back")
    #expect(front.combined(with: back, setStrategy: .backOnly).storageName == "front<->back")
  }

  @Test func `Sync storages say what they are`() {
    #expect(front.makeSyncStorage().storageName == "front-sync")
    #expect(front.asReadOnlyStorage().makeSyncStorage().storageName == "front-sync")
    #expect(front.asWriteOnlyStorage().makeSyncStorage().storageName == "front-sync")
  }

  @Test func `Empty storages are named so`() {
    #expect(Storage<Int, Int>.empty().storageName == "empty")
    #expect(ReadOnlyStorage<Int, Int>.empty().storageName == "empty")
    #expect(WriteOnlyStorage<Int, Int>.empty().storageName == "empty")
  }

  @Test(
    arguments: Layer.all.filter { $0.testDescription != "renamed" && !$0.testDescription.contains("halves") })
  func `Transforms keep the name`(layer: Layer) {
    #expect(layer.make(front.asStorage()).storageName == "front")
  }

  @Test func `A storage without type is itself again`() throws {
    let memory = MemoryStorage<String, Int>()
    let storage = memory.asStorage().asStorage()
    try storage.makeSyncStorage().set(1, forKey: "a")
    #expect(memory.storage == ["a": 1])
  }
}
