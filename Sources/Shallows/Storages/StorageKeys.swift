/// All keys of a storage that have a value, in no order, one after another.
///
/// Keys that come or go while the sequence is gone through may be told or not.
public struct StorageKeys<Element>: AsyncSequence {
  /// What looking the keys up may fail with.
  public typealias Failure = any Error

  @usableFromInline let answer: () -> StorageAnswer<[Element]>

  /// Creates a sequence of keys that are looked up once it is gone through.
  public init(answering answer: @escaping () -> StorageAnswer<[Element]>) { self.answer = answer }

  /// Creates a sequence of keys that are known at once when it is gone through.
  public init<Keys: Sequence>(of keys: @escaping () throws -> Keys) where Keys.Element == Element {
    answer = { .ready(Result { Array(try keys()) }) }
  }

  /// Creates a sequence that fails.
  public init(failing error: any Error) { answer = { .failure(error) } }

  /// The sequence from its beginning.
  public func makeAsyncIterator() -> Iterator { Iterator(answer: answer) }

  /// The keys with each made into another one; fails if one cannot be.
  public func mapKeys<Other>(_ transform: @escaping (Element) throws -> Other) -> StorageKeys<Other> {
    StorageKeys<Other>(answering: { [answer] in
      answer().map { result in result.flatMap { keys in Result { try keys.map(transform) } } }
    })
  }

  /// Goes through the keys.
  public struct Iterator: AsyncIteratorProtocol {
    let answer: () -> StorageAnswer<[Element]>
    private var keys: Array<Element>.Iterator?

    init(answer: @escaping () -> StorageAnswer<[Element]>) { self.answer = answer }

    /// The next key, for which the task is suspended while keys are looked up; nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Element? {
      if keys == nil { keys = try await answer().value().makeIterator() }
      return keys?.next()
    }
  }
}

extension StorageKeys {
  /// These keys, then those of another storage that are not among them; fails where they cannot be hashed.
  @usableFromInline
  func joined(with others: StorageKeys, storageName: String) -> StorageKeys {
    StorageKeys(answering: {
      self.answer().then { own in
        others.answer().map { others in
          Result {
            var seen: Set<AnyHashable> = []
            return try (own.get() + others.get()).filter { key in
              guard let key = key as? AnyHashable else {
                throw StorageError.notSupported(.keys, storageName: storageName)
              }
              return seen.insert(key).inserted
            }
          }
        }
      }
    })
  }
}
