/// All keys of a storage that have a value, in no order, one after another.
///
/// Keys that come or go while the sequence is gone through may be told or not.
public struct StorageKeys<Element>: AsyncSequence {
  /// Gives one key after another, and nil at the end.
  public typealias Failure = any Error

  @usableFromInline let makeNext: () -> () throws -> Element?

  /// Creates a sequence of a closure that begins anew, and returns what tells the next key.
  @inlinable
  public init(_ makeNext: @escaping () -> () throws -> Element?) { self.makeNext = makeNext }

  /// Creates a sequence of keys that are looked up once it is gone through.
  @inlinable
  public init<Keys: Sequence>(of keys: @escaping () throws -> Keys) where Keys.Element == Element {
    makeNext = {
      var iterator: Keys.Iterator?
      return {
        if iterator == nil { iterator = try keys().makeIterator() }
        return iterator?.next()
      }
    }
  }

  /// Creates a sequence that fails.
  @inlinable
  public init(failing error: any Error) { makeNext = { { throw error } } }

  /// The sequence from its beginning.
  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(next: makeNext()) }

  /// The keys with each made into another one, as far as that is possible.
  @inlinable
  public func mapKeys<Other>(_ transform: @escaping (Element) throws -> Other) -> StorageKeys<Other> {
    let makeNext = makeNext
    return StorageKeys<Other> {
      let next = makeNext()
      return { try next().map(transform) }
    }
  }

  /// Goes through the keys.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let body: () throws -> Element?

    @inlinable
    init(next: @escaping () throws -> Element?) { body = next }

    /// The next key; nil at the end.
    @inlinable
    public mutating func next() throws -> Element? { try body() }
  }
}

extension StorageKeys {
  /// These keys, then those of another storage that are not among them; fails where they cannot be hashed.
  @usableFromInline
  func joined(with others: StorageKeys, storageName: String) -> StorageKeys {
    let makeNext: () -> () throws -> Element? = {
      let (next, nextOther) = (self.makeNext(), others.makeNext())
      var seen: Set<AnyHashable> = []
      var isPastOwn = false
      return {
        if !isPastOwn, let key = try next() {
          guard let hashable = key as? AnyHashable else {
            throw StorageError.notSupported(.keys, storageName: storageName)
          }
          seen.insert(hashable)
          return key
        }
        isPastOwn = true
        while let key = try nextOther() {
          if (key as? AnyHashable).map(seen.contains) != true { return key }
        }
        return nil
      }
    }
    return StorageKeys(makeNext)
  }
}
