import Synchronization

/// A storage that is asked once for a key, however many ask for it at the same time.
final class CoalescingStorage<Base: ReadableStorageProtocol>: Wrapping, @unchecked Sendable
where Base.Key: Hashable {
  typealias Key = Base.Key
  typealias Value = Base.Value
  typealias Flight = Coalescing<ExpiringValue<Value>>

  let base: Base
  // Only touched under the lock.
  private let lock = Mutex(())
  private var flights: [Key: Flight] = [:]

  init(_ base: Base) { self.base = base }

  /// The answer to a question that may be under way: asked unless it is.
  private func shared(_ key: Key) -> StorageAnswer<ExpiringValue<Value>> {
    let (flight, isFirst) = join(key)
    if isFirst { ask(key, for: flight) }
    return flight.answer(isFirst: isFirst) { self.base.answer(withExpiryForKey: key) }
  }

  /// Asks at once, whether or not the answer is waited for: others may wait for it.
  private func ask(_ key: Key, for flight: Flight) {
    let once = Once {
      // No answer can come any more: those who have joined ask on their own.
      self.leave(key, flight)
      for completion in flight.giveUp() { self.base.answer(withExpiryForKey: key).deliver(to: completion) }
    }
    base.answer(withExpiryForKey: key).deliver { result in
      if once.isFirst() { self.leave(key, flight) }
      flight.land(result)
    }
  }

  private func join(_ key: Key) -> (Flight, isFirst: Bool) {
    let joined: Unchecked<(Flight, isFirst: Bool)> = lock.withLock { _ in
      if let flight = flights[key] { return Unchecked((flight, false)) }
      let flight = Flight()
      flights[key] = flight
      return Unchecked((flight, true))
    }
    return joined.value
  }

  private func leave(_ key: Key, _ flight: Flight) {
    // The key ends once the lock is free, here and below.
    let entry = lock.withLock { _ in
      Unchecked(flights[key] === flight ? flights.removeEntry(forKey: key) : nil)
    }
    withExtendedLifetime(entry) {}
  }

  /// Lets nobody join what was asked before: a key, or all for nil, has another value now.
  private func forget(_ key: Key?) {
    if let key {
      let entry = lock.withLock { _ in Unchecked(flights.removeEntry(forKey: key)) }
      withExtendedLifetime(entry) {}
    } else {
      let all = lock.withLock { _ in Unchecked(exchange(&flights, for: [:])) }
      withExtendedLifetime(all) {}
    }
  }
}

extension CoalescingStorage: AnsweringReadableStorage {
  func answer(forKey key: Key) -> StorageAnswer<Value> { shared(key).map { $0.map(\.value) } }

  func answer(withExpiryForKey key: Key) -> StorageAnswer<ExpiringValue<Value>> { shared(key) }
}

extension CoalescingStorage: WritableStorageProtocol, AnsweringWritableStorage
where Base: WritableStorageProtocol {
  func answer(setting value: Value, forKey key: Key, expiry: StorageExpiry) -> StorageAnswer<Void> {
    forgetting(key, base.answer(setting: value, forKey: key, expiry: expiry))
  }

  func answer(removing key: Key) -> StorageAnswer<Void> {
    forgetting(key, base.answer(removing: key))
  }

  func answerRemovingAll() -> StorageAnswer<Void> { forgetting(nil, base.answerRemovingAll()) }

  private func forgetting<Answer>(_ key: Key?, _ answer: StorageAnswer<Answer>) -> StorageAnswer<Answer> {
    answer.map { result in
      self.forget(key)
      return result
    }
  }
}

extension CoalescingStorage: StorageProtocol where Base: StorageProtocol {
  func answer(
    updating key: Key, expiry: StorageExpiry?,
    _ modify: @escaping (ShallowsResult<Value>) throws -> Value?
  ) -> StorageAnswer<Value?> {
    forgetting(key, base.answer(updating: key, expiry: expiry, modify))
  }
}

/// One question that several wait for.
final class Coalescing<Value>: @unchecked Sendable {
  private typealias Completion = (ShallowsResult<Value>) -> Void

  // All are only touched under the lock.
  private let lock = Mutex(())
  private var results: [ShallowsResult<Value>] = []
  private var completions: [Completion] = []
  /// That of whom the question was asked for, once he waits.
  private var firstCompletions: [Completion] = []
  private var isGivenUp = false

  /// Tells everybody who waits; what comes later, from a storage that answers again, is told to them, too.
  func land(_ result: ShallowsResult<Value>) {
    let waiting: Unchecked<[Completion]> = lock.withLock { _ in
      results.append(result)
      return Unchecked(firstCompletions + completions)
    }
    for completion in waiting.value { completion(result) }
  }

  /// Those who wait for what the first was to get, who himself has lost it; others who come to wait ask on their own.
  func giveUp() -> [(ShallowsResult<Value>) -> Void] {
    let waiting: Unchecked<[Completion]> = lock.withLock { _ in
      isGivenUp = true
      defer { completions = [] }
      return Unchecked(completions)
    }
    return waiting.value
  }

  /// The result if it is there and the only one so far, or the way to wait for it; whoever joined can ask on his own.
  func answer(isFirst: Bool, asking ask: @escaping () -> StorageAnswer<Value>) -> StorageAnswer<Value> {
    let landed = lock.withLock { _ in Unchecked(results) }.value
    if landed.count == 1 { return .ready(landed[0]) }
    return .pending { completion in
      var isAlone = false
      let landed: Unchecked<[ShallowsResult<Value>]> = self.lock.withLock { _ in
        isAlone = !isFirst && self.isGivenUp
        if isFirst { self.firstCompletions.append(completion) }
        if !isFirst, !isAlone { self.completions.append(completion) }
        return Unchecked(self.results)
      }
      if isAlone { return ask().deliver(to: completion) }
      for result in landed.value { completion(result) }
    }
  }
}

extension StorageProtocol where Key: Hashable {
  /// The same storage, asked once for a key however many retrieve it at the same time: all get the one answer.
  ///
  /// What was set before a retrieval began is what that gets at least. A storage that retrieves a key from itself while
  /// it answers for that key would wait for itself.
  public func coalescingRetrievals() -> Storage<Key, Value> { Storage(CoalescingStorage(self)) }
}

extension ReadOnlyStorageProtocol where Key: Hashable {
  /// The same storage, asked once for a key however many retrieve it at the same time: all get the one answer.
  public func coalescingRetrievals() -> ReadOnlyStorage<Key, Value> {
    ReadOnlyStorage(CoalescingStorage(self))
  }
}
