import Shallows
import Testing

/// The keys of a storage, one after another.
struct KeyListingTests {
  private let memory = MemoryStorage(storage: ["1": 1, "2": 2])

  private func keys<Key>(of storage: some ReadableStorageProtocol<Key, Int>) async throws -> [Key] {
    var keys: [Key] = []
    for try await key in storage.keys() { keys.append(key) }
    return keys
  }

  @Test(arguments: [
    Layer("values mapped") { $0.mapValues(transformIn: { $0 }, transformOut: { $0 }) },
    Layer("keys mapped and back") { $0.mapKeys({ (key: String) in key }, inverse: { $0 }) },
    Layer("keys raw") {
      $0.mapKeys(toRawRepresentableType: RawKey.self).mapKeys(
        { RawKey(rawValue: $0) }, inverse: { $0.rawValue })
    },
    Layer("renamed") { $0.renaming(to: "x") }, Layer("default") { $0.defaulting(to: 1) },
    Layer("coalescing") { $0.coalescingRetrievals() }, Layer("synchronized") { $0.synchronizedCalls() },
    Layer("validated") { $0.validate { _ in true } }, Layer("expiring") { $0.expiring(after: .seconds(1)) },
    Layer("in front of nothing") { MemoryStorage().combined(with: $0) },
    Layer("behind nothing") { $0.backed(by: MemoryStorage()) },
    Layer("half") { Storage(read: $0.asReadOnlyStorage(), write: .empty()) },
  ])
  func `Keys are told through what can be undone`(layer: Layer) async throws {
    #expect(try await keys(of: layer.make(memory.asStorage())).sorted() == ["1", "2"])
  }

  @Test func `Keys come as they are known above`() async throws {
    let numbers = memory.mapKeys({ (key: Int) in "\(key)" }, inverse: { try Int($0).unwrap() })
    #expect(try await keys(of: numbers).sorted() == [1, 2])
    let raw = memory.asReadOnlyStorage().mapKeys(toRawRepresentableType: RawKey.self)
    #expect(Set(try await keys(of: raw)) == [RawKey(rawValue: "1"), RawKey(rawValue: "2")])
  }

  @Test func `A key that cannot be made back is a failure, with those before it told`() async throws {
    let numbers = MemoryStorage(storage: ["x": 1]).mapKeys(
      { (key: Int) in "\(key)" }, inverse: { try Int($0).unwrap() })
    await #expect(throws: Int?.UnwrapError.self) { try await keys(of: numbers) }
  }

  @Test func `What does not know its keys says so`() async throws {
    let unknown: [Storage<String, Int>] = [
      UserStorage().asStorage(),
      UserStorage().renaming(to: "mine").mapValues(transformIn: { $0 }, transformOut: { $0 }),
      memory.renaming(to: "mine").mapKeys { (key: String) in key },
      memory.renaming(to: "mine").asyncMapKeys { (key: String) in key },
    ]
    for storage in unknown {
      let error = await #expect(throws: StorageError.self) { try await keys(of: storage) }
      #expect(error == .notSupported(.keys, storageName: "mine"))
    }
    await #expect(throws: StorageError.self) { try await keys(of: memory.singleKey("1")) }
    let sum = zip(memory, memory).mapValues(transformIn: { $0 + $1 }, transformOut: { ($0, 0) })
    await #expect(
      throws: StorageError.notSupported(.keys, storageName: "\(memory.storageName)+\(memory.storageName)")
    ) {
      try await keys(of: sum)
    }
  }

  @Test func `The keys of a combined storage are those of its back, and of a backed one those of both`()
    async throws
  {
    let front = MemoryStorage(storage: ["2": 5, "3": 3])
    #expect(try await keys(of: front.combined(with: memory)).sorted() == ["1", "2"])
    #expect(try await keys(of: front.backed(by: memory)).sorted() == ["1", "2", "3"])
    let frontOnly = front.combined(with: memory, setStrategy: .frontOnly)
    #expect(try await keys(of: frontOnly).sorted() == ["1", "2", "3"])
    let reading = front.asReadOnlyStorage().backed(by: memory)
    #expect(try await keys(of: reading).sorted() == ["1", "2", "3"])
    let places = front.mapKeys({ (key: Unhashable) in key.text }, inverse: { Unhashable($0) })
    await #expect(throws: StorageError.self) { try await keys(of: places.backed(by: places)) }
  }

  @Test func `Each time through begins anew, and finds what is there then`() async throws {
    let all = memory.keys()
    var count = 0
    for try await _ in all { count += 1 }
    try await memory.set(3, forKey: "3")
    for try await _ in all { count += 1 }
    #expect(count == 5)
    #expect(try await all.first { $0 == "3" } == "3")
    #expect(try await all.contains("3"))
  }
}
