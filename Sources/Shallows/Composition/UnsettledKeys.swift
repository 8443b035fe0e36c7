import Synchronization

/// Keys of which a front that cannot remove may have an older value than the back, until somebody sets the newest.
@usableFromInline
final class UnsettledKeys<Key>: @unchecked Sendable {
  // Only touched under the lock.
  private let lock = Mutex(())
  private var keys: [Key] = []
  private let count = Atomic(0)

  @usableFromInline init() {}

  /// Whether there is none; whoever ends a write looks here after that, and whoever adds a key looks for writes after
  /// that, so that one of them sees the other.
  @usableFromInline
  var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

  @usableFromInline
  func add(_ key: Key) {
    lock.withLock { _ in keys.append(key) }
    count.add(1, ordering: .sequentiallyConsistent)
  }

  /// Takes the keys that have a token, which those have that nobody writes now.
  func take(_ token: (Key) -> UInt64?) -> [(key: Key, token: UInt64)] {
    let taken: Unchecked<[(key: Key, token: UInt64)]> = lock.withLock { _ in
      var taken: [(key: Key, token: UInt64)] = []
      keys.removeAll { key in
        guard let token = token(key) else { return false }
        taken.append((key, token))
        return true
      }
      return Unchecked(taken)
    }
    count.subtract(taken.value.count, ordering: .sequentiallyConsistent)
    return taken.value
  }
}

extension PullingStorage {
  /// Takes the value of a key out of the front, or sees that the front gets the newest if it cannot remove.
  @usableFromInline
  func forget(_ key: Key) -> StorageAnswer<Void> {
    front.answer(removing: key).first.then { removed in
      if case .failure = removed { unsettled.add(key) }
      return settle()
    }
  }

  /// Gives the front the newest values of keys that it cannot forget; those that are being written now are left to whom
  /// writes them.
  @usableFromInline
  func settle() -> StorageAnswer<Void> {
    guard !unsettled.isEmpty else { return .done }
    let keys = unsettled.take(marks.token)
    guard !keys.isEmpty else { return .done }
    let renewed: StorageAnswer<[ShallowsResult<Void>]> = .each(keys.count) { index in
      renew(keys[index].key, keys[index].token)
    }
    return renewed.then { _ in settle() }
  }

  private func renew(_ key: Key, _ token: UInt64) -> StorageAnswer<Void> {
    back.answer(withExpiryForKey: key).first.then { result in
      // What the back has lost by another way than through this composition, a front that cannot remove keeps.
      guard case .success(let stored) = result else { return .done }
      return set(stored, key).first.map { _ in
        if !marks.isQuiet(key, since: token) { unsettled.add(key) }
        return .success(())
      }
    }
  }
}
