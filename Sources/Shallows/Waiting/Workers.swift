internal import Dispatch
internal import Foundation
internal import Synchronization

/// The threads on which all is done that the caller's thread shall not do.
///
/// As many are awake as there are processors, and more where those do not get on, since a user's code sleeps in them. Any
/// number may sleep in calls of sync storages, so that whatever these wait for is done.
final class Workers: TaskExecutor, Sendable {
  static let shared = Workers()

  /// How many are awake if they get on.
  private static let usualCount = ProcessInfo.processInfo.activeProcessorCount
  /// How long nobody may have begun a job until one more thread is wakened: longer once there are many, which may have
  /// much to do rather than wait for each other.
  private static func patience(with awakeCount: Int) -> DispatchTimeInterval {
    .milliseconds(awakeCount < max(64, usualCount) ? 2 : 100)
  }
  /// How long a thread stays that has nothing to do.
  private static let idleTime = DispatchTimeInterval.seconds(5)

  private struct State {
    var jobs = Line<Unchecked<() -> Void>>()
    var awakeCount = 0
    var idleCount = 0
    /// How many jobs have begun, by which it is told whether threads get on.
    var beganCount = 0
    var isWatched = false
  }

  private enum Need { case nothing, watch(beganCount: Int, DispatchTimeInterval), idleThread, thread }

  private let state = Mutex(State())
  private let wakening = DispatchSemaphore(value: 0)
  private let watching = DispatchQueue(label: "shallows-workers")

  func run(_ body: @escaping () -> Void) {
    let body = Unchecked(body)
    wakeOne { $0.jobs.append(body) }
  }

  /// Runs a part of a task; at once where the thread is about to wait for it.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let body = { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    if CallingThread.caller == .waits { CallingThread.calling(for: .nobody, body) } else { run(body) }
  }

  /// Sleeps, without being in the way of others if this is one of these threads.
  func asleep(_ sleep: () -> Void) {
    guard CallingThread.isWorker else { return sleep() }
    wakeOne { $0.awakeCount -= 1 }
    sleep()
    state.withLock { $0.awakeCount += 1 }
  }

  /// Wakes a thread if there is need of one after a change.
  private func wakeOne(areStuck: Bool = false, after change: (inout State) -> Void = { _ in }) {
    let need: Need = state.withLock { state in
      change(&state)
      guard !state.jobs.isEmpty else { return .nothing }
      guard areStuck || state.awakeCount < Self.usualCount else {
        if state.isWatched { return .nothing }
        state.isWatched = true
        return .watch(beganCount: state.beganCount, Self.patience(with: state.awakeCount))
      }
      state.awakeCount += 1
      guard state.idleCount > 0 else { return .thread }
      state.idleCount -= 1
      return .idleThread
    }
    switch need {
    case .nothing: break
    case .watch(let count, let patience):
      watching.asyncAfter(deadline: .now() + patience) { self.look(since: count) }
    case .idleThread: wakening.signal()
    case .thread: Thread.detachNewThread { self.work() }
    }
  }

  /// Wakes one more thread if no job has begun since, and looks again as long as there are any.
  private func look(since count: Int) {
    let areStuck = state.withLock { state in
      state.isWatched = false
      return state.beganCount == count
    }
    if areStuck { wakeOne(areStuck: true) }
    wakeOne()
  }

  private func work() {
    CallingThread.isWorker = true
    repeat {
      while let job = next() { job() }
    } while isWakenedInTime()
  }

  /// What is to be done next; nil if the thread is idle from now on.
  private func next() -> (() -> Void)? {
    let job = state.withLock { state in
      let job = state.jobs.takeFirst()
      if job != nil {
        state.beganCount &+= 1
      } else {
        state.awakeCount -= 1
        state.idleCount += 1
      }
      return job
    }
    return job?.value
  }

  private func isWakenedInTime() -> Bool {
    if wakening.wait(timeout: .now() + Self.idleTime) == .success { return true }
    let isIdle = state.withLock { state in
      guard state.idleCount > 0 else { return false }
      state.idleCount -= 1
      return true
    }
    // Somebody who was late to wake it counts on it.
    if !isIdle { wakening.wait() }
    return !isIdle
  }
}
