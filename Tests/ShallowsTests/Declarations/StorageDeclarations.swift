import Foundation
import Shallows

enum StorageDeclarations {
  typealias Retrieving = (String, @escaping (ShallowsResult<Int>) -> Void) -> Void
  typealias Setting = (Int, String, @escaping (ShallowsResult<Void>) -> Void) -> Void

  static func storages() {
    let full: (String, @escaping Retrieving, @escaping Setting) -> Storage<String, Int> = Storage.init(
      storageName:retrieve:set:)
    let named: (String, ReadOnlyStorage<String, Int>, WriteOnlyStorage<String, Int>) -> Storage<String, Int> =
      Storage.init(storageName:read:write:)
    let halves: (ReadOnlyStorage<String, Int>, WriteOnlyStorage<String, Int>) -> Storage<String, Int> =
      Storage.init(read:write:)
    let other: (MemoryStorage<String, Int>) -> Storage<String, Int> = Storage.init(_:)
    let reading: (String, @escaping Retrieving) -> ReadOnlyStorage<String, Int> = ReadOnlyStorage.init(
      storageName:retrieve:)
    let readOther: (MemoryStorage<String, Int>) -> ReadOnlyStorage<String, Int> = ReadOnlyStorage.init(_:)
    let writing: (String, @escaping Setting) -> WriteOnlyStorage<String, Int> = WriteOnlyStorage.init(
      storageName:set:)
    let writeOther: (MemoryStorage<String, Int>) -> WriteOnlyStorage<String, Int> = WriteOnlyStorage.init(
      _:)
    _ = (full, named, halves, other, reading, readOther, writing, writeOther)
    let emptyFull: () -> Storage<String, Int> = Storage.empty
    let emptyRead: () -> ReadOnlyStorage<String, Int> = ReadOnlyStorage.empty
    let emptyWrite: () -> WriteOnlyStorage<String, Int> = WriteOnlyStorage.empty
    _ = (emptyFull, emptyRead, emptyWrite)
  }

  static func conformances(
    _ full: Storage<String, Int>, _ reading: ReadOnlyStorage<String, Int>,
    _ writing: WriteOnlyStorage<String, Int>, _ memory: MemoryStorage<String, Int>
  ) {
    _ = full as any StorageProtocol
    _ = full as any ReadableStorageProtocol
    _ = full as any WritableStorageProtocol
    _ = full as any StorageDesign
    _ = reading as any ReadOnlyStorageProtocol
    _ = writing as any WriteOnlyStorageProtocol
    _ = memory as any StorageProtocol
    let read: () -> ReadOnlyStorage<String, Int> = full.asReadOnlyStorage
    let write: () -> WriteOnlyStorage<String, Int> = full.asWriteOnlyStorage
    let names: [String] = [full.storageName, reading.storageName, writing.storageName]
    _ = (read, write, names)
  }

  static func dev(_ dev: Storage<String, Int>.Dev) {
    let set: (Int, String, MemoryStorage<String, Int>, @escaping (ShallowsResult<Void>) -> Void) -> Void =
      dev.set(_:forKey:pushingTo:completion:)
    let retrieve: (String, MemoryStorage<String, Int>, @escaping (ShallowsResult<Int>) -> Void) -> Void =
      dev.retrieve(forKey:backedBy:completion:)
    _ = (set, retrieve)
  }

  static func memory(_ storage: MemoryStorage<String, Int>) {
    let make: ([String: Int]) -> MemoryStorage<String, Int> = MemoryStorage.init(storage:)
    let retrieve: Retrieving = storage.retrieve(forKey:completion:)
    let set: Setting = storage.set(_:forKey:completion:)
    _ = (make, MemoryStorage<String, Int>(), retrieve, set, storage.storageName as String)
    let whole: ReferenceWritableKeyPath<MemoryStorage<String, Int>, [String: Int]> = \.storage
    _ = whole
  }

  static func zips(_ left: MemoryStorage<String, Int>, _ right: Storage<String, String>) {
    _ = zip(left, right) as Storage<String, (Int, String)>
    let reading: ReadOnlyStorage<String, (Int, String)> = zip(
      left.asReadOnlyStorage(), right.asReadOnlyStorage())
    let writing: WriteOnlyStorage<String, (Int, String)> = zip(
      left.asWriteOnlyStorage(), right.asWriteOnlyStorage())
    let pairs: Zip2Sequence<[Int], [String]> = zip([1], ["a"])
    _ = (reading, writing, pairs)
    let error: ((any Error)?, (any Error)?) -> ZippedResultError = ZippedResultError.init(left:right:)
    let sides: ((any Error)?, (any Error)?) = (error(nil, nil).left, error(nil, nil).right)
    _ = sides
  }

  static func syncStorages() {
    let full:
      (String, @escaping (String) throws -> Int, @escaping (Int, String) throws -> Void)
        -> SyncStorage<String, Int> = SyncStorage.init(storageName:retrieve:set:)
    let reading: (String, @escaping (String) throws -> Int) -> ReadOnlySyncStorage<String, Int> =
      ReadOnlySyncStorage.init(storageName:retrieve:)
    let writing: (String, @escaping (Int, String) throws -> Void) -> WriteOnlySyncStorage<String, Int> =
      WriteOnlySyncStorage.init(storageName:set:)
    _ = (full, reading, writing)
  }

  static func syncCalls(
    _ full: SyncStorage<String, Int>, _ reading: ReadOnlySyncStorage<String, Int>,
    _ writing: WriteOnlySyncStorage<String, Int>, _ one: SyncStorage<Void, Int>,
    _ oneRead: ReadOnlySyncStorage<Void, Int>, _ oneWritten: WriteOnlySyncStorage<Void, Int>
  ) {
    let names: [String] = [full.storageName, reading.storageName, writing.storageName]
    let retrieves: [(String) throws -> Int] = [full.retrieve(forKey:), reading.retrieve(forKey:)]
    let sets: [(Int, String) throws -> Void] = [full.set(_:forKey:), writing.set(_:forKey:)]
    let retrieveOnes: [() throws -> Int] = [one.retrieve, oneRead.retrieve]
    let setOnes: [(Int) throws -> Void] = [one.set(_:), oneWritten.set(_:)]
    _ = (names, retrieves, sets, retrieveOnes, setOnes)
  }

  static func errors() {
    let failing: (any Error) -> ShallowsResult<Int> = fail(with:)
    let succeeding: (Int) -> ShallowsResult<Int> = succeed(with:)
    let unwrap: (Int?) -> () throws -> Int = { $0.unwrap }
    _ = (failing, succeeding, unwrap, Int?.UnwrapError())
    let throwingOne: (@escaping (String) -> Int?) -> (String) throws -> Int = throwing(_:)
    let result: Result<Int, any Error> = ShallowsResult<Int>.success(1)
    _ = (throwingOne, result, ValueValidationError() as any Error)
    _ = try? Int?.none.unwrap(orThrow: ValueValidationError())
    _ = EmptyCacheError.cacheIsAlwaysEmpty == .cacheIsAlwaysEmpty
    let halves: [UnsupportedTransformationStorageError] = [.storageIsReadOnly, .storageIsWriteOnly]
    _ = (halves, MemoryStorageError.noValue as any Error)
  }

  static func olderCombinations(_ front: MemoryStorage<String, Int>, _ back: Storage<String, Int>) {
    let pulls: [StorageCombinationPullStrategy] = [.pullThenComplete, .completeThenPull, .neverPull]
    let sets: [StorageCombinationSetStrategy] = [.backFirst, .frontFirst, .frontOnly, .backOnly]
    let both: Storage<String, Int> = front.combined(
      with: back, pullStrategy: pulls[0], setStrategy: sets[0])
    let pulled: Storage<String, Int> = front.combined(with: back, pullStrategy: .neverPull)
    let set: Storage<String, Int> = front.combined(with: back, setStrategy: .backOnly)
    _ = (both, pulled, set)
  }

  static func log() {
    let isEnabled: Bool = ShallowsLog.isEnabled
    ShallowsLog.isEnabled = isEnabled
  }
}

// What is deprecated, where a use is no warning.
@available(*, deprecated)
enum DeprecatedDeclarations {
  static func update<S: StorageProtocol>(_ storage: S) where S.Key == String, S.Value == Int {
    let update: (String, @escaping (inout Int) -> Void, @escaping (ShallowsResult<Int>) -> Void) -> Void =
      storage.update(forKey:_:completion:)
    _ = update
    storage.update(forKey: "a", { $0 += 1 })
    storage.update(forKey: "a") { $0 += 1 }
    storage.update(forKey: "a", { $0 += 1 }) { (_: ShallowsResult<Int>) in }
  }

  static func updateOne<S: StorageProtocol>(_ storage: S) where S.Key == Void, S.Value == Int {
    let update: (@escaping (inout Int) -> Void, @escaping (ShallowsResult<Int>) -> Void) -> Void =
      storage.update(_:completion:)
    _ = update
    storage.update { $0 += 1 }
    storage.update({ $0 += 1 }) { _ in }
  }

  static func sets(
    _ storage: Storage<String, Int>, _ one: Storage<Void, Int>, _ half: WriteOnlyStorage<Void, Int>
  ) {
    let set: (Int, String) -> Void = storage.set(_:forKey:)
    let setOne: (Int) -> Void = one.set(_:)
    _ = (set, setOne)
    storage.set(1, forKey: "a")
    one.set(1)
    half.set(1)
  }

  static func readOnlyBack(_ front: MemoryStorage<String, Int>, _ back: ReadOnlyStorage<String, Int>) {
    let backed: Storage<String, Int> = front.combined(with: back)
    _ = backed
  }
}
