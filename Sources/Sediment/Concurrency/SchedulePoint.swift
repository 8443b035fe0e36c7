internal import CSediment

/// A place at which threads can meet: there a test decides which of them goes on (Tests/README.md, "Schedules").
///
/// Only a build with `SEDIMENT_SCHEDULES` has these places; in any other the calls are nothing.
package enum SchedulePoint: UInt8, Sendable {
  /// A lock is about to be taken, or was given back.
  case locking, unlocked
  /// A reader's scope begins, or has ended.
  case readerEnters, readerLeft
  /// A reader is about to follow what it found so far.
  case reading
  /// Other threads can see a change from here on.
  case published
  /// A call of the disk is about to be made.
  case disk
  /// A job was handed over to the background.
  case handedOver
  /// A thread has nothing to do until others have come further.
  case yielded

  /// How many kinds there are.
  package static let kindCount = 9
}

/// A thread that goes on only when a test lets it.
package protocol ScheduledThread: AnyObject {
  /// Lets others go on, perhaps.
  func reach(_ point: SchedulePoint)
  /// Returns once the lock is this thread's.
  func take(_ lock: ObjectIdentifier)
  /// Makes the lock this thread's if it is nobody's; whether it was.
  func tryTake(_ lock: ObjectIdentifier) -> Bool
  /// The lock is nobody's again.
  func giveBack(_ lock: ObjectIdentifier)
  /// This thread waits from now on for a signal; nobody else goes on before `sleep`.
  func beginWaiting(for condition: ObjectIdentifier)
  /// Returns once the signal came.
  func sleep()
  func signal(_ condition: ObjectIdentifier, all: Bool)
}

#if SEDIMENT_SCHEDULES

  extension SchedulePoint {
    /// Makes this thread one that a test schedules, or none with nil.
    package static func schedule(_ thread: (any ScheduledThread)?) {
      let box = thread.map(Box.init)
      if let old = unsafe sediment_scheduled_thread_get() { unsafe Unmanaged<Box>.fromOpaque(old).release() }
      unsafe sediment_scheduled_thread_set(box.map { unsafe Unmanaged.passRetained($0).toOpaque() })
    }

    private final class Box {
      let thread: any ScheduledThread
      init(_ thread: any ScheduledThread) { self.thread = thread }
    }

    private static var current: (any ScheduledThread)? {
      // The thread itself holds it until it is replaced.
      unsafe sediment_scheduled_thread_get().map {
        unsafe Unmanaged<Box>.fromOpaque($0).takeUnretainedValue().thread
      }
    }

    /// Whether this thread is one that a test schedules.
    static var isScheduled: Bool { unsafe sediment_scheduled_thread_get() != nil }

    package static func reach(_ point: SchedulePoint) { current?.reach(point) }

    static func take(_ lock: Lock) {
      // Nobody reaches a point while he has one of the others.
      if !lock.isForever { current?.take(ObjectIdentifier(lock)) }
    }

    static func tryTake(_ lock: Lock) -> Bool {
      lock.isForever ? true : current?.tryTake(ObjectIdentifier(lock)) ?? true
    }

    static func giveBack(_ lock: Lock) {
      if !lock.isForever { current?.giveBack(ObjectIdentifier(lock)) }
    }

    /// Waits for a condition in the way the test has it; false if this thread is none of the test's.
    static func wait(for condition: Condition, _ lock: Lock) -> Bool {
      guard let thread = current else { return false }
      thread.beginWaiting(for: ObjectIdentifier(condition))
      lock.unlock()
      thread.sleep()
      lock.lock()
      return true
    }

    static func signal(_ condition: Condition, all: Bool) {
      current?.signal(ObjectIdentifier(condition), all: all)
    }
  }

#else

  extension SchedulePoint {
    package static func schedule(_ thread: (any ScheduledThread)?) {}
    @inline(__always) static var isScheduled: Bool { false }
    @inline(__always) package static func reach(_ point: SchedulePoint) {}
    @inline(__always) static func take(_ lock: Lock) {}
    @inline(__always) static func tryTake(_ lock: Lock) -> Bool { true }
    @inline(__always) static func giveBack(_ lock: Lock) {}
    @inline(__always) static func wait(for condition: Condition, _ lock: Lock) -> Bool { false }
    @inline(__always) static func signal(_ condition: Condition, all: Bool) {}
  }

#endif

extension SchedulePoint {
  /// Lets other threads go on for a moment.
  @inline(__always)
  static func yield() {
    if isScheduled { reach(.yielded) } else { sediment_yield() }
  }

  /// Lets other threads go on for some nanoseconds.
  @inline(__always)
  static func pause(_ nanoseconds: UInt64) {
    if isScheduled { reach(.yielded) } else { sediment_sleep(nanoseconds) }
  }
}
