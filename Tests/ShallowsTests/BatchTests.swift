import Shallows
import Testing

/// Several keys at once.
struct BatchTests {
  private let clock = TestClock()

  private func filled(_ values: [String: Int]) throws -> TimedStorage {
    let storage = TimedStorage(clock)
    for (key, value) in values { try storage.makeSyncStorage().set(value, forKey: key) }
    return storage
  }

  @Test(arguments: Layer.all)
  func `A batch goes through every transform as one call, in its order`(layer: Layer) async throws {
    let base = try filled(["a": 1, "b": 2, "c": 3])
    let storage = layer.make(base.asStorage())
    #expect(try await storage.retrieve(forKeys: ["c", "x", "a", "c", "y"]) == [3, nil, 1, 3, nil])
    #expect(base.batchSizes == [5] && base.retrievalCount == 0)
    let told = results { (completion: @escaping (ShallowsResult<[Int?]>) -> Void) in
      storage.retrieve(forKeys: ["b", "x"]) { completion(.success($0.map(\.value))) }
    }
    #expect(told.map(\.value) == [[2, nil]])
    #expect(try await storage.retrieve(forKeys: []) == [])
  }

  @Test func `Tiers are asked for what those before them lack`() async throws {
    let front = try filled(["a": 1])
    let middle = try filled(["a": 7, "b": 2])
    let back = try filled(["a": 8, "b": 9, "c": 3])
    let storage = front.combined(with: middle).combined(with: back)
    #expect(try await storage.retrieve(forKeys: ["c", "a", "x", "b"]) == [3, 1, nil, 2])
    #expect(front.batchSizes == [4] && middle.batchSizes == [3] && back.batchSizes == [2])
    #expect(try await storage.retrieve(forKeys: ["c", "a", "b"]) == [3, 1, 2])
    #expect(front.batchSizes == [4, 3] && middle.batchSizes == [3] && back.batchSizes == [2])
  }

  @Test func `Backed and read-only compositions, and zips, ask once, too`() async throws {
    let (front, back) = (try filled(["a": 1]), try filled(["a": 7, "b": 2]))
    let reading = front.asReadOnlyStorage().backed(by: back)
    #expect(try await reading.retrieve(forKeys: ["b", "a"]) == [2, 1])
    #expect(front.batchSizes == [2] && back.batchSizes == [1])
    #expect(try await front.backed(by: back).retrieve(forKeys: ["b", "a"]) == [2, 1])
    #expect(try await front.retrieve(forKeys: ["b"]) == [2])
    let pairs = try await zip(front, back).retrieve(forKeys: ["a", "x", "b"])
    #expect(pairs.map { $0?.0 } == [1, nil, 2] && pairs.map { $0?.1 } == [7, nil, 2])
    #expect(back.batchSizes == [1, 1, 3])
  }

  @Test func `A failure of one key leaves the others their values where completions are told`() async throws {
    let odd = try filled(["a": 1, "b": 2, "c": 3]).mapValues(
      transformIn: { (value: Int) in if value == 2 { throw ProbeError() } else { value } },
      transformOut: { $0 })
    let told = results { (completion: @escaping (ShallowsResult<[ShallowsResult<Int>]>) -> Void) in
      odd.retrieve(forKeys: ["a", "b", "c", "x"]) { completion(.success($0)) }
    }
    let found = try #require(told.first?.value)
    #expect(found.map(\.value) == [1, nil, 3, nil])
    #expect(found[1].error is ProbeError && found[3].error?.isNoValue == true)
    await #expect(throws: ProbeError()) { try await odd.retrieve(forKeys: ["a", "b"]) }
  }

  @Test func `A key that cannot be mapped fails alone`() throws {
    let storage = try filled(["1": 1, "3": 3]).mapKeys { (key: Int) -> String in
      if key == 2 { throw ProbeError() } else { "\(key)" }
    }
    let asynchronous = try filled(["1": 1, "3": 3]).asyncMapKeys { (key: Int) -> String in
      if key == 2 { throw ProbeError() } else { "\(key)" }
    }
    for storage in [storage, asynchronous] {
      let told = results { (completion: @escaping (ShallowsResult<[ShallowsResult<Int>]>) -> Void) in
        storage.retrieve(forKeys: [1, 2, 3]) { completion(.success($0)) }
      }
      #expect(told.first?.value?.map(\.value) == [1, nil, 3])
      #expect(told.first?.value?[1].error is ProbeError)
    }
  }

  @Test(arguments: [StorageProbe.Delivery.inline, .elsewhere])
  func `A storage of the user's own takes large batches, and fills a front of its kind`(
    delivery: StorageProbe.Delivery
  ) async throws {
    let count = delivery == .inline ? 100_000 : 1_000
    let keys = (0..<count).map { "\($0)" }
    let values = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, $0) })
    let back = StorageProbe(values, delivery: delivery)
    #expect(try await back.asStorage().retrieve(forKeys: keys) == Array(0..<count))
    #expect(back.count(.retrieve) == count)
    let front = StorageProbe(delivery: delivery)
    #expect(try await front.combined(with: back).retrieve(forKeys: keys) == Array(0..<count))
    #expect(front.values == values)
  }

  @Test func `What single keys have is told by an async batch, too`() async throws {
    let odd = try filled(["a": 1, "b": 2]).mapValues(
      transformIn: { (value: Int) in if value == 2 { throw ProbeError() } else { value } },
      transformOut: { $0 })
    let found = await odd.retrieveResults(forKeys: ["b", "a", "x"])
    #expect(found.map(\.value) == [nil, 1, nil])
    #expect(found[0].error is ProbeError && found[2].error?.isNoValue == true)
    // A storage that fails as a whole fails each key.
    let unreadable = MemoryStorage<String, Int>().asWriteOnlyStorage().usingUnsupportedTransformation { $0 }
    let halves = Storage(
      read: ReadOnlyStorage<String, Int>.empty(), write: unreadable)
    let nothing = await halves.retrieveResults(forKeys: ["a", "b"])
    #expect(nothing.map { $0.error as? EmptyCacheError } == [.cacheIsAlwaysEmpty, .cacheIsAlwaysEmpty])
  }

  /// A storage of a user's own that answers batches wrongly.
  private struct Miscounting: ReadOnlyStorageProtocol {
    let surplus: Int
    var storageName: String { "wrong" }

    func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> Void) {
      completion(.success(1))
    }

    func answer(forKeys keys: [String]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Int>>]> {
      .value(Array(repeating: .success(ExpiringValue(1)), count: keys.count + surplus))
    }
  }

  @Test(arguments: [-1, 1])
  func `A batch that is answered with a wrong number of results is an error, through every layer`(
    surplus: Int
  ) async throws {
    let wrong = Miscounting(surplus: surplus)
    let error = StorageError.wrongResultCount(2 + surplus, keyCount: 2, storageName: "wrong")
    let (front, memory) = (MemoryStorage<String, Int>(), MemoryStorage<String, Int>())
    let one = MemoryStorage<String, Int>(storage: ["a": 5])
    let compositions: [ReadOnlyStorage<String, Int>] = [
      wrong.asReadOnlyStorage(), wrong.mapKeys { $0 }, wrong.mapValues { $0 }, wrong.fallback { throw $0 },
      wrong.asyncMapKeys { $0 }, wrong.asyncMapValues { $0 }, wrong.coalescingRetrievals(),
      wrong.backed(by: memory, fallingThroughOn: .missesOnly), front.backed(by: wrong).asReadOnlyStorage(),
      memory.asReadOnlyStorage().backed(by: wrong),
    ]
    for (number, storage) in compositions.enumerated() {
      await #expect(throws: error, "\(number)") { try await storage.retrieve(forKeys: ["a", "b"]) }
      let told = results { (completion: @escaping (ShallowsResult<[ShallowsResult<Int>]>) -> Void) in
        storage.retrieve(forKeys: ["a", "b"]) { completion(.success($0)) }
      }
      #expect(told.first?.value?.map { $0.error as? StorageError } == [error, error], "\(number)")
    }
    #expect(front.storage.isEmpty)
    // What the front has is not lost to that.
    let partly = await one.asReadOnlyStorage().backed(by: wrong).retrieveResults(forKeys: ["x", "a", "y"])
    #expect(partly[1].value == 5 && partly[0].isFailure && partly[2].isFailure)
    let zipped = await zip(one.asReadOnlyStorage(), wrong.asReadOnlyStorage()).retrieveResults(forKeys: [
      "a", "b",
    ])
    let sides = zipped.map { $0.error as? ZippedResultError }
    #expect(sides.map { $0?.right as? StorageError } == [error, error])
    #expect(sides[0]?.left == nil && sides[1]?.left?.isNoValue == true)
    #expect(error.storageFailureKind == .other && "\(error)".contains("\"wrong\" answered with"))
  }
}
