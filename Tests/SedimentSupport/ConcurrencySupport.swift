import Sediment
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A thread of the system that a test waits for, its destructors included.
package struct TestThread {
  private let thread: pthread_t

  private final class Start: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  package init(_ body: @escaping @Sendable () -> Void) {
    // The thread takes the reference that is made here, and its pointer is never null.
    let start = unsafe Unmanaged.passRetained(Start(body)).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      let error = unsafe pthread_create(
        &thread, nil,
        { start in
          unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
          return nil
        }, start)
      guard error == 0, let thread = unsafe thread else { fatalError("no thread: \(error)") }
      unsafe self.thread = thread
    #else
      var thread = pthread_t()
      let error = unsafe pthread_create(
        &thread, nil,
        { start in
          unsafe Unmanaged<Start>.fromOpaque(start!).takeRetainedValue().body()
          return nil
        }, start)
      guard error == 0 else { fatalError("no thread: \(error)") }
      self.thread = thread
    #endif
  }

  package func join() {
    #if canImport(Darwin)
      _ = unsafe pthread_join(thread, nil)
    #else
      _ = pthread_join(thread, nil)
    #endif
  }

  /// Runs the body on a thread of its own, and waits for its end.
  package static func run(_ body: @escaping @Sendable () -> Void) {
    TestThread(body).join()
  }
}

/// A number that threads change and wait for.
package final class Counter: @unchecked Sendable {
  // Sendable: `lock` guards the variable.
  private let lock = Lock()
  private let hasChanged: Condition
  private var number = 0

  package init() {
    hasChanged = Condition(of: lock)
  }

  package var value: Int { lock.withLock { number } }

  package func add(_ change: Int = 1) {
    lock.withLock {
      number += change
      hasChanged.broadcast()
    }
  }

  /// Waits until the number has reached this one.
  package func wait(for wanted: Int) {
    lock.withLock {
      while number < wanted { hasChanged.wait() }
    }
  }
}

/// Calls again and again until it is true, for what another thread is about to bring about; false if it
/// never becomes so.
package func eventually(_ isSo: () -> Bool) -> Bool {
  let end = MonotonicClock.now(plus: 30_000_000_000)
  while !isSo() {
    if MonotonicClock.now > end { return false }
    usleep(200)
  }
  return true
}

/// Forks, runs the body in the child, and returns what it says there; nil if the child died or hung.
///
/// The child has no other threads, and whatever lock of the language's runtime one of them had is taken for
/// ever; so the body does only what was done before in this process.
package func inForkedChild(_ body: () -> UInt8) -> UInt8? {
  // Not by its name, which Swift hides on some systems. There is always a function of this name and type.
  let fork = unsafe unsafeBitCast(dlsym(dlopen(nil, RTLD_NOW), "fork"), to: (@convention(c) () -> Int32).self)
  let child = fork()
  if child == 0 {
    alarm(20)
    _exit(Int32(body()))
  }
  var status: Int32 = 0
  while unsafe waitpid(child, &status, 0) == -1 {}
  return status & 0x7f == 0 ? UInt8(truncatingIfNeeded: status >> 8) : nil
}
