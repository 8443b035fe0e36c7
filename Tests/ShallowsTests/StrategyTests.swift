import Shallows
import Testing

/// The older way to compose, by strategies.
struct StrategyTests {
  @Test(arguments: Composition.sets)
  func `A value is set where the strategy says`(strategy: StorageCombinationSetStrategy) throws {
    let (front, back) = (StorageProbe(), StorageProbe())
    try front.combined(with: back, setStrategy: strategy).makeSyncStorage().set(1, forKey: "a")
    #expect(front.values == (strategy == .backOnly ? [:] : ["a": 1]))
    #expect(back.values == (strategy == .frontOnly ? [:] : ["a": 1]))
  }

  @Test func `The side that is set second is left alone if the first fails`() {
    let (front, back) = (StorageProbe(), StorageProbe(failing: [.set: ProbeError()]))
    let storage = front.combined(with: back, setStrategy: .backFirst).makeSyncStorage()
    #expect(throws: ProbeError()) { try storage.set(1, forKey: "a") }
    #expect(front.count(.set) == 0)
  }

  @Test func `A value is told before it is pulled, or never pulled, if that is said`() {
    let back = StorageProbe(["a": 1])
    let front = StorageProbe()
    front.hold([.set])
    let told = ResultList<Int>()
    front.combined(with: back, pullStrategy: .completeThenPull).retrieve(forKey: "a") { result in
      #expect(front.count(.set) == 0)
      told.append(result)
    }
    #expect(told.all.map(\.value) == [1] && front.count(.set) == 1)
    front.release()
    let other = StorageProbe()
    other.combined(with: back, pullStrategy: .neverPull).retrieve(forKey: "a") { told.append($0) }
    #expect(told.all.map(\.value) == [1, 1] && other.count(.set) == 0)
  }

  @available(*, deprecated)
  @Test func `A read-only back is never written`() throws {
    let (front, back) = (StorageProbe(), StorageProbe(["a": 1]))
    let storage = front.combined(with: back.asReadOnlyStorage())
    #expect(storage.storageName == "probe<-probe")
    let sync = storage.makeSyncStorage()
    #expect(try sync.retrieve(forKey: "a") == 1)
    try sync.set(2, forKey: "a")
    #expect(front.values == ["a": 2] && back.values == ["a": 1])
  }
}
