public import Synchronization

/// What retrieving from memory fails with.
public enum MemoryStorageError: Error, Sendable, Hashable {
  /// The key has no value.
  case noValue
}

extension MemoryStorageError: StorageFailure {
  /// What the failure means.
  public var failureKind: FailureKind { .noValue }

  /// The error, made once: a miss takes no memory.
  @usableFromInline static let missing: any Error = MemoryStorageError.noValue
}

/// A storage in memory without a bound; see `LRUStorage` for one that has it.
///
/// It completes on the caller's thread before it returns, except in chains; see ``StorageAnswer/deliver(to:)``.
public final class MemoryStorage<Key: Hashable, Value>: AnsweringStorage {
  /// The name, with the types of keys and values.
  public let storageName = "memory-storage-\(Key.self):\(Value.self)"
  @usableFromInline let lock = Mutex(())
  // Both are only touched under the lock.
  @usableFromInline var values: [Key: Value]
  /// Keys that are being updated, whose writes are counted meanwhile.
  @usableFromInline var watched: [Key: Watch] = [:]

  @usableFromInline
  struct Watch {
    var updateCount = 0
    var writeCount: UInt64 = 0
  }

  /// Creates a storage with some values.
  public init(storage: [Key: Value] = [:]) { values = storage }

  /// All keys and values; replacing them replaces all.
  public var storage: [Key: Value] {
    get { lock.withLock { _ in Unchecked(values) }.value }
    set { _ = change(nil) { Unchecked(exchange(&$0, for: newValue)) } }
  }

  /// Changes the value of a key, or all for nil; what is returned is released without the lock, since its end may call
  /// the storage again.
  @inlinable
  func change<Result>(_ key: Key?, _ body: (inout [Key: Value]) -> Unchecked<Result>) -> Result {
    let result = lock.withLock { _ in
      if !watched.isEmpty { noteWrite(key) }
      return body(&values)
    }
    return result.value
  }

  @usableFromInline
  func noteWrite(_ key: Key?) {
    guard let key else {
      for key in watched.keys { watched[key]?.writeCount += 1 }
      return
    }
    watched[key]?.writeCount += 1
  }
}

// Its fields are behind its lock.
extension MemoryStorage: @unchecked Sendable where Key: Sendable, Value: Sendable {}

extension MemoryStorage {
  /// The value of a key.
  @inlinable
  public func answer(forKey key: Key) -> StorageAnswer<Value> {
    guard let value = value(forKey: key) else { return .failure(MemoryStorageError.missing) }
    return .value(value)
  }

  @inlinable
  func value(forKey key: Key) -> Value? {
    lock.withLock { _ in Unchecked(values[key]) }.value
  }

  /// All keys that have a value.
  @_disfavoredOverload
  public func keys() -> StorageKeys<Key> { StorageKeys { self.storage.keys } }

  /// Gives a key a value, which never expires.
  @inlinable
  public func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    guard expiry == .never else {
      return .failure(StorageError.notSupported(.expiry, storageName: storageName))
    }
    _ = change(key) { Unchecked($0.updateValue(value, forKey: key)) }
    return .done
  }

  /// Takes the value of a key away.
  @inlinable
  public func answer(removing key: Key) -> StorageAnswer<Void> {
    _ = change(key) { Unchecked($0.removeEntry(forKey: key)) }
    return .done
  }

  /// Takes all values away.
  public func answerRemovingAll() -> StorageAnswer<Void> {
    storage = [:]
    return .done
  }

  /// Replaces the value of a key as if nobody else came in between; the closure runs without the lock, and again if
  /// the key was written meanwhile, so it must not write that key itself.
  public func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    guard expiry == nil || expiry == .never else {
      return .failure(StorageError.notSupported(.expiry, storageName: storageName))
    }
    lock.withLock { _ in watched[key, default: Watch()].updateCount += 1 }
    defer { endWatching(key) }
    while true {
      let (old, count) = lock.withLock { _ in Unchecked((values[key], watched[key]?.writeCount)) }.value
      let new: Value?
      do {
        new = try modify(old.map { .success($0) } ?? .failure(MemoryStorageError.missing))
      } catch {
        return .failure(error)
      }
      if replace(key, by: new, ifWriteCountIs: count) { return .value(new) }
    }
  }

  private func endWatching(_ key: Key) {
    // The key ends once the lock is free.
    let entry = lock.withLock { _ in
      watched[key]?.updateCount -= 1
      return Unchecked(watched[key]?.updateCount == 0 ? watched.removeEntry(forKey: key) : nil)
    }
    withExtendedLifetime(entry) {}
  }

  private func replace(_ key: Key, by new: Value?, ifWriteCountIs count: UInt64?) -> Bool {
    // The old key and value end once the lock is free.
    let old = UncheckedBox<(key: Key, value: Value)?>(nil)
    return lock.withLock { _ in
      guard watched[key]?.writeCount == count else { return false }
      noteWrite(key)
      old.value = values.removeEntry(forKey: key)
      values[old.value?.key ?? key] = new
      return true
    }
  }
}

extension Dictionary {
  /// Takes a key and its value out.
  @inlinable
  mutating func removeEntry(forKey key: Key) -> Element? { index(forKey: key).map { remove(at: $0) } }
}

/// Puts a new value in the place of the old one, which is returned.
@inlinable
func exchange<Value>(_ place: inout Value, for new: Value) -> Value {
  let old = place
  place = new
  return old
}
