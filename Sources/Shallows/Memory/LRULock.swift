public import Foundation

/// A lock of the system whose calls are compiled into the user's code; not recursive.
///
/// It is not `Synchronization.Mutex`: with more threads than processors that hands the lock from one sleeping
/// thread to the next, which costs each call thousands of times what it takes alone.
@safe @usableFromInline
struct LRULock {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    // Far from everything else that threads write to.
    let memory = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: max(MemoryLayout<pthread_mutex_t>.size, 128), alignment: 128)
    unsafe mutex = unsafe memory.bindMemory(to: pthread_mutex_t.self, capacity: 1)
    initialize()
  }

  // What it guards takes less than putting a thread to sleep, so where the system can, who finds it taken looks
  // a few times more before it sleeps.
  private func initialize() {
    #if canImport(Glibc)
      var attributes = pthread_mutexattr_t()
      unsafe pthread_mutexattr_init(&attributes)
      unsafe pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ADAPTIVE_NP))
      let error = unsafe pthread_mutex_init(mutex, &attributes)
      unsafe pthread_mutexattr_destroy(&attributes)
    #else
      let error = unsafe pthread_mutex_init(mutex, nil)
    #endif
    precondition(error == 0, "The system has no memory left for a lock.")
  }

  /// Gives back the memory of a lock that nobody uses any more.
  func destroy() {
    unsafe pthread_mutex_destroy(mutex)
    unsafe UnsafeMutableRawPointer(mutex).deallocate()
  }

  // These two fail only by misuse that no caller commits.

  @inlinable @inline(__always)
  func lock() {
    unsafe pthread_mutex_lock(mutex)
  }

  @inlinable @inline(__always)
  func unlock() {
    unsafe pthread_mutex_unlock(mutex)
  }
}
