import Foundation
import Sediment
import SedimentSupport
import Testing

@Suite struct ConcurrencyLockTests {
  /// What a lock guards, without an atomic in it, for the thread sanitizer to see.
  private final class Guarded: @unchecked Sendable {
    // Sendable: `lock` guards the variable.
    let lock = Lock()
    var number = 0

    /// Adds to the number a hundred times, and keeps the lock for longer each time than others look at it.
    func addSlowly() {
      for _ in 0..<100 {
        lock.withLock {
          number += 1
          usleep(50)
        }
      }
    }
  }

  @Test func `Nobody else is in what a lock guards`() {
    let guarded = Guarded()
    let threads = (0..<4).map { _ in
      TestThread {
        for _ in 0..<20_000 { guarded.lock.withLock { guarded.number += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(guarded.number == 80_000)
  }

  @Test func `Whoever sleeps for a lock is woken`() {
    let guarded = Guarded()
    let threads = (0..<8).map { _ in TestThread { guarded.addSlowly() } }
    for thread in threads { thread.join() }
    #expect(guarded.number == 800)
  }

  @Test(.disabled(if: hasThreadSanitizer, "A child may inherit a lock of the sanitizer's."))
  func `A lock and a condition work in a child of a fork, whoever slept by them in the parent`() {
    let guarded = Guarded()
    let condition = Condition(of: guarded.lock)
    let waiting = Counter()
    var threads = [
      TestThread {
        guarded.lock.withLock {
          waiting.add()
          while guarded.number == 0 { condition.wait() }
        }
      }
    ]
    waiting.wait(for: 1)
    guarded.lock.lock()
    threads += (0..<2).map { _ in TestThread { guarded.lock.withLock { guarded.number += 1 } } }
    // Time for them to go to sleep.
    usleep(20_000)
    let answer = inForkedChild {
      guarded.lock.unlock()
      condition.broadcast()
      let threads = (0..<3).map { _ in
        TestThread {
          guarded.addSlowly()
          condition.signal()
        }
      }
      guarded.lock.withLock {
        while guarded.number < 300 { condition.wait() }
      }
      for thread in threads { thread.join() }
      return 7
    }
    #expect(answer == 7)
    guarded.number = 1
    condition.broadcast()
    guarded.lock.unlock()
    for thread in threads { thread.join() }
    #expect(guarded.number == 3)
  }

  @Test func `A lock is given back when its body throws`() {
    struct Failure: Error {}
    let lock = Lock()
    #expect(throws: Failure.self) { try lock.withLock { throw Failure() } }
    #expect(lock.withLock { 1 } == 1)
  }

  @Test func `A wait until a time that has passed ends, and says so`() {
    let lock = Lock()
    let condition = Condition(of: lock)
    #expect(!lock.withLock { condition.wait(until: 0) })
    #expect(!lock.withLock { condition.wait(until: MonotonicClock.now) })
    let end = MonotonicClock.now(plus: 2_000_000)
    while lock.withLock({ condition.wait(until: end) }) {}
    #expect(MonotonicClock.now >= end)
  }

  @Test func `A signal wakes a waiter that would wait for centuries`() {
    let guarded = Guarded()
    let condition = Condition(of: guarded.lock)
    let thread = TestThread {
      guarded.lock.withLock {
        while guarded.number == 0 { _ = condition.wait(until: .max) }
        guarded.number = 2
      }
    }
    guarded.lock.withLock {
      guarded.number = 1
      condition.signal()
    }
    thread.join()
    #expect(guarded.number == 2)
  }

  @Test func `A broadcast wakes all waiters`() {
    let guarded = Guarded()
    let condition = Condition(of: guarded.lock)
    let waiting = Counter()
    let threads = (0..<8).map { _ in
      TestThread {
        guarded.lock.withLock {
          waiting.add()
          while guarded.number == 0 { condition.wait() }
        }
      }
    }
    waiting.wait(for: 8)
    guarded.lock.withLock {
      guarded.number = 1
      condition.broadcast()
    }
    for thread in threads { thread.join() }
  }

  @Test func `A delay that goes beyond the end of time ends there`() {
    #expect(MonotonicClock.now(plus: .max) == .max)
  }
}
