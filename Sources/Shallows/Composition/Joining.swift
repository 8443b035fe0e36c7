import Synchronization

/// Both results, or the failures of both.
@inlinable
func zipped<Left, Right>(
  _ left: ShallowsResult<Left>, _ right: ShallowsResult<Right>
) -> ShallowsResult<(Left, Right)> {
  switch (left, right) {
  case (.success(let left), .success(let right)): .success((left, right))
  default: .failure(ZippedResultError(left: left.error, right: right.error))
  }
}

extension StorageAnswer {
  /// Both answers, once both are there; none waits for the other to begin.
  ///
  /// Completions are called on another thread, as they have always been of two storages: who calls may hold a lock that
  /// they take.
  @inlinable
  func joined<Other>(with other: StorageAnswer<Other>) -> StorageAnswer<(Value, Other)> {
    .pending { completion in
      let join = Join<Value, Other>(completion)
      self.deliver { join.setLeft($0) }
      other.deliver { join.setRight($0) }
    }
  }

  /// The answer without its value, which is nothing twice.
  @inlinable
  var withoutPair: StorageAnswer<Void> { map { $0.map { _ in } } }
}

/// What two sides have answered so far.
///
/// It completes when both have. A side that answers again makes it complete again, with the other's last result.
@usableFromInline
final class Join<Left, Right>: @unchecked Sendable {
  // The results are only touched under the lock.
  private let lock = Mutex(())
  private var left: ShallowsResult<Left>?
  private var right: ShallowsResult<Right>?
  private let completion: (ShallowsResult<(Left, Right)>) -> Void

  @usableFromInline
  init(_ completion: @escaping (ShallowsResult<(Left, Right)>) -> Void) {
    self.completion =
      CallingThread.caller == .nobody
      ? { result in Workers.shared.run { completion(result) } } : completion
  }

  @usableFromInline
  func setLeft(_ result: ShallowsResult<Left>) { set { left = result } }

  @usableFromInline
  func setRight(_ result: ShallowsResult<Right>) { set { right = result } }

  private func set(_ change: () -> Void) {
    let both = UncheckedBox<ShallowsResult<(Left, Right)>?>(nil)
    lock.withLock { _ in
      change()
      if let left, let right { both.value = zipped(left, right) }
    }
    if let result = both.value { completion(result) }
  }
}
