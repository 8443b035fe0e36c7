import Shallows
import Testing

/// What compositions of two and more storages read and write, in which order, and what they answer.
struct CompositionTests {
  private let front = StorageProbe(name: "front")
  private let back = StorageProbe(["a": 1], name: "back")

  private static let frontError = ProbeError(name: "front")
  private static let backError = ProbeError(name: "back")

  // MARK: Retrieving

  @Test func `A value of the front is the answer, and the back is not asked`() throws {
    let front = StorageProbe(["a": 7])
    for storage in [front.combined(with: back), front.backed(by: back)] {
      #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 7)
    }
    #expect(back.count(.retrieve) == 0 && front.count(.set) == 0)
  }

  @Test func `A value of the back is set to the front before it is told`() throws {
    for compose in [{ $0.combined(with: $1) }, { $0.backed(by: $1) }]
      as [(StorageProbe, StorageProbe) -> Storage<String, Int>]
    {
      let front = StorageProbe()
      let storage = compose(front, back)
      var inFront: [Int?] = []
      let values = results { completion in
        storage.retrieve(forKey: "a") { result in
          inFront.append(front.values["a"])
          completion(result)
        }
      }
      #expect(values.map(\.value) == [1] && inFront == [1])
      #expect(front.count(.set) == 1 && back.count(.set) == 0)
    }
  }

  @Test func `The answer waits for the front to be filled`() {
    front.hold([.set])
    let told = ResultList<Int>()
    front.combined(with: back).retrieve(forKey: "a") { told.append($0) }
    front.waitForHeldCall()
    #expect(told.all.isEmpty)
    front.release()
    #expect(told.all.map(\.value) == [1])
  }

  @Test func `A front that cannot be filled does not spoil the answer`() throws {
    front.fail(.set, with: Self.frontError)
    #expect(try front.combined(with: back).makeSyncStorage().retrieve(forKey: "a") == 1)
    #expect(try front.backed(by: back).makeSyncStorage().retrieve(forKey: "a") == 1)
    #expect(front.values.isEmpty)
  }

  @Test func `A front that fails for whatever reason lets the back answer`() throws {
    front.fail(.retrieve, with: Self.frontError)
    #expect(try front.combined(with: back).makeSyncStorage().retrieve(forKey: "a") == 1)
    #expect(try front.backed(by: back).makeSyncStorage().retrieve(forKey: "a") == 1)
    #expect(
      try front.asReadOnlyStorage().backed(by: back).makeSyncStorage().retrieve(forKey: "a") == 1)
  }

  @Test func `If both fail, the failure of the back is the answer`() {
    front.fail(.retrieve, with: Self.frontError)
    back.fail(.retrieve, with: Self.backError)
    let readOnly = front.asReadOnlyStorage().backed(by: back)
    #expect(throws: Self.backError) { try front.combined(with: back).makeSyncStorage().retrieve(forKey: "a") }
    #expect(throws: Self.backError) { try front.backed(by: back).makeSyncStorage().retrieve(forKey: "a") }
    #expect(throws: Self.backError) { try readOnly.makeSyncStorage().retrieve(forKey: "a") }
    #expect(front.count(.set) == 0)
  }

  @Test func `A read-only composition sets nothing`() throws {
    let storage = front.asReadOnlyStorage().backed(by: back)
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 1)
    #expect(front.count(.set) == 0 && back.count(.set) == 0)
  }

  // MARK: Which failures the back is asked after

  @Test(arguments: [StorageFallThrough.anyFailure, .missesOnly])
  func `A miss of the front lets the back answer, whatever is said of failures`(failures: StorageFallThrough)
    throws
  {
    let readOnly = front.asReadOnlyStorage().backed(by: back, fallingThroughOn: failures)
    #expect(try readOnly.makeSyncStorage().retrieve(forKey: "a") == 1)
    let backed = StorageProbe().backed(by: back, fallingThroughOn: failures)
    #expect(try backed.makeSyncStorage().retrieve(forKey: "a") == 1)
    let combined = front.combined(with: back, fallingThroughOn: failures)
    #expect(try combined.makeSyncStorage().retrieve(forKey: "a") == 1)
    #expect(front.values == ["a": 1])
  }

  @Test func `Another failure of the front is the answer where only misses fall through`() async throws {
    front.fail(.retrieve, with: Self.frontError)
    let storages = [
      front.combined(with: back, fallingThroughOn: .missesOnly),
      front.backed(by: back, fallingThroughOn: .missesOnly),
    ]
    for storage in storages {
      #expect(throws: Self.frontError) { try storage.makeSyncStorage().retrieve(forKey: "a") }
      await #expect(throws: Self.frontError) { try await storage.retrieve(forKeys: ["a"]) }
    }
    let readOnly = front.asReadOnlyStorage().backed(by: back, fallingThroughOn: .missesOnly)
    #expect(throws: Self.frontError) { try readOnly.makeSyncStorage().retrieve(forKey: "a") }
    #expect(back.count(.retrieve) == 0 && front.count(.set) == 0)
  }

  // MARK: Setting

  @Test func `Combined and pushing set the front, then the back, whose result is the answer`() {
    back.fail(.set, with: Self.backError)
    for storage in [front.combined(with: back).asWriteOnlyStorage(), front.pushing(to: back)] {
      #expect(throws: Self.backError) { try storage.makeSyncStorage().set(2, forKey: "a") }
    }
    #expect(front.values == ["a": 2] && front.count(.set) == 2 && back.count(.set) == 2)
  }

  @Test func `Combined and pushing do not touch the back if the front fails`() {
    front.fail(.set, with: Self.frontError)
    for storage in [front.combined(with: back).asWriteOnlyStorage(), front.pushing(to: back)] {
      #expect(throws: Self.frontError) { try storage.makeSyncStorage().set(2, forKey: "a") }
    }
    #expect(back.count(.set) == 0 && back.values == ["a": 1])
  }

  @Test func `The back is set once the front has been`() {
    front.hold([.set])
    front.combined(with: back).set(2, forKey: "a") { _ in }
    front.waitForHeldCall()
    #expect(back.count(.set) == 0)
    front.release()
    #expect(back.values == ["a": 2])
  }

  @Test func `A backed storage sets the front alone`() throws {
    try front.backed(by: back).makeSyncStorage().set(2, forKey: "a")
    #expect(front.values == ["a": 2] && back.values == ["a": 1] && back.count(.set) == 0)
  }

  // MARK: Three tiers and more

  @Test func `What the last of three tiers has is set to those before it`() throws {
    let middle = StorageProbe()
    for storage in [
      front.combined(with: middle).combined(with: back), front.combined(with: middle.combined(with: back)),
    ] {
      front.set([:])
      middle.set([:])
      #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 1)
      #expect(front.values == ["a": 1] && middle.values == ["a": 1])
    }
  }

  @Test func `Four tiers are set, and a failing one in the middle ends that`() {
    let tiers = (0..<4).map { _ in StorageProbe() }
    let storage = tiers[0].combined(with: tiers[1]).combined(with: tiers[2]).combined(with: tiers[3])
      .makeSyncStorage()
    #expect(throws: Never.self) { try storage.set(1, forKey: "a") }
    #expect(tiers.allSatisfy { $0.values == ["a": 1] })
    tiers[2].fail(.set, with: Self.backError)
    #expect(throws: Self.backError) { try storage.set(2, forKey: "a") }
    #expect(tiers.map(\.values) == [["a": 2], ["a": 2], ["a": 1], ["a": 1]])
  }

  // MARK: Single steps

  @Test func `Single steps push, and pull`() throws {
    let told = ResultList<Int>()
    front.dev.retrieve(forKey: "a", backedBy: back) { told.append($0) }
    #expect(told.all.map(\.value) == [1] && front.values == ["a": 1])
    let set = ResultList<Void>()
    front.dev.set(3, forKey: "b", pushingTo: back) { set.append($0) }
    #expect(set.all.map(\.isSuccess) == [true] && front.values["b"] == 3 && back.values["b"] == 3)
  }
}
