internal import CSediment

// What the engine asks of the system's processes and threads.

/// Notices that the process was forked.
///
/// A store remembers the count when it is opened and compares it at each call: in a child it differs, and the
/// store refuses, because the child shares the parent's locks on the file but none of its threads.
package enum Forks {
  /// How many forks lie between the program's start and this process; one load.
  package static var count: UInt32 { sediment_fork_count() }
}

/// The clock of deadlines: it never goes back, and stands still while the machine sleeps.
package enum MonotonicClock {
  /// Nanoseconds since some time in the past.
  package static var now: UInt64 { sediment_monotonic_now() }

  /// The time that lies so far ahead, or the end of time.
  package static func now(plus nanoseconds: UInt64) -> UInt64 {
    let (sum, isTooLarge) = now.addingReportingOverflow(nanoseconds)
    return isTooLarge ? .max : sum
  }
}

/// What tells threads apart.
enum ThreadIdentity {
  /// The number of this thread: never 0, and of no other thread that lives.
  static var current: UInt { UInt(sediment_thread_identity()) }
}

/// Starts a thread that does one thing; false if the system has none left.
func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  // A test schedules the threads that it has, and no others.
  if SchedulePoint.isScheduled { return false }
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let box = unsafe Unmanaged.passRetained(Box(body))
  let error = unsafe sediment_thread_start(
    { context in
      guard let context = unsafe context else { return }
      // The pointer is the one made above, and this thread alone takes the reference it stands for.
      unsafe Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
    }, box.toOpaque())
  if error != 0 { unsafe box.release() }
  return error == 0
}
