/// One side of a zip failed, or both did.
public struct ZippedResultError: Error {
  /// Why the left side failed; nil if it did not.
  public let left: (any Error)?
  /// Why the right side failed; nil if it did not.
  public let right: (any Error)?

  /// Creates an error of both sides'.
  public init(left: (any Error)?, right: (any Error)?) {
    self.left = left
    self.right = right
  }
}

extension ZippedResultError: StorageFailure {
  /// What both failures mean if they mean the same, or what the worse one does.
  public var failureKind: FailureKind {
    let kinds = [left, right].compactMap { $0?.storageFailureKind }
    return kinds.first { $0 != .noValue } ?? kinds.first ?? .other
  }
}

/// Two storages that are asked at once for one answer.
@usableFromInline
struct ZippedStorage<Left, Right, Key, Value> {
  @usableFromInline let left: Left
  @usableFromInline let right: Right

  @inlinable
  init(_ left: Left, _ right: Right) {
    self.left = left
    self.right = right
  }
}

extension ZippedStorage: StorageDesign where Left: StorageDesign, Right: StorageDesign {
  @inlinable
  var storageName: String { left.storageName + "+" + right.storageName }
}

extension ZippedStorage: ReadableStorageProtocol, AnsweringReadableStorage
where
  Left: ReadableStorageProtocol, Right: ReadableStorageProtocol, Left.Key == Key, Right.Key == Key,
  Value == (Left.Value, Right.Value)
{
  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    left.answer(forKey: key).joined(with: right.answer(forKey: key))
  }

  @usableFromInline
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    left.answer(withExpiryForKey: key).joined(with: right.answer(withExpiryForKey: key)).map { result in
      result.map { Self.sooner($0, $1) }
    }
  }

  @usableFromInline
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    let lefts = left.answer(forKeys: keys).map { .success($0.spread(over: keys.count, left.storageName)) }
    let rights = right.answer(forKeys: keys).map { .success($0.spread(over: keys.count, right.storageName)) }
    return lefts.joined(with: rights).map { result in
      result.map { lefts, rights in
        zip(lefts, rights).map { left, right in
          zipped(left, right).map { Self.sooner($0, $1) }
        }
      }
    }
  }

  /// A pair ceases to be there with the first of both.
  static func sooner(_ left: ExpiringValue<Left.Value>, _ right: ExpiringValue<Right.Value>)
    -> ExpiringValue<Value>
  {
    ExpiringValue((left.value, right.value), expiry: .sooner(left.expiry, right.expiry))
  }
}

extension ZippedStorage: WritableStorageProtocol, AnsweringWritableStorage
where
  Left: WritableStorageProtocol, Right: WritableStorageProtocol, Left.Key == Key, Right.Key == Key,
  Value == (Left.Value, Right.Value)
{
  @inlinable
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    let expiry = expiry.absolute
    return left.answer(setting: value.0, forKey: key, expiry: expiry)
      .joined(with: right.answer(setting: value.1, forKey: key, expiry: expiry)).withoutPair
  }

  @usableFromInline
  var defaultExpiry: StorageExpiry { .sooner(left.defaultExpiry, right.defaultExpiry) }

  @inlinable
  func answer(removing key: Key) -> StorageAnswer<Void> {
    left.answer(removing: key).joined(with: right.answer(removing: key)).withoutPair
  }

  @inlinable
  func answerRemovingAll() -> StorageAnswer<Void> {
    left.answerRemovingAll().joined(with: right.answerRemovingAll()).withoutPair
  }
}

extension ZippedStorage: StorageProtocol
where
  Left: StorageProtocol, Right: StorageProtocol, Left.Key == Key, Right.Key == Key,
  Value == (Left.Value, Right.Value)
{}

/// Two storages as one, which completes when both have; one failure or two are a `ZippedResultError`.
@inlinable
public func zip<Storage1: StorageProtocol, Storage2: StorageProtocol>(
  _ lhs: Storage1, _ rhs: Storage2
) -> Storage<Storage1.Key, (Storage1.Value, Storage2.Value)> where Storage1.Key == Storage2.Key {
  Storage(ZippedStorage<Storage1, Storage2, Storage1.Key, (Storage1.Value, Storage2.Value)>(lhs, rhs))
}

/// Two storages as one, which completes when both have; one failure or two are a `ZippedResultError`.
@inlinable
public func zip<Key, Value1, Value2>(
  _ lhs: ReadOnlyStorage<Key, Value1>, _ rhs: ReadOnlyStorage<Key, Value2>
) -> ReadOnlyStorage<Key, (Value1, Value2)> {
  ReadOnlyStorage(
    ZippedStorage<ReadOnlyStorage<Key, Value1>, ReadOnlyStorage<Key, Value2>, Key, (Value1, Value2)>(lhs, rhs)
  )
}

/// Two storages as one, which completes when both have; one failure or two are a `ZippedResultError`.
@inlinable
public func zip<Key, Value1, Value2>(
  _ lhs: WriteOnlyStorage<Key, Value1>, _ rhs: WriteOnlyStorage<Key, Value2>
) -> WriteOnlyStorage<Key, (Value1, Value2)> {
  WriteOnlyStorage(
    ZippedStorage<WriteOnlyStorage<Key, Value1>, WriteOnlyStorage<Key, Value2>, Key, (Value1, Value2)>(
      lhs, rhs))
}
