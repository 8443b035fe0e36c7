// Updates of a front that is ahead of its back.
extension PullingStorage {
  /// The front is updated, from the back's value where it has none.
  @usableFromInline
  func updateFront(
    _ key: Key, _ expiry: StorageExpiry?, _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    front.answer(forKey: key).first.then { own in
      guard case .failure(let error) = own else {
        return updateFront(key, expiry, from: nil, modify).otherwise { failure in
          failure is RemovedMeanwhile ? updateFront(key, expiry, modify) : .failure(failure)
        }
      }
      return pull(key, after: error).first.then { pulled in
        updateFront(key, expiry, from: pulled.map(\.value), modify)
      }
    }
  }

  /// The front is updated, from a value that it gets from behind where it has none; fails with `RemovedMeanwhile` if it
  /// should have had one.
  private func updateFront(
    _ key: Key, _ expiry: StorageExpiry?, from pulled: ShallowsResult<Value>?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    marked(key) {
      front.answer(updating: key, expiry: expiry) { result in
        guard case .failure = result else { return try modify(result) }
        guard let pulled else { throw RemovedMeanwhile() }
        return try modify(pulled)
      }
    }
  }
}

/// Begins an update anew: the value that it was to begin with is gone.
private struct RemovedMeanwhile: Error {}
