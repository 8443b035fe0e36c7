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
      CallingThread.isAwaited ? completion : { result in Workers.shared.run { completion(result) } }
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
