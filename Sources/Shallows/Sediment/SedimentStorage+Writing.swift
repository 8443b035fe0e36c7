public import Foundation
public import Sediment

extension SedimentStorage: AnsweringWritableStorage {
  /// Gives a name data; the answer is pending only if it is to be synced.
  @inlinable
  public func answer(
    setting data: Data, forKey filename: Filename, expiry: StorageExpiry
  ) -> StorageAnswer<Void> {
    // Without a closure that outlives the call, unless it is the first one.
    let answer = source.withKeyspace { keyspace in
      writing(in: keyspace) { durability in
        try keyspace.set(
          data, forKey: filename.canonical, expiry: SedimentExpiry(expiry), durability: durability)
      }
    }
    if let answer { return answer }
    let expiry = source.isOfFile ? expiry.absolute : expiry
    return source.opening { keyspace in
      writing(in: keyspace) { durability in
        try keyspace.set(
          data, forKey: filename.canonical, expiry: SedimentExpiry(expiry), durability: durability)
      }
    }
  }

  /// Takes the data of a name away; it is no failure if there is none.
  public func answer(removing filename: Filename) -> StorageAnswer<Void> {
    writing { keyspace, durability in
      try keyspace.remove(forKey: filename.canonical, durability: durability)
    }
  }

  /// Takes all data away, by one small record.
  public func answerRemovingAll() -> StorageAnswer<Void> {
    writing { keyspace, durability in try keyspace.removeAll(durability: durability) }
  }

  /// Replaces the data of a name as if nobody else came in between; its expiry stays unless another is said.
  public func answer(
    updating filename: Filename, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Data>) throws -> Data?
  ) -> StorageAnswer<Data?> {
    let new = UncheckedBox<Data?>(nil)
    // What waits for the file to be opened is counted from now all the same.
    let expiry = source.keyspace == nil && source.isOfFile ? expiry?.absolute : expiry
    let answer = writing { keyspace, durability in
      try keyspace.update(
        forKey: filename.canonical, as: Data.self, expiry: expiry.map(SedimentExpiry.init) ?? .unchanged,
        durability: durability
      ) { old in
        new.value = try modify(old.map { .success($0) } ?? .failure(StorageError.missing))
        return new.value
      }
    }
    return answer.map { $0.map { new.value } }
  }

  private func writing(
    _ change: @escaping (SedimentCollection, SedimentDurability?) throws -> Void
  ) -> StorageAnswer<Void> {
    let answer: (SedimentCollection) -> StorageAnswer<Void> = { keyspace in
      writing(in: keyspace) { try change(keyspace, $0) }
    }
    return source.keyspace.map(answer) ?? source.opening(answer)
  }

  /// Makes a change on the thread that calls; where it is to be synced, the answer is there once it is, and comes on
  /// another thread.
  @inlinable
  func writing(
    in keyspace: SedimentCollection, _ change: (SedimentDurability?) throws -> Void
  ) -> StorageAnswer<Void> {
    do {
      guard syncs(keyspace) else {
        try change(durability)
        return .done
      }
      try change(.unsynced)
      return synced(keyspace)
    } catch {
      return .failure(source.explained(error))
    }
  }

  @inlinable
  func syncs(_ keyspace: SedimentCollection) -> Bool { (durability ?? keyspace.durability) == .synced }

  @usableFromInline
  func synced(_ keyspace: SedimentCollection) -> StorageAnswer<Void> {
    .pending { completion in
      let completion = Unchecked(completion)
      keyspace.sync { error in
        // Off the thread that syncs, which others wait for.
        Workers.shared.run { completion.value(error.map { .failure($0) } ?? .success(())) }
      }
    }
  }
}
