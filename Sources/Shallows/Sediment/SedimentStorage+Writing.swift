public import Foundation
internal import Sediment

extension SedimentStorage: AnsweringWritableStorage {
  /// Gives a name data; the answer is pending only if it is to be synced.
  public func answer(
    setting data: Data, forKey filename: Filename, expiry: StorageExpiry
  ) -> StorageAnswer<Void> {
    // Most names are ASCII, and most data stays.
    guard case .never = expiry,
      let answer = source.withKeyspace({ keyspace in
        filename.withASCII { key in
          writing(in: keyspace) { try keyspace.set(data, forKey: key, durability: $0) }
        } ?? answer(setting: data, forKey: filename, expiry: expiry, in: keyspace)
      })
    else { return answerOtherwise(setting: data, forKey: filename, expiry: expiry) }
    return answer
  }

  /// Sets what expires, and in a file that may have to be opened.
  @inline(never)
  private func answerOtherwise(
    setting data: Data, forKey filename: Filename, expiry: StorageExpiry
  ) -> StorageAnswer<Void> {
    // Without a closure that outlives the call, unless it is one of the first.
    let answer = source.withKeyspace { self.answer(setting: data, forKey: filename, expiry: expiry, in: $0) }
    if let answer { return answer }
    let expiry = source.countedFromNow(expiry)
    return source.opening { self.answer(setting: data, forKey: filename, expiry: expiry, in: $0) }
  }

  @inline(never)
  private func answer(
    setting data: Data, forKey filename: Filename, expiry: StorageExpiry, in keyspace: SedimentCollection
  ) -> StorageAnswer<Void> {
    writing(in: keyspace) { durability in
      try keyspace.set(
        data, forKey: filename.canonical, expiry: SedimentExpiry(expiry), durability: durability)
    }
  }

  /// Takes the data of a name away; it is no failure if there is none.
  public func answer(removing filename: Filename) -> StorageAnswer<Void> {
    guard let keyspace = source.keyspace else {
      return source.opening { answer(removing: filename, in: $0) }
    }
    return answer(removing: filename, in: keyspace)
  }

  private func answer(removing filename: Filename, in keyspace: SedimentCollection) -> StorageAnswer<Void> {
    writing(in: keyspace) { try keyspace.remove(forKey: filename.canonical, durability: $0) }
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
    let expiry = expiry.map(source.countedFromNow)
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
  @inline(__always)
  private func writing(
    in keyspace: SedimentCollection, _ change: (SedimentDurability?) throws -> Void
  ) -> StorageAnswer<Void> {
    do {
      guard keyspace.syncs(durability) else {
        try change(durability)
        return .done
      }
      try change(.unsynced)
      return keyspace.synced(keeping: source)
    } catch {
      return .failure(source.explained(error))
    }
  }
}

extension SedimentCollection {
  /// Waits until every change that was made before is on the disk.
  ///
  /// The store stays open until then, though nobody else may keep the storage, and no longer: the completion may close
  /// the file by letting go of the last storage, or expect it closed.
  func synced(keeping source: KeyspaceSource) -> StorageAnswer<Void> {
    let kept = UncheckedBox<KeyspaceSource?>(source)
    return .pending { completion in
      let completion = Unchecked(completion)
      self.sync { error in
        // Off the thread that syncs, which others wait for.
        Workers.shared.run {
          let result: ShallowsResult<Void> =
            error.map { .failure(kept.value?.explained($0) ?? $0) } ?? .success(())
          kept.value = nil
          completion.value(result)
        }
      }
    }
  }
}
