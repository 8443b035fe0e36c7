/// Reading from a front, then from what is behind it.
@usableFromInline
struct ReadingThrough<Front: ReadableStorageProtocol, Back: ReadableStorageProtocol>: AnsweringReadableStorage
where Front.Key == Back.Key, Front.Value == Back.Value {
  @usableFromInline typealias Key = Front.Key
  @usableFromInline typealias Value = Front.Value

  @usableFromInline let storageName: String
  @usableFromInline let front: Front
  @usableFromInline let back: Back
  @usableFromInline let fallThrough: StorageFallThrough

  @inlinable
  init(_ front: Front, _ back: Back, storageName: String, _ fallThrough: StorageFallThrough) {
    self.front = front
    self.back = back
    self.storageName = storageName
    self.fallThrough = fallThrough
  }

  @inlinable
  func answer(forKey key: Key) -> StorageAnswer<Value> {
    front.answer(forKey: key).otherwise { error in
      fallThrough.passes(error) ? back.answer(forKey: key) : .failure(error)
    }
  }

  @usableFromInline
  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    front.answer(withExpiryForKey: key).otherwise { error in
      fallThrough.passes(error) ? back.answer(withExpiryForKey: key) : .failure(error)
    }
  }

  @usableFromInline
  func answer(forKeys keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    front.answer(forKeys: keys, fallThrough, back.storageName) { back.answer(forKeys: $0) }
  }

  @usableFromInline
  func keys() -> StorageKeys<Key> { front.keys().joined(with: back.keys(), storageName: storageName) }
}

extension ReadableStorageProtocol {
  /// The values of several keys from this storage, and from the back those that it does not have.
  @usableFromInline
  func answer(
    forKeys keys: [Key], _ fallThrough: StorageFallThrough, _ backName: String,
    back: @escaping ([Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]>
  ) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    answer(forKeys: keys).then { results in
      let found = results.spread(over: keys.count, storageName)
      let missing = found.indices.filter { found[$0].error.map(fallThrough.passes) ?? false }
      guard !missing.isEmpty else { return .value(found) }
      return back(missing.map { keys[$0] }).map { results in
        var merged = found
        for (place, result) in zip(missing, results.spread(over: missing.count, backName)) {
          merged[place] = result
        }
        return .success(merged)
      }
    }
  }
}

extension Result {
  /// The single results of a batch, or its failure for each; a storage that answers another number of keys fails, too.
  @usableFromInline
  func spread<Value>(over count: Int, _ storageName: String) -> [ShallowsResult<Value>]
  where Success == [ShallowsResult<Value>] {
    switch self {
    case .success(let results):
      if results.count == count { return results }
      let error = StorageError.wrongResultCount(results.count, keyCount: count, storageName: storageName)
      return Array(repeating: .failure(error), count: count)
    case .failure(let error): return Array(repeating: .failure(error), count: count)
    }
  }
}
