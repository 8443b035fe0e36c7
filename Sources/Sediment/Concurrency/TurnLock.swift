/// A lock that threads get in the order in which they came; not recursive.
///
/// For work of milliseconds that several threads do again and again: a plain lock would go back to whoever has just given
/// it back, and the others would wait for seconds.
final class TurnLock: @unchecked Sendable {
  // Sendable: the lock guards the turns.
  private let lock = Lock()
  private let turnCame: Condition
  /// The turn of the thread that comes next, and the one that has the lock or is to take it.
  private var next: UInt64 = 0
  private var current: UInt64 = 0

  private let rank: LockRank

  init(_ rank: LockRank) {
    self.rank = rank
    turnCame = Condition(of: lock)
  }

  /// Waits for its turn, and takes the lock.
  func take() {
    rank.noteTaking()
    lock.lock()
    let turn = next
    next += 1
    while turn != current { turnCame.wait() }
    lock.unlock()
  }

  /// Takes the lock if nobody has it or waits for it; whether that was so.
  func tryTake() -> Bool {
    lock.withLock {
      guard next == current else { return false }
      next += 1
      rank.noteTried()
      return true
    }
  }

  /// Gives back the lock, which this thread must have.
  func giveBack() {
    rank.noteGivenBack()
    lock.lock()
    current += 1
    if current != next { turnCame.broadcast() }
    lock.unlock()
  }

  /// Runs the body with the lock taken.
  func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    take()
    defer { giveBack() }
    return try body()
  }
}

/// A state together with the lock that guards it, which threads get in the order in which they came.
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
    try lock.withLock { () throws(Failure) in unsafe try body(&state.pointee) }
  }

  /// Runs the body if nobody has the lock or waits for it; nil if it was not run.
  func tryLock<Result: ~Copyable>(_ body: (inout State) -> Result) -> Result? {
    guard lock.tryTake() else { return nil }
    defer { lock.giveBack() }
    return unsafe body(&state.pointee)
  }
}
