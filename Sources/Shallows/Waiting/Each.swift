import Synchronization

extension ReadableStorageProtocol {
  /// The values of several keys, asked for one after another.
  @usableFromInline
  func answerEach(of keys: [Key]) -> StorageAnswer<[ShallowsResult<ExpiringValue<Value>>]> {
    StorageAnswer.each(keys.count) { answer(withExpiryForKey: keys[$0]) }
  }
}

extension StorageAnswer {
  /// The first answers to so many questions, asked one after another; only those that are pending take time.
  static func each<Element>(
    _ count: Int, _ ask: @escaping (Int) -> StorageAnswer<Element>
  ) -> StorageAnswer where Value == [ShallowsResult<Element>] {
    let round = Round(count, ask)
    guard let start = round.firstPending() else { return .value(round.results) }
    return .pending { completion in
      if round.isAnswered(start, completion) { round.goOn(completion) }
    }
  }
}

/// Questions that are asked one after another, as a loop: however many there are, no call lies within the one before.
private final class Round<Value>: @unchecked Sendable {
  // Only whoever has the last answer goes on, and uses these.
  private(set) var results: [ShallowsResult<Value>] = []
  private let count: Int
  private let ask: (Int) -> StorageAnswer<Value>

  init(_ count: Int, _ ask: @escaping (Int) -> StorageAnswer<Value>) {
    self.count = count
    self.ask = ask
    results.reserveCapacity(count)
  }

  /// The next question that has to be waited for, once those before it are answered; nil if all are.
  func firstPending() -> ((@escaping (ShallowsResult<Value>) -> Void) -> Void)? {
    while results.count < count {
      switch ask(results.count) {
      case .ready(let result): results.append(result)
      case .pending(let start): return start
      }
    }
    return nil
  }

  func goOn(_ completion: @escaping (ShallowsResult<[ShallowsResult<Value>]>) -> Void) {
    while let start = firstPending() {
      guard isAnswered(start, completion) else { return }
    }
    completion(.success(results))
  }

  /// Whether the answer came before this returns; if not, it goes on itself when it comes.
  func isAnswered(
    _ start: (@escaping (ShallowsResult<Value>) -> Void) -> Void,
    _ completion: @escaping (ShallowsResult<[ShallowsResult<Value>]>) -> Void
  ) -> Bool {
    let (isFirst, hasMet) = (Once(), Once())
    start { result in
      // A question that is answered again later has been told already.
      guard isFirst.isFirst() else { return }
      self.results.append(result)
      if !hasMet.isFirst() { self.goOn(completion) }
    }
    return !hasMet.isFirst()
  }
}
