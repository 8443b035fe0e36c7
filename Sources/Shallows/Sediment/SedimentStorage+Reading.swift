public import Foundation
public import Sediment

extension SedimentStorage: StorageProtocol, AnsweringReadableStorage {
  /// The data of a name, always at once.
  @inlinable
  public func answer(forKey filename: Filename) -> StorageAnswer<Data> {
    do {
      let data = try source.keyspace().retrieve(forKey: filename.rawValue, as: Data.self)
      guard let data else { return .failure(StorageError.missing) }
      return .value(data)
    } catch {
      return .failure(error)
    }
  }

  /// The data of a name and when it ceases to be there.
  public func answer(withExpiryForKey filename: Filename) -> StorageAnswer<ExpiringValue<Data>> {
    do {
      let found = try source.keyspace().retrieveExpiring(forKey: filename.rawValue, as: Data.self)
      guard let found else { return .failure(StorageError.missing) }
      return .value(ExpiringValue(found.value, expiry: StorageExpiry(found.expiry)))
    } catch {
      return .failure(error)
    }
  }

  /// The data of several names; their waits for memory overlap.
  ///
  /// A name whose data cannot be read fails alone.
  public func answer(
    forKeys filenames: [Filename]
  ) -> StorageAnswer<[ShallowsResult<ExpiringValue<Data>>]> {
    let keyspace: SedimentCollection
    do { keyspace = try source.keyspace() } catch { return .failure(error) }
    var results: [ShallowsResult<ExpiringValue<Data>>] = []
    results.reserveCapacity(filenames.count)
    while results.count < filenames.count {
      let rest = filenames[results.count...].lazy.map(\.rawValue)
      do {
        try keyspace.withExpiringValues(forKeys: rest) { _, value, expiry in
          guard let value else { return results.append(.failure(StorageError.missing)) }
          results.append(
            .success(ExpiringValue(Data(sedimentBytes: value), expiry: StorageExpiry(expiry))))
        }
      } catch {
        // It came instead of the result of the first that has none yet.
        results.append(.failure(error))
      }
    }
    return .value(results)
  }

  /// All names; keys that are no text have none.
  public func keys() -> StorageKeys<Filename> {
    StorageKeys {
      var filenames: [Filename] = []
      try source.keyspace().forEachKey(withPrefix: "") { key in
        if let text = String(sedimentBytes: key) { filenames.append(Filename(rawValue: text)) }
        return .continue
      }
      return filenames
    }
  }
}

extension StorageError {
  /// The error of a missing value, made once: a miss takes no memory.
  @usableFromInline static let missing: any Error = StorageError.noValue
}

extension StorageExpiry {
  /// As the engine says it.
  init(_ expiry: SedimentExpiry) {
    switch expiry {
    case .never, .unchanged: self = .never
    case .after(let duration): self = .after(duration)
    case .at(let milliseconds): self = .at(Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
    }
  }
}

extension SedimentExpiry {
  /// As storages say it.
  @usableFromInline
  init(_ expiry: StorageExpiry) {
    switch expiry {
    case .never: self = .never
    case .after(let duration): self = .after(duration)
    case .at(let date): self = .at(date)
    }
  }
}
