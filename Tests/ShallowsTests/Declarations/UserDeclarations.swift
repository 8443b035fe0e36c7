import Foundation
import Shallows

// Storages as their users write them, with nothing but what has to be there, spelled in the ways that people spell it.

/// Both calls, spelled with `Result` and `Error`, in a class.
final class UserClassStorage: StorageProtocol, @unchecked Sendable {
  private let lock = NSLock()
  private var values: [String: Int] = [:]

  func retrieve(forKey key: String, completion: @escaping (Result<Int, any Error>) -> Void) {
    completion(Result { try lock.withLock { values[key] }.unwrap() })
  }

  func set(_ value: Int, forKey key: String, completion: @escaping (Result<Void, any Error>) -> Void) {
    lock.withLock { values[key] = value }
    completion(.success(()))
  }
}

/// Both calls in a structure, with a name of its own and the short names of the types.
struct UserStorage: StorageProtocol {
  typealias Key = String
  typealias Value = Int

  var storageName: String { "mine" }

  func retrieve(forKey key: Key, completion: @escaping (ShallowsResult<Value>) -> Void) {
    completion(fail(with: Optional<Value>.UnwrapError()))
  }

  func set(_ value: Value, forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void) {
    completion(succeed(with: ()))
  }
}

/// A generic one around others.
struct UserGenericStorage<Base: StorageProtocol>: StorageProtocol where Base.Key: Hashable {
  let base: Base

  func retrieve(forKey key: Base.Key, completion: @escaping (ShallowsResult<Base.Value>) -> Void) {
    base.retrieve(forKey: key, completion: completion)
  }

  func set(_ value: Base.Value, forKey key: Base.Key, completion: @escaping (ShallowsResult<Void>) -> Void) {
    base.set(value, forKey: key, completion: completion)
  }
}

/// One that can only be read.
struct UserReadOnlyStorage: ReadOnlyStorageProtocol {
  func retrieve(forKey key: URL, completion: @escaping (ShallowsResult<Data>) -> Void) {
    completion(Result { try Data(contentsOf: key) })
  }
}

/// One that can be read, and no more is said of it.
struct UserReadableStorage: ReadableStorageProtocol {
  func retrieve(forKey key: Int, completion: @escaping (ShallowsResult<String>) -> Void) {
    completion(.success(String(key)))
  }
}

/// One that can only be written.
struct UserWriteOnlyStorage: WriteOnlyStorageProtocol {
  func set(_ value: String, forKey key: Void, completion: @escaping (ShallowsResult<Void>) -> Void) {
    completion(.success(()))
  }
}

/// One that removes, too.
final class UserRemovingStorage: StorageProtocol, @unchecked Sendable {
  private let inner = MemoryStorage<String, Int>()

  func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> Void) {
    inner.retrieve(forKey: key, completion: completion)
  }

  func set(_ value: Int, forKey key: String, completion: @escaping (ShallowsResult<Void>) -> Void) {
    inner.set(value, forKey: key, completion: completion)
  }

  func remove(forKey key: String, completion: @escaping (ShallowsResult<Void>) -> Void) {
    inner.remove(forKey: key, completion: completion)
  }

  func removeAll(completion: @escaping (ShallowsResult<Void>) -> Void) {
    inner.removeAll(completion: completion)
  }
}

/// One with calls of its own that return their results, under names that this library gives to others.
final class UserReturningStorage: StorageProtocol, @unchecked Sendable {
  private let inner = MemoryStorage<String, Int>()

  func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> Void) {
    inner.retrieve(forKey: key, completion: completion)
  }

  func set(_ value: Int, forKey key: String, completion: @escaping (ShallowsResult<Void>) -> Void) {
    inner.set(value, forKey: key, completion: completion)
  }

  func remove(forKey key: String) throws { inner.storage[key] = nil }
  func removeAll() { inner.storage = [:] }
  func retrieve(forKeys keys: [String]) -> [Int] { keys.compactMap { inner.storage[$0] } }
  func keys() -> [String] { Array(inner.storage.keys) }
  var defaultExpiry: TimeInterval { 5 }
  func remove(forKey key: String, completion: @escaping ((any Error)?) -> Void) { completion(nil) }
  func removeAll(completion: @escaping () -> Void) { completion() }
  func set(_ value: Int, forKey key: String, expiry: Date) { inner.storage[key] = value }
  func retrieve(forKeys keys: [String], completion: @escaping ([String: Int]) -> Void) { completion([:]) }
}

enum UserDeclarations {
  /// A storage's own calls are what they were, in async code, too.
  static func ownCalls(_ own: UserReturningStorage) async throws {
    try own.remove(forKey: "a")
    own.removeAll()
    let found: Int = own.retrieve(forKeys: ["a"]).reduce(0, +)
    for key in own.keys() { _ = key.count }
    let seconds = own.defaultExpiry + 1
    own.remove(forKey: "a") { error in _ = error?.localizedDescription }
    own.removeAll {}
    own.set(1, forKey: "a", expiry: Date())
    own.retrieve(forKeys: ["a"]) { found in _ = found["a"] }
    _ = (found, seconds)
    try await own.asStorage().set(1, forKey: "a")
    _ = try await own.asStorage().retrieve(forKeys: ["a"])
  }

  /// A key that cannot be hashed.
  struct Place { let name: String }

  static func compositions() {
    let memory = MemoryStorage<String, Int>()
    let disk = UserClassStorage()
    let server = UserGenericStorage(base: UserRemovingStorage())
    let three = memory.combined(with: disk).combined(with: server)
    let nested = memory.combined(with: disk.combined(with: server))
    let inferred: Storage<String, Int> = MemoryStorage().combined(with: disk).combined(with: server)
    let mapped =
      MemoryStorage<String, String>()
      .combined(with: disk.mapValues(transformIn: { "\($0)" }, transformOut: { try Int($0).unwrap() }))
      .combined(
        with: server.mapValues(to: String.self, transformIn: { "\($0)" }, transformOut: { Int($0) ?? 0 }))
    _ = (three, nested, inferred, mapped)
    let places = memory.mapKeys { (place: Place) in place.name }
    let placesOnly: ReadOnlyStorage<Place, Int> = places.asReadOnlyStorage()
    _ = (places.combined(with: places), places.backed(by: placesOnly), placesOnly.backed(by: places))
    let readOnly = UserReadOnlyStorage().mapKeys(to: String.self) { URL(fileURLWithPath: $0) }
    let filled: Storage<String, Data> = MemoryStorage<String, Data>().backed(by: readOnly)
    let pushed: WriteOnlyStorage<String, Int> = memory.pushing(to: disk).pushing(
      to: server.asWriteOnlyStorage())
    _ = (filled, pushed, UserReadableStorage().asReadOnlyStorage().mapValues(to: Int.self) { $0.count })
  }

  static func generic<Front: StorageProtocol, Back: StorageProtocol>(
    _ front: Front, _ back: Back
  ) -> Storage<Front.Key, Front.Value> where Front.Key == Back.Key, Front.Value == Back.Value {
    front.combined(with: back).asStorage()
  }

  static func singleKeys(_ storage: Storage<String, Int>) async throws {
    let one = storage.singleKey("settings")
    one.retrieve { (result) in _ = try? result.get() }
    one.set(1) { result in _ = try? result.get() }
    try await one.set(2)
    let value: Int = try await one.retrieve()
    let sync = one.makeSyncStorage()
    try sync.set(value)
    _ = try sync.retrieve()
    try await UserWriteOnlyStorage().set("a")
    _ = one.combined(with: one)
  }

  static func awaited(_ storage: Storage<String, Int>, _ own: UserClassStorage) async throws {
    try await storage.set(1, forKey: "a")
    try await own.set(try await storage.retrieve(forKey: "a"), forKey: "b")
    storage.set(1, forKey: "a") { _ in }
    storage.set(1, forKey: "a", completion: { result in if case .failure(let error) = result { _ = error } })
    let (first, second) = try await zip(storage, own).retrieve(forKey: "a")
    _ = first + second
    try await zip(storage, own).set((1, 2), forKey: "a")
  }

  /// Storages of sendable keys and values go where they are needed.
  static func sent(_ storage: Storage<String, Int>, _ sync: SyncStorage<String, Int>) {
    Task { try await storage.set(1, forKey: "a") }
    Task.detached { try sync.retrieve(forKey: "a") }
    let memory = MemoryStorage<String, Int>()
    Task { @MainActor in try await memory.set(1, forKey: "a") }
  }

  actor Library {
    let storage: Storage<String, Int>
    var last = 0

    init(_ storage: Storage<String, Int>) { self.storage = storage }

    func load(_ key: String) async throws -> Int {
      last = try await storage.retrieve(forKey: key)
      try await storage.set(last + 1, forKey: key)
      return last
    }
  }
}
