internal import CSediment

/// A lock that a thread looks at for some microseconds before it sleeps; not recursive.
///
/// It is not `Synchronization.Mutex`, because conditions need it, and because with more threads than processors that hands
/// the lock from one sleeping thread to the next, which costs each call thousands of times what it takes alone.
@safe
package final class Lock: @unchecked Sendable {
  // Sendable: the pointer is constant, and the system's functions may be called from every thread. The memory
  // lives as long as this object, which whoever locks it holds.
  fileprivate let mutex: UnsafeMutablePointer<sediment_mutex>
  let isForever: Bool
  private let rank: LockRank

  /// A lock that nobody has.
  ///
  /// With `isHeldAcrossForks` a fork waits for it, so that what it guards is whole in the child, where it is free. Its
  /// memory is never given back then. A thread must not fork while it has the lock, nor take another such lock.
  package init(_ rank: LockRank = .leaf, isHeldAcrossForks: Bool = false) {
    unsafe mutex = sediment_mutex_new(isHeldAcrossForks ? 1 : 0)
    isForever = isHeldAcrossForks
    self.rank = rank
  }

  deinit {
    if !isForever { unsafe sediment_mutex_free(mutex) }
  }

  /// Waits until the lock is free, and takes it.
  package func lock() {
    rank.noteTaking()
    SchedulePoint.take(self)
    unsafe sediment_mutex_lock(mutex)
  }

  /// Takes the lock if it is free; whether it was.
  package func tryLock() -> Bool {
    guard SchedulePoint.tryTake(self), unsafe sediment_mutex_try(mutex) else { return false }
    rank.noteTried()
    return true
  }

  /// Gives back the lock, which this thread must have.
  package func unlock() {
    rank.noteGivenBack()
    unsafe sediment_mutex_unlock(mutex)
    SchedulePoint.giveBack(self)
  }

  /// Runs the body with the lock taken.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}

/// What threads wait on for something that a lock guards to change.
///
/// A wait may end without a signal, so it belongs into a loop that asks for what it waits for.
@safe
package final class Condition: @unchecked Sendable {
  // Sendable: as for the lock.
  private let condition: UnsafeMutablePointer<sediment_condition>
  private let guardingLock: Lock

  /// A condition whose waiters have taken this lock.
  package init(of lock: Lock) {
    unsafe condition = sediment_condition_new()
    guardingLock = lock
  }

  deinit {
    unsafe sediment_condition_free(condition)
  }

  /// Gives back the lock, waits for a signal, and takes the lock again.
  package func wait() {
    if SchedulePoint.wait(for: self, guardingLock) { return }
    unsafe sediment_condition_wait(condition, guardingLock.mutex)
  }

  /// Waits until a time of `MonotonicClock` at most; false if that has passed.
  package func wait(until deadline: UInt64) -> Bool {
    unsafe sediment_condition_wait_until(condition, guardingLock.mutex, deadline) != 0
  }

  /// Wakes one waiter, if there is any; best called with the lock taken.
  package func signal() {
    SchedulePoint.signal(self, all: false)
    unsafe sediment_condition_signal(condition)
  }

  /// Wakes all waiters.
  package func broadcast() {
    SchedulePoint.signal(self, all: true)
    unsafe sediment_condition_broadcast(condition)
  }
}
