import Shallows
import Testing

/// Transforms of keys and values, of storages that have both halves or one.
struct TransformTests {
  private enum Colour: String { case red, green }
  private enum Level: Int { case low = 1, high }
  private struct Refused: Error, Equatable {}

  private let base = StorageProbe(["red": 1, "green": 9])

  @Test func `Keys and values are mapped in the path of the call`() throws {
    let storage = base.mapKeys(to: Int.self) { $0 == 0 ? "red" : "blue" }
      .mapValues(to: String.self, transformIn: { "\($0)" }, transformOut: { try Int($0).unwrap() })
    let sync = storage.makeSyncStorage()
    #expect(try sync.retrieve(forKey: 0) == "1")
    try sync.set("5", forKey: 1)
    #expect(base.values["blue"] == 5)
    #expect(try storage.asReadOnlyStorage().makeSyncStorage().retrieve(forKey: 1) == "5")
    try storage.asWriteOnlyStorage().makeSyncStorage().set("6", forKey: 1)
    #expect(base.values["blue"] == 6)
  }

  @Test func `What a closure throws is the failure, and nothing below is called`() {
    let keys = base.mapKeys { (_: String) -> String in throw Refused() }
    let values = base.mapValues(
      transformIn: { (_: Int) -> Int in throw Refused() },
      transformOut: { (_: Int) -> Int in throw Refused() })
    for storage in [keys, values] {
      for half in [storage.asReadOnlyStorage(), storage.asReadOnlyStorage().mapValues { $0 }] {
        #expect(throws: Refused()) { try half.makeSyncStorage().retrieve(forKey: "red") }
      }
      #expect(throws: Refused()) { try storage.makeSyncStorage().set(1, forKey: "red") }
      #expect(throws: Refused()) { try storage.asWriteOnlyStorage().makeSyncStorage().set(1, forKey: "red") }
    }
    #expect(throws: Refused()) { try keys.makeSyncStorage().remove(forKey: "red") }
    #expect(base.count(.set) == 0 && base.count(.remove) == 0 && base.count(.retrieve) == 2)
  }

  @Test func `Halves are mapped as full storages are`() throws {
    let reading = base.asReadOnlyStorage().mapKeys { (colour: Colour) in colour.rawValue }
      .mapValues { Double($0) }
    #expect(try reading.makeSyncStorage().retrieve(forKey: .red) == 1)
    let writing = base.asWriteOnlyStorage().mapKeys { (colour: Colour) in colour.rawValue }
      .mapValues { (number: Double) in Int(number) }
    try writing.makeSyncStorage().set(3, forKey: .red)
    #expect(base.values["red"] == 3)
    #expect(throws: Refused()) {
      try base.asReadOnlyStorage().mapValues { (_: Int) -> Int in throw Refused() }.makeSyncStorage()
        .retrieve(forKey: "red")
    }
    #expect(throws: Refused()) {
      try base.asWriteOnlyStorage().mapValues { (_: Int) -> Int in throw Refused() }.makeSyncStorage()
        .set(1, forKey: "red")
    }
  }

  @Test func `Raw values stand for keys and values`() throws {
    let storage = base.mapKeys(toRawRepresentableType: Colour.self)
      .mapValues(toRawRepresentableType: Level.self).makeSyncStorage()
    #expect(try storage.retrieve(forKey: .red) == .low)
    try storage.set(.high, forKey: .red)
    #expect(base.values["red"] == 2)
    let reading = base.asReadOnlyStorage().mapKeys(toRawRepresentableType: Colour.self)
      .mapValues(toRawRepresentableType: Level.self).makeSyncStorage()
    #expect(try reading.retrieve(forKey: .red) == .high)
    let writing = base.asWriteOnlyStorage().mapKeys(toRawRepresentableType: Colour.self)
      .mapValues(toRawRepresentableType: Level.self).makeSyncStorage()
    try writing.set(.low, forKey: .red)
    #expect(base.values["red"] == 1)
    #expect(throws: Level?.UnwrapError.self) { try storage.retrieve(forKey: .green) }
    #expect(throws: Level?.UnwrapError.self) { try reading.retrieve(forKey: .green) }
  }

  @Test func `A single key needs no key`() async throws {
    let one = base.singleKey("red")
    #expect(results { one.retrieve(completion: $0) }.map(\.value) == [1])
    #expect(results { one.set(2, completion: $0) }.map(\.isSuccess) == [true])
    #expect(try await one.retrieve() == 2)
    try await one.set(3)
    #expect(try one.makeSyncStorage().retrieve() == 3)
    try one.makeSyncStorage().set(4)
    #expect(try base.asReadOnlyStorage().singleKey("red").makeSyncStorage().retrieve() == 4)
    try base.asWriteOnlyStorage().singleKey("red").makeSyncStorage().set(5)
    #expect(base.values["red"] == 5)
  }

  @Test func `A fallback answers failures, and lets setting alone`() throws {
    base.fail(.retrieve, with: ProbeError())
    let storage = base.fallback { error in
      #expect(error is ProbeError)
      return 7
    }
    #expect(try storage.makeSyncStorage().retrieve(forKey: "red") == 7)
    try storage.makeSyncStorage().set(8, forKey: "red")
    #expect(base.values["red"] == 8)
    #expect(throws: Refused()) {
      try base.fallback { _ in throw Refused() }.makeSyncStorage().retrieve(forKey: "red")
    }
    let reading = base.asReadOnlyStorage()
    #expect(try reading.fallback { _ in 6 }.makeSyncStorage().retrieve(forKey: "red") == 6)
    base.fail(.set, with: ProbeError())
    #expect(throws: ProbeError()) { try storage.makeSyncStorage().set(1, forKey: "red") }
  }

  @Test func `A default is computed at each failure, and not for a value`() throws {
    let calls = Counter()
    let storage = base.defaulting(to: calls.add()).makeSyncStorage()
    let reading = base.asReadOnlyStorage().defaulting(to: calls.add()).makeSyncStorage()
    #expect(try storage.retrieve(forKey: "red") == 1 && calls.value == 0)
    #expect(try storage.retrieve(forKey: "missing") == 1)
    #expect(try storage.retrieve(forKey: "missing") == 2)
    #expect(try reading.retrieve(forKey: "missing") == 3)
    #expect(base.values["missing"] == nil)
  }

  @Test func `Async closures map keys and values`() async throws {
    let storage = base.asyncMapKeys(to: Int.self) { $0 == 0 ? "red" : "blue" }
      .asyncMapValues(to: String.self, transformIn: { "\($0)" }, transformOut: { try Int($0).unwrap() })
    #expect(try await storage.retrieve(forKey: 0) == "1")
    try await storage.set("4", forKey: 1)
    #expect(base.values["blue"] == 4)
    await #expect(throws: Int?.UnwrapError.self) { try await storage.set("x", forKey: 1) }
    let refusing = base.asyncMapKeys { (_: Int) -> String in throw Refused() }
    await #expect(throws: Refused()) { try await refusing.retrieve(forKey: 1) }
    await #expect(throws: Refused()) { try await refusing.set(1, forKey: 1) }
    await #expect(throws: Refused()) { try await refusing.remove(forKey: 1) }
    let reading = base.asReadOnlyStorage().asyncMapKeys { (_: Int) in "red" }.asyncMapValues { $0 + 1 }
    #expect(try await reading.retrieve(forKey: 1) == 2)
    let writing = base.asWriteOnlyStorage().asyncMapKeys { (_: Int) in "red" }
      .asyncMapValues { (text: String) in try Int(text).unwrap() }
    try await writing.set("12", forKey: 1)
    #expect(base.values["red"] == 12)
  }

  @Test func `A value that is not valid fails, set as well as retrieved`() async throws {
    let storage = base.validate { $0 < 5 }
    #expect(try await storage.retrieve(forKey: "red") == 1)
    await #expect(throws: ValueValidationError()) { try await storage.retrieve(forKey: "green") }
    await #expect(throws: ValueValidationError()) { try await storage.set(7, forKey: "red") }
    #expect(base.values["red"] == 1)
    let reading = base.asReadOnlyStorage().validate { $0 < 5 }
    await #expect(throws: ValueValidationError()) { try await reading.retrieve(forKey: "green") }
    let writing = base.asWriteOnlyStorage().validate { _ in throw Refused() }
    await #expect(throws: Refused()) { try await writing.set(1, forKey: "red") }
  }

  @Test func `Halves pass through transforms of full storages, and the missing half fails`() throws {
    let reading = base.asReadOnlyStorage().usingUnsupportedTransformation { storage in
      #expect(throws: UnsupportedTransformationStorageError.storageIsReadOnly) {
        try storage.makeSyncStorage().set(1, forKey: "red")
      }
      return storage.mapValues(transformIn: { "\($0)" }, transformOut: { try Int($0).unwrap() })
    }
    #expect(try reading.makeSyncStorage().retrieve(forKey: "red") == "1")
    let writing = base.asWriteOnlyStorage().usingUnsupportedTransformation { storage in
      #expect(throws: UnsupportedTransformationStorageError.storageIsWriteOnly) {
        try storage.makeSyncStorage().retrieve(forKey: "red")
      }
      return storage.mapValues(transformIn: { "\($0)" }, transformOut: { try Int($0).unwrap() })
    }
    try writing.makeSyncStorage().set("8", forKey: "red")
    #expect(base.values["red"] == 8)
  }

  @Test func `An empty storage fails every call`() async {
    let empty = Storage<String, Int>.empty()
    let error = EmptyCacheError.cacheIsAlwaysEmpty
    await #expect(throws: error) { try await empty.retrieve(forKey: "a") }
    await #expect(throws: error) { try await empty.set(1, forKey: "a") }
    await #expect(throws: error) { try await empty.remove(forKey: "a") }
    await #expect(throws: error) { try await empty.removeAll() }
    await #expect(throws: error) { try await empty.atomicUpdate(forKey: "a") { $0 += 1 } }
    await #expect(throws: error) { try await ReadOnlyStorage<String, Int>.empty().retrieve(forKey: "a") }
    await #expect(throws: error) { try await WriteOnlyStorage<String, Int>.empty().set(1, forKey: "a") }
  }
}
