import Foundation
import Shallows

// Every declaration of the Shallows surface, named by its exact type: what no longer fits does not compile. The tests
// compile these files, and so does another package, in the language modes of Swift 5 and Swift 6.

enum ProtocolDeclarations {
  enum Colour: String { case red, green }
  enum Level: Int { case low, high }

  static func readable<S: ReadableStorageProtocol>(_ storage: S) where S.Key == String, S.Value == Int {
    let name: String = storage.storageName
    let retrieve: (String, @escaping (ShallowsResult<Int>) -> Void) -> Void = storage.retrieve(
      forKey:completion:)
    let asReadOnly: () -> ReadOnlyStorage<String, Int> = storage.asReadOnlyStorage
    let retrieveAsync: (String) async throws -> Int = storage.retrieve(forKey:)
    _ = (name, retrieve, asReadOnly, retrieveAsync)
  }

  static func readable<S: ReadableStorageProtocol>(_ storage: S) where S.Key == Void, S.Value == Int {
    let retrieve: (@escaping (ShallowsResult<Int>) -> Void) -> Void = storage.retrieve(completion:)
    let retrieveAsync: () async throws -> Int = storage.retrieve
    _ = (retrieve, retrieveAsync)
  }

  static func writable<S: WritableStorageProtocol>(_ storage: S) where S.Key == String, S.Value == Int {
    let set: (Int, String, @escaping (ShallowsResult<Void>) -> Void) -> Void = storage.set(
      _:forKey:completion:)
    let asWriteOnly: () -> WriteOnlyStorage<String, Int> = storage.asWriteOnlyStorage
    let pushing: (MemoryStorage<String, Int>) -> WriteOnlyStorage<String, Int> = storage.pushing(to:)
    let setAsync: (Int, String) async throws -> Void = storage.set(_:forKey:)
    _ = (set, asWriteOnly, pushing, setAsync)
  }

  static func writable<S: WritableStorageProtocol>(_ storage: S) where S.Key == Void, S.Value == Int {
    let set: (Int, @escaping (ShallowsResult<Void>) -> Void) -> Void = storage.set(_:completion:)
    let setAsync: (S) -> (Int) async throws -> Void = { storage in { try await storage.set($0) } }
    _ = (set, setAsync)
  }

  static func full<S: StorageProtocol>(_ storage: S) where S.Key == String, S.Value == Int {
    typealias Front = MemoryStorage<String, Int>
    let asStorage: () -> Storage<String, Int> = storage.asStorage
    let combined: (Front) -> Storage<String, Int> = storage.combined(with:)
    let backed: (ReadOnlyStorage<String, Int>) -> Storage<String, Int> = storage.backed(by:)
    let dev: Storage<String, Int>.Dev = storage.dev
    let synchronized: () -> Storage<String, Int> = storage.synchronizedCalls
    let sync: () -> SyncStorage<String, Int> = storage.makeSyncStorage
    let renaming: (String) -> Storage<String, Int> = storage.renaming(to:)
    let fallback: (@escaping (any Error) throws -> Int) -> Storage<String, Int> = storage.fallback(with:)
    let singleKey: (String) -> Storage<Void, Int> = storage.singleKey(_:)
    _ = (asStorage, combined, backed, dev, synchronized, sync, renaming, fallback, singleKey)
    _ = storage.defaulting(to: 1) as Storage<String, Int>
  }

  static func fullTransforms<S: StorageProtocol>(_ storage: S) where S.Key == String, S.Value == Int {
    let keys: (URL.Type, @escaping (URL) throws -> String) -> Storage<URL, Int> = storage.mapKeys(to:_:)
    _ = storage.mapKeys { (url: URL) in url.path } as Storage<URL, Int>
    _ = storage.mapKeys(to: URL.self) { $0.path } as Storage<URL, Int>
    let values:
      (String.Type, @escaping (Int) throws -> String, @escaping (String) throws -> Int)
        -> Storage<String, String> = storage.mapValues(to:transformIn:transformOut:)
    _ =
      storage.mapValues(transformIn: { String($0) }, transformOut: { try Int($0).unwrap() })
      as Storage<String, String>
    let rawKeys: (Colour.Type) -> Storage<Colour, Int> = storage.mapKeys(toRawRepresentableType:)
    let rawValues: (Level.Type) -> Storage<String, Level> = storage.mapValues(toRawRepresentableType:)
    let asyncValues:
      (String.Type, @escaping (Int) async throws -> String, @escaping (String) async throws -> Int)
        -> Storage<String, String> = storage.asyncMapValues(to:transformIn:transformOut:)
    let asyncKeys: (URL.Type, @escaping (URL) async throws -> String) -> Storage<URL, Int> =
      storage.asyncMapKeys(to:_:)
    let validate: (@escaping (Int) async throws -> Bool) -> Storage<String, Int> = storage.validate(_:)
    _ = (keys, values, rawKeys, rawValues, asyncValues, asyncKeys, validate)
    _ =
      storage.asyncMapValues(transformIn: { String($0) }, transformOut: { try Int($0).unwrap() })
      as Storage<String, String>
    _ = storage.asyncMapKeys { (url: URL) in url.path } as Storage<URL, Int>
  }

  static func readOnly<S: ReadOnlyStorageProtocol>(_ storage: S) where S.Key == String, S.Value == Int {
    let keys: (URL.Type, @escaping (URL) throws -> String) -> ReadOnlyStorage<URL, Int> =
      storage.mapKeys(to:_:)
    let values: (String.Type, @escaping (Int) throws -> String) -> ReadOnlyStorage<String, String> =
      storage.mapValues(to:_:)
    let rawKeys: (Colour.Type) -> ReadOnlyStorage<Colour, Int> = storage.mapKeys(toRawRepresentableType:)
    let rawValues: (Level.Type) -> ReadOnlyStorage<String, Level> = storage.mapValues(
      toRawRepresentableType:)
    let singleKey: (String) -> ReadOnlyStorage<Void, Int> = storage.singleKey(_:)
    let fallback: (@escaping (any Error) throws -> Int) -> ReadOnlyStorage<String, Int> =
      storage.fallback(with:)
    let backed: (MemoryStorage<String, Int>) -> ReadOnlyStorage<String, Int> = storage.backed(by:)
    let unsupported: ((Storage<String, Int>) -> Storage<URL, String>) -> ReadOnlyStorage<URL, String> =
      storage.usingUnsupportedTransformation(_:)
    _ = (keys, values, rawKeys, rawValues, singleKey, fallback, backed, unsupported)
    _ = storage.mapKeys { (url: URL) in url.path } as ReadOnlyStorage<URL, Int>
    _ = storage.mapValues { String($0) } as ReadOnlyStorage<String, String>
    _ = storage.defaulting(to: 1) as ReadOnlyStorage<String, Int>
  }

  static func readOnlyRest<S: ReadOnlyStorageProtocol>(_ storage: S) where S.Key == String, S.Value == Int {
    let sync: () -> ReadOnlySyncStorage<String, Int> = storage.makeSyncStorage
    let renaming: (String) -> ReadOnlyStorage<String, Int> = storage.renaming(to:)
    let asyncValues:
      (String.Type, @escaping (Int) async throws -> String) -> ReadOnlyStorage<String, String> =
        storage.asyncMapValues(to:_:)
    let asyncKeys: (URL.Type, @escaping (URL) async throws -> String) -> ReadOnlyStorage<URL, Int> =
      storage.asyncMapKeys(to:_:)
    let validate: (@escaping (Int) async throws -> Bool) -> ReadOnlyStorage<String, Int> =
      storage.validate(_:)
    _ = (sync, renaming, asyncValues, asyncKeys, validate)
    _ = storage.asyncMapValues { String($0) } as ReadOnlyStorage<String, String>
    _ = storage.asyncMapKeys { (url: URL) in url.path } as ReadOnlyStorage<URL, Int>
  }

  static func writeOnly<S: WriteOnlyStorageProtocol>(_ storage: S) where S.Key == String, S.Value == Int {
    let keys: (URL.Type, @escaping (URL) throws -> String) -> WriteOnlyStorage<URL, Int> =
      storage.mapKeys(to:_:)
    let values: (String.Type, @escaping (String) throws -> Int) -> WriteOnlyStorage<String, String> =
      storage.mapValues(to:_:)
    let rawKeys: (Colour.Type) -> WriteOnlyStorage<Colour, Int> = storage.mapKeys(toRawRepresentableType:)
    let rawValues: (Level.Type) -> WriteOnlyStorage<String, Level> = storage.mapValues(
      toRawRepresentableType:)
    let singleKey: (String) -> WriteOnlyStorage<Void, Int> = storage.singleKey(_:)
    let unsupported: ((Storage<String, Int>) -> Storage<URL, String>) -> WriteOnlyStorage<URL, String> =
      storage.usingUnsupportedTransformation(_:)
    _ = (keys, values, rawKeys, rawValues, singleKey, unsupported)
    _ = storage.mapKeys { (url: URL) in url.path } as WriteOnlyStorage<URL, Int>
    _ = storage.mapValues { (text: String) in try Int(text).unwrap() } as WriteOnlyStorage<String, String>
  }

  static func writeOnlyRest<S: WriteOnlyStorageProtocol>(_ storage: S) where S.Key == String, S.Value == Int {
    let sync: () -> WriteOnlySyncStorage<String, Int> = storage.makeSyncStorage
    let renaming: (String) -> WriteOnlyStorage<String, Int> = storage.renaming(to:)
    let asyncValues:
      (String.Type, @escaping (String) async throws -> Int) -> WriteOnlyStorage<String, String> =
        storage.asyncMapValues(to:_:)
    let asyncKeys: (URL.Type, @escaping (URL) async throws -> String) -> WriteOnlyStorage<URL, Int> =
      storage.asyncMapKeys(to:_:)
    let validate: (@escaping (Int) async throws -> Bool) -> WriteOnlyStorage<String, Int> =
      storage.validate(_:)
    _ = (sync, renaming, asyncValues, asyncKeys, validate)
  }
}
