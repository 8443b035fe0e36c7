/// A state together with the lock that guards it, which threads get in the order in which they came; see `TurnLock`.
@safe
final class LockedInTurn<State: ~Copyable>: @unchecked Sendable {
  // Sendable: the state is used by one thread at a time, which has the lock.
  private let lock: TurnLock
  private let state: UnsafeMutablePointer<State>

  init(_ rank: LockRank, _ state: consuming State) {
    lock = TurnLock(rank)
    unsafe self.state = .allocate(capacity: 1)
    unsafe self.state.initialize(to: state)
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Runs the body with the lock taken.
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.take()
    defer { lock.giveBack() }
    return unsafe try body(&state.pointee)
  }

  /// Runs the body if nobody has the lock or waits for it; nil if it was not run.
  func tryLock<Result: ~Copyable>(_ body: (inout State) -> Result) -> Result? {
    guard lock.tryTake() else { return nil }
    defer { lock.giveBack() }
    return unsafe body(&state.pointee)
  }
}
