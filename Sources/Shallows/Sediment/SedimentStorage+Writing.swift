public import Foundation
public import Sediment

extension SedimentStorage: AnsweringWritableStorage {
  /// Gives a name data; the answer is pending only if it is to be synced.
  @inlinable
  public func answer(
    setting data: Data, forKey filename: Filename, expiry: StorageExpiry
  ) -> StorageAnswer<Void> {
    writing { keyspace, durability in
      try keyspace.set(
        data, forKey: filename.rawValue, expiry: SedimentExpiry(expiry), durability: durability)
    }
  }

  /// Takes the data of a name away; it is no failure if there is none.
  public func answer(removing filename: Filename) -> StorageAnswer<Void> {
    writing { keyspace, durability in
      try keyspace.remove(forKey: filename.rawValue, durability: durability)
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
    var new: Data?
    let answer = writing { keyspace, durability in
      try keyspace.update(
        forKey: filename.rawValue, as: Data.self, expiry: expiry.map(SedimentExpiry.init) ?? .unchanged,
        durability: durability
      ) { old in
        new = try modify(old.map { .success($0) } ?? .failure(StorageError.missing))
        return new
      }
    }
    let last = new
    return answer.map { $0.map { last } }
  }

  /// Makes a change on the caller's thread; where it is to be synced, the answer is there once it is, and comes on
  /// another thread.
  @inlinable
  func writing(
    _ change: (SedimentCollection, SedimentDurability?) throws -> Void
  ) -> StorageAnswer<Void> {
    do {
      return try source.withKeyspace { keyspace in
        guard syncs(keyspace) else {
          try change(keyspace, durability)
          return .done
        }
        try change(keyspace, .unsynced)
        return synced(keyspace)
      }
    } catch {
      return .failure(error)
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
        ElasticThreads.shared.run { completion.value(error.map { .failure($0) } ?? .success(())) }
      }
    }
  }
}
