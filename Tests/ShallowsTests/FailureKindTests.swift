import Foundation
import Sediment
import Shallows
import Testing

/// Failures that are told apart.
struct FailureKindTests {
  private struct Own: StorageFailure {
    let failureKind: FailureKind
  }

  @Test func `A missing value is told as such by every storage that has none`() async throws {
    let memory = MemoryStorage<String, Int>()
    let storages = [
      memory.asStorage(), memory.combined(with: memory), memory.backed(by: memory),
      memory.synchronizedCalls(),
      memory.validate { _ in true }, StorageProbe().asStorage(), TimedStorage(TestClock()).asStorage(),
    ]
    for storage in storages {
      let error = await #expect(throws: (any Error).self) { try await storage.retrieve(forKey: "a") }
      #expect(error?.isNoValue == true && error?.storageFailureKind == .noValue)
    }
  }

  @Test func `An error of a transform that means missing to storages is no miss`() throws {
    let front = MemoryStorage(storage: ["a": 1])
    let errors: [any Error] = [
      StorageError.noValue, MemoryStorageError.noValue, EmptyCacheError.cacheIsAlwaysEmpty,
      CocoaError(.fileReadNoSuchFile), Int?.UnwrapError(),
      ZippedResultError(left: StorageError.noValue, right: nil),
      NSCacheStorage<NSString, NSNumber>.Error.noValue("a"),
    ]
    for error in errors {
      let storage = front.mapValues(transformIn: { (_: Int) -> Int in throw error }, transformOut: { $0 })
      let told = results { storage.retrieve(forKey: "a", completion: $0) }.first?.error
      #expect(told?.storageFailureKind == .cannotDecode && told?.isNoValue == false)
      let isWrapped = !(error is CocoaError || error is EmptyCacheError || error is Int?.UnwrapError)
      #expect(((told as? TransformError)?.underlyingError != nil) == isWrapped)
      #expect(!isWrapped || told.map { "\($0)" } == "\(error)")
      #expect(isWrapped || told.map { type(of: $0) == type(of: error) } == true)
      #expect((told as? CocoaError)?.code == (error as? CocoaError)?.code)
      let strict = storage.combined(with: MemoryStorage(storage: ["a": 2]), fallingThroughOn: .missesOnly)
      #expect(throws: (any Error).self) { try strict.makeSyncStorage().retrieve(forKey: "a") }
      let keys = front.mapKeys { (_: String) -> String in throw error }
      let keyError = results { keys.retrieve(forKey: "a", completion: $0) }.first?.error
      #expect(keyError?.storageFailureKind == .other)
    }
    let wrapped = results {
      front.mapValues(transformIn: { (_: Int) -> Int in throw ProbeError() }, transformOut: { $0 })
        .retrieve(forKey: "a", completion: $0)
    }
    #expect(wrapped.first?.error as? ProbeError == ProbeError())
  }

  @Test func `An empty storage has no value to give, and cannot take any`() {
    let empty = Storage<String, Int>.empty()
    let retrieved = results { empty.retrieve(forKey: "a", completion: $0) }.first?.error
    let set = results { empty.set(1, forKey: "a", completion: $0) }.first?.error
    #expect(retrieved?.isNoValue == true && set?.isNoValue == false)
    #expect(set?.storageFailureKind == .notSupported)
    for error in [retrieved, set] { #expect(error as? EmptyCacheError == .cacheIsAlwaysEmpty) }
    do { throw EmptyCacheError.cacheIsAlwaysEmpty } catch EmptyCacheError.cacheIsAlwaysEmpty {} catch {
      Issue.record("It is not caught by its name.")
    }
  }

  @Test func `Every kind of failure is told from the others`() {
    let kinds: [(any Error, FailureKind)] = [
      (StorageError.noValue, .noValue), (MemoryStorageError.noValue, .noValue),
      (StorageError.notSupported(.keys, storageName: "a"), .notSupported),
      (UnsupportedTransformationStorageError.storageIsReadOnly, .notSupported),
      (CocoaError(.fileReadNoSuchFile), .noValue), (CocoaError(.fileNoSuchFile), .noValue),
      (CocoaError(.fileReadNoPermission), .cannotRead), (CocoaError(.propertyListReadCorrupt), .cannotDecode),
      (
        Swift.DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "")), .cannotDecode
      ),
      (SedimentError(.damaged, path: "a", message: ""), .cannotRead),
      (SedimentError(.locked, path: "a", message: ""), .cannotRead),
      (SedimentError(.undecodable, path: "a", message: ""), .cannotDecode),
      (SedimentError(.outOfSpace, path: "a", message: ""), .other),
      (Own(failureKind: .cannotDecode), .cannotDecode), (Own(failureKind: .noValue), .noValue),
      (EmptyCacheError.cacheIsAlwaysEmpty, .noValue), (Int?.UnwrapError(), .noValue),
      (ZippedResultError(left: StorageError.noValue, right: Int?.UnwrapError()), .noValue),
      (ZippedResultError(left: StorageError.noValue, right: ProbeError()), .other),
      (ProbeError(), .other), (ValueValidationError(), .other),
    ]
    for (error, kind) in kinds {
      #expect(error.storageFailureKind == kind, "\(error)")
      #expect(error.isNoValue == (kind == .noValue))
    }
  }

  @Test func `Storages as their users wrote them miss by the errors that they always had`() async throws {
    let values = ["a": 1]
    let closures = Storage<String, Int>(
      storageName: "closures",
      retrieve: { key, completion in completion(Result { try values[key].unwrap() }) },
      set: { _, _, completion in completion(succeed(with: ())) })
    let back = StorageProbe(["b": 2])
    for storage in [closures, UserClassStorage().asStorage(), UserStorage().asStorage(), .empty()] {
      let front = storage.asReadOnlyStorage().backed(by: back, fallingThroughOn: .missesOnly)
      #expect(try await front.retrieve(forKeys: ["b", "c"]) == [2, nil], "\(storage.storageName)")
      #expect(try await storage.retrieve(forKeys: ["b"]) == [nil], "\(storage.storageName)")
      let error = await #expect(throws: (any Error).self) { try await storage.retrieve(forKey: "b") }
      #expect(error?.isNoValue == true)
      let sync = storage.makeSyncStorage()
      let returned = #expect(throws: (any Error).self) { try sync.retrieve(forKey: "b") }
      #expect(returned?.isNoValue == true)
    }
  }

  @Test func `A value that a transform makes nothing of is no miss, nor is a key`() async throws {
    let base = MemoryStorage<String, String>(storage: ["a": "x", "b": "1"])
    func number(_ text: String) throws -> Int { try Int(text).unwrap() }
    func text(_ number: Int) throws -> String { try (number < 9 ? "\(number)" : nil).unwrap() }
    let storages = [
      base.mapValues(transformIn: number, transformOut: text),
      base.asyncMapValues(transformIn: number, transformOut: text),
      base.mapValues(transformIn: throwing { Int($0) }, transformOut: text),
    ]
    for (place, storage) in storages.enumerated() {
      let damaged = await #expect(throws: Int?.UnwrapError.self) { try await storage.retrieve(forKey: "a") }
      #expect(damaged?.failureKind == .cannotDecode, "\(place)")
      let missing = await #expect(throws: MemoryStorageError.self) { try await storage.retrieve(forKey: "c") }
      #expect(missing?.isNoValue == true)
      let found = await storage.retrieveResults(forKeys: ["a", "b", "c"])
      #expect(found.map { $0.error?.storageFailureKind } == [.cannotDecode, nil, .noValue], "\(place)")
      await #expect(throws: Int?.UnwrapError.self) { try await storage.retrieve(forKeys: ["b", "a"]) }
      let unset = await #expect(throws: String?.UnwrapError.self) { try await storage.set(10, forKey: "d") }
      #expect(unset?.failureKind == .other, "\(place)")
    }
    let updated = await #expect(throws: String?.UnwrapError.self) {
      try await storages[0].atomicUpdate(forKey: "b") { $0 = 10 }
    }
    #expect(updated?.failureKind == .other && base.storage == ["a": "x", "b": "1"])
  }

  @Test func `A key that a transform makes nothing of is no miss`() async throws {
    let base = MemoryStorage<String, String>(storage: ["b": "1"])
    func name(_ number: Int) throws -> String { try (number == 1 ? "b" : nil).unwrap() }
    for storage in [base.mapKeys(name), base.asyncMapKeys(name)] {
      let error = await #expect(throws: String?.UnwrapError.self) { try await storage.retrieve(forKey: 2) }
      #expect(error?.failureKind == .other)
      let found = await storage.retrieveResults(forKeys: [2, 1])
      #expect(found.map { $0.error?.storageFailureKind } == [.other, nil])
    }
  }

  @Test func `Data that is no text, or no dictionary, is no miss`() async throws {
    let data = MemoryStorage<String, Data>(storage: ["a": Data([0xFF]), "b": Data("[1]".utf8)])
    let noText = await #expect(throws: String?.UnwrapError.self) {
      try await data.mapString().retrieve(forKey: "a")
    }
    let noDictionary = await #expect(throws: [String: Any]?.UnwrapError.self) {
      _ = try await data.mapJSONDictionary().retrieve(forKey: "b")
    }
    #expect(noText?.failureKind == .cannotDecode && noDictionary?.failureKind == .cannotDecode)
  }

  @Test func `A value that is damaged is not taken for a miss unless asked`() throws {
    struct Wrong: StorageFailure { var failureKind: FailureKind { .cannotDecode } }
    let front = MemoryStorage(storage: ["a": "x"]).mapValues(
      transformIn: { (text: String) -> Int in try Int(text).unwrap(orThrow: Wrong()) },
      transformOut: { "\($0)" })
    let back = StorageProbe(["a": 1])
    let strict = front.combined(with: back, fallingThroughOn: .missesOnly).makeSyncStorage()
    #expect(throws: Wrong.self) { try strict.retrieve(forKey: "a") }
    #expect(back.count(.retrieve) == 0)
    #expect(try front.combined(with: back).makeSyncStorage().retrieve(forKey: "a") == 1)
    // And that has mended the front.
    #expect(try strict.retrieve(forKey: "a") == 1)
  }

  @Test func `What is not supported is named with what to do about it`() {
    let abilities: [StorageAbility] = [.removing, .removingAll, .expiry, .atomicUpdate, .keys]
    for ability in abilities {
      let text = "\(StorageError.notSupported(ability, storageName: "disk-a"))"
      #expect(text.contains("\"disk-a\" does not support \(ability.rawValue); ") && text.hasSuffix("."))
    }
    #expect("\(StorageError.noValue)" == "There is no value for this key.")
  }
}
