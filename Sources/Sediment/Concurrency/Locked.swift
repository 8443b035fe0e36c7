/// A state together with the lock that guards it: whoever has the state has the lock.
///
/// What belongs to it is a stored property of `State`, or a method of it, so that nobody can touch it without the lock.
@safe
package final class Locked<State: ~Copyable>: @unchecked Sendable {
  // Sendable: the state is used by one thread at a time, which has the lock.
  private let lock: Lock
  // A pointer, since a property of a class is checked for overlapping accesses at each one.
  private let state: UnsafeMutablePointer<State>

  package init(_ rank: LockRank, _ state: consuming State) {
    lock = Lock(rank)
    unsafe self.state = .allocate(capacity: 1)
    unsafe self.state.initialize(to: state)
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Runs the body with the lock taken.
  @inline(__always)
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try kept.withLock(body)
  }

  /// The same state for who keeps it alive anyway: using this counts no reference.
  @safe
  struct Kept: @unchecked Sendable {
    // Sendable for the same reason.
    fileprivate let lock: Unmanaged<Lock>
    fileprivate let state: UnsafeMutablePointer<State>

    /// Runs the body with the lock taken.
    @inline(__always)
    func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
      unsafe lock._withUnsafeGuaranteedRef { $0.lock() }
      defer { unsafe lock._withUnsafeGuaranteedRef { $0.unlock() } }
      return unsafe try body(&state.pointee)
    }
  }

  @inline(__always)
  var kept: Kept { unsafe Kept(lock: .passUnretained(lock), state: state) }
}

/// The right to change what readers use without a lock: the index, the slot table, the counts of segments and collections.
///
/// The writer has the one of an open store, so that whoever shows it has the writer's lock. It takes no memory.
package struct WritePermit: ~Copyable {
  /// A permit for what nobody else has yet, as while a store is being opened.
  package init() {}
}
