internal import CSediment
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
/// A file descriptor that calls borrow, and that is closed once, while nobody has borrowed it.
///
/// A number that was closed soon names another file, so it must not reach the system after that. `state` is
/// twice the number of borrowers, plus one once closing has begun. It follows that no borrower meets a closed
/// number, and that the number is closed once:
/// - `borrow` raises the state only from an even value. Once it is odd it only falls.
/// - It therefore becomes exactly 1 in one step alone: in `close`, if nobody borrows then, or else in the last
///   `giveBack`. Whoever makes this step closes the number; nobody else does.
/// - A borrower accounts for two between `borrow` and `giveBack`, so each of its calls lies before that step.
///
/// Borrowers only count; they never wait for each other.
///
/// In a child after a fork the number leads to no file any more, so that nothing there keeps or releases the parent's
/// locks; see `CSedimentForkedFiles.h`.
@safe
package final class Descriptor: @unchecked Sendable {
  // Unchecked: constants and atomics; `entry` is the list's, which has a lock, until it is taken out once.
  private let number: Int32
  private let entry: UnsafeMutablePointer<sediment_forked_file>
  private let state = Atomic<UInt64>(0)
  /// Set behind the system's call that closes.
  private let isGone = Atomic(false)
  private static let closing: UInt64 = 1
  private static let borrower: UInt64 = 2

  /// Takes over an open descriptor.
  package init(_ number: Int32) {
    self.number = number
    unsafe entry = .allocate(capacity: 1)
    unsafe entry.initialize(to: sediment_forked_file())
    unsafe entry.pointee.descriptor = number
    unsafe sediment_forked_file_enter(entry)
  }

  /// Opens a file; see `attemptUninterrupted`.
  init(opening path: String, _ flags: Int32, mode: UInt32) throws(SystemCallFailure) {
    let entry = UnsafeMutablePointer<sediment_forked_file>.allocate(capacity: 1)
    var number: Int32 = -1
    let code = attemptUninterrupted {
      number = unsafe sediment_open_entered(path, flags, mode, entry)
      return number < 0 ? -1 : 0
    }
    if let code {
      unsafe entry.deallocate()
      throw SystemCallFailure(code: code)
    }
    self.number = number
    unsafe self.entry = unsafe entry
  }

  deinit {
    _ = close()
    unsafe entry.deallocate()
  }

  /// The number, for use until `giveBack`; nil once closing has begun.
  package func borrow() -> Int32? {
    var seen = state.load(ordering: .relaxed)
    while seen & Self.closing == 0 {
      let (isDone, now) = state.weakCompareExchange(
        expected: seen, desired: seen + Self.borrower, ordering: .acquiring)
      if isDone { return number }
      seen = now
    }
    return nil
  }

  /// Ends a use that `borrow` began.
  ///
  /// Where `close` came in between, the last one to give back closes, and what that reports is lost.
  package func giveBack() {
    let left = state.wrappingSubtract(Self.borrower, ordering: .acquiringAndReleasing).newValue
    if left == Self.closing { _ = closeNumber() }
  }

  /// Makes one call that borrows the number, and returns why it failed, or nil; see `attemptUninterrupted`.
  package func attempt(_ call: (Int32) -> Int32) -> SystemErrorCode? {
    guard let number = borrow() else { return .badDescriptor }
    defer { giveBack() }
    return attemptUninterrupted { call(number) }
  }

  /// Refuses further borrowers and closes the descriptor, now or when the last of them gives it back.
  ///
  /// Returns why closing failed, or nil; nil as well for every later call.
  package func close() -> SystemErrorCode? {
    let before = state.bitwiseOr(Self.closing, ordering: .acquiringAndReleasing).oldValue
    return before == 0 ? closeNumber() : nil
  }

  /// Returns once the descriptor is closed, which `close` has begun, and its locks are released.
  ///
  /// It waits for the calls that others have under way, so nobody waits who has borrowed the number.
  package func waitUntilClosed() {
    var pause: UInt32 = 1
    while !isGone.load(ordering: .acquiring) {
      usleep(pause)
      pause = min(pause * 2, 1000)
    }
  }

  /// Locks belong to the open file, which mappings keep open, so they are released explicitly.
  private func closeNumber() -> SystemErrorCode? {
    defer { isGone.store(true, ordering: .releasing) }
    SystemFile.unlockEverything(number)
    unsafe sediment_forked_file_remove(entry)
    // Once, whatever it reports: the number is free afterwards, and may be another file's already.
    return systemClose(number)
  }
}
