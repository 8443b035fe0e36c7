/// What a storage says when it is asked: the result if it has it at once, or how to go on waiting for it.
///
/// It spares storages that need not wait the closures, the queues and the locks of those that have to: a value from
/// memory goes through any number of compositions as a plain return value.
public enum StorageAnswer<Value> {
  /// The result; everything is done.
  case ready(ShallowsResult<Value>)
  /// The rest is done once the closure is called, which must be at most once; it calls the completion it is given.
  case pending((@escaping (ShallowsResult<Value>) -> Void) -> Void)

  /// A value that is there at once.
  @inlinable
  public static func value(_ value: Value) -> Self { .ready(.success(value)) }

  /// A failure that is known at once.
  @inlinable
  public static func failure(_ error: any Error) -> Self { .ready(.failure(error)) }

  /// Calls a completion with the result; if that is ready, before it returns.
  ///
  /// Only a chain of calls, each made by the completion of the one before, goes on on another thread once three quarters
  /// of the thread's stack are used.
  @inlinable
  public consuming func deliver(to completion: @escaping (ShallowsResult<Value>) -> Void) {
    switch consume self {
    case .ready(let result):
      CallingThread.isDeep ? Self.deliverDeep(result, completion) : completion(result)
    case .pending(let start): start(completion)
    }
  }

  @usableFromInline @inline(never)
  static func deliverDeep(
    _ result: ShallowsResult<Value>, _ completion: @escaping (ShallowsResult<Value>) -> Void
  ) {
    CallingThread.completeDeep { completion(result) }
  }

  /// The answer with the result made into another one, once it is there.
  @inlinable
  public func map<Other>(
    _ transform: @escaping (ShallowsResult<Value>) -> ShallowsResult<Other>
  ) -> StorageAnswer<Other> {
    switch self {
    case .ready(let result): .ready(transform(result))
    case .pending(let start): .pending { completion in start { completion(transform($0)) } }
    }
  }

  /// The answer without what comes after the first result.
  @usableFromInline
  var first: StorageAnswer {
    guard case .pending(let start) = self else { return self }
    return .pending { completion in
      let once = Once()
      start { result in
        if once.isFirst() { completion(result) }
      }
    }
  }

  /// The answer that another storage gives, asked once this result is there.
  @inlinable
  public func then<Other>(
    _ next: @escaping (ShallowsResult<Value>) -> StorageAnswer<Other>
  ) -> StorageAnswer<Other> {
    switch self {
    case .ready(let result): next(result)
    case .pending(let start): .pending { completion in start { next($0).deliver(to: completion) } }
    }
  }

  /// The answer that comes instead of a failure.
  @inlinable
  func otherwise(_ next: @escaping (any Error) -> StorageAnswer<Value>) -> StorageAnswer<Value> {
    switch self {
    case .ready(.success(let value)): .value(value)
    case .ready(.failure(let error)): next(error)
    case .pending(let start):
      .pending { completion in
        start { result in
          guard case .failure(let error) = result else { return completion(result) }
          next(error).deliver(to: completion)
        }
      }
    }
  }

  /// Both answers, once both are there; none waits for the other to begin.
  ///
  /// Completions are called on another thread, as they have always been of two storages: who calls may hold a lock that
  /// they take.
  @inlinable
  func joined<Other>(with other: StorageAnswer<Other>) -> StorageAnswer<(Value, Other)> {
    .pending { completion in
      if case (.ready(let left), .ready(let right)) = (self, other), CallingThread.isAwaited {
        return completion(zipped(left, right))
      }
      let join = Join<Value, Other>(completion)
      self.deliver { join.setLeft($0) }
      other.deliver { join.setRight($0) }
    }
  }

  /// The answer without its value, which is nothing twice.
  @inlinable
  var withoutPair: StorageAnswer<Void> { map { $0.map { _ in } } }
}

extension StorageAnswer<Void> {
  /// It is done.
  @inlinable
  public static var done: Self { .ready(.success(())) }

  /// What comes next unless this fails.
  @inlinable
  func andThen(_ next: @escaping () -> StorageAnswer<Void>) -> StorageAnswer<Void> {
    switch self {
    case .ready(.success): next()
    case .ready(.failure(let error)): .failure(error)
    case .pending(let start):
      .pending { completion in
        start { result in
          guard case .success = result else { return completion(result) }
          next().deliver(to: completion)
        }
      }
    }
  }

  /// Begins what a task awaits.
  @usableFromInline
  static func awaiting(_ body: () -> Void) { CallingThread.calling(for: .awaits, body) }

  /// Calls a storage of a user's, which may call others on its own account.
  @usableFromInline
  static func notWaiting(_ body: () -> Void) {
    CallingThread.caller == .nobody ? body() : CallingThread.calling(for: .nobody, body)
  }
}
