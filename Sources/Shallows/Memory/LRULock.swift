internal import CSediment
public import Synchronization

/// A lock that the user's code takes and gives back by one atomic operation each, unless several threads want it; not
/// recursive.
@safe @usableFromInline
struct LRULock {
  /// The state of a `sediment_mutex`, which is its first field.
  @usableFromInline let state: UnsafeMutablePointer<Atomic<UInt32>>

  init() {
    unsafe state = UnsafeMutableRawPointer(sediment_mutex_new(0)).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// Gives back the memory of a lock that nobody uses any more.
  func destroy() {
    unsafe sediment_mutex_free(mutex)
  }

  @inlinable @inline(__always)
  func lock() {
    let (isTaken, _) = unsafe state.pointee.compareExchange(expected: 0, desired: 1, ordering: .acquiring)
    if !isTaken { wait() }
  }

  @inlinable @inline(__always)
  func unlock() {
    if unsafe state.pointee.exchange(0, ordering: .releasing) == 2 { wake() }
  }

  @usableFromInline
  func wait() {
    unsafe sediment_mutex_wait(mutex)
  }

  @usableFromInline
  func wake() {
    unsafe sediment_mutex_wake(mutex)
  }

  private var mutex: UnsafeMutablePointer<sediment_mutex> {
    unsafe UnsafeMutableRawPointer(state).assumingMemoryBound(to: sediment_mutex.self)
  }
}
