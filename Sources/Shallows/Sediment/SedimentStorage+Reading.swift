public import Foundation
public import Sediment

extension SedimentStorage: StorageProtocol, AnsweringReadableStorage {
  /// The data of a name: at once, unless the file has to be opened.
  public func answer(forKey filename: Filename) -> StorageAnswer<Data> {
    guard
      let answer = source.withKeyspace({ keyspace in
        filename.withASCII { answer(forKey: $0, in: keyspace) } ?? answerOtherwise(forKey: filename)
      })
    else { return answerOtherwise(forKey: filename) }
    return answer
  }

  /// The data of a name that may be written in several ways, or of a file that may have to be opened.
  @inline(never)
  private func answerOtherwise(forKey filename: Filename) -> StorageAnswer<Data> {
    let key = filename.canonical
    guard let keyspace = source.keyspace else { return source.opening { self.answer(forKey: key, in: $0) } }
    return answer(forKey: key, in: keyspace)
  }

  @inline(__always)
  private func answer(
    forKey key: some SedimentBytes & ~Escapable, in keyspace: SedimentCollection
  ) -> StorageAnswer<Data> {
    do {
      let data = try keyspace.retrieve(forKey: key, as: Data.self)
      guard let data else { return .failure(StorageError.missing) }
      return .value(data)
    } catch {
      return .failure(source.explained(error))
    }
  }

  /// The data of a name and when it ceases to be there.
  public func answer(withExpiryForKey filename: Filename) -> StorageAnswer<ExpiringValue<Data>> {
    guard let keyspace = source.keyspace else {
      return source.opening { answer(withExpiryForKey: filename, in: $0) }
    }
    return answer(withExpiryForKey: filename, in: keyspace)
  }

  private func answer(
    withExpiryForKey filename: Filename, in keyspace: SedimentCollection
  ) -> StorageAnswer<ExpiringValue<Data>> {
    do {
      let found = try keyspace.retrieveExpiring(forKey: filename.canonical, as: Data.self)
      guard let (value, expiry) = found else { return .failure(StorageError.missing) }
      return .value(ExpiringValue(value, expiry: StorageExpiry(expiry)))
    } catch {
      return .failure(source.explained(error))
    }
  }

  /// The data of several names; their waits for memory overlap.
  ///
  /// A name whose data cannot be read fails alone.
  public func answer(
    forKeys filenames: [Filename]
  ) -> StorageAnswer<[ShallowsResult<ExpiringValue<Data>>]> {
    reading { keyspace in
      var results: [ShallowsResult<ExpiringValue<Data>>] = []
      results.reserveCapacity(filenames.count)
      while results.count < filenames.count {
        let rest = filenames[results.count...].lazy.map(\.canonical)
        do {
          try keyspace.withExpiringValues(forKeys: rest) { _, value, expiry in
            guard let value else { return results.append(.failure(StorageError.missing)) }
            results.append(
              .success(ExpiringValue(Data(sedimentBytes: value), expiry: StorageExpiry(expiry))))
          }
        } catch {
          // It came instead of the result of the first that has none yet.
          results.append(.failure(source.explained(error)))
        }
      }
      return results
    }
  }

  /// All names; keys that are no text have none.
  @_disfavoredOverload
  public func keys() -> StorageKeys<Filename> {
    StorageKeys(answering: {
      reading { keyspace in
        var filenames: [Filename] = []
        try keyspace.forEachKey(withPrefix: "") { key in
          if let text = String(sedimentBytes: key) { filenames.append(Filename(rawValue: text)) }
          return .continue
        }
        return filenames
      }
    })
  }

  private func reading<Value>(
    _ read: @escaping (SedimentCollection) throws -> Value
  ) -> StorageAnswer<Value> {
    let answer: (SedimentCollection) -> StorageAnswer<Value> = { keyspace in
      do { return .value(try read(keyspace)) } catch { return .failure(source.explained(error)) }
    }
    return source.keyspace.map(answer) ?? source.opening(answer)
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
