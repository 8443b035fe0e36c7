import Sediment
import SedimentSupport
import Testing

@Suite struct WorkPoolCancellationTests {
  private static let hour: UInt64 = 3_600_000_000_000
  private let pool = WorkPool(
    placeCount: 4, placeNanoseconds: .max, threadCountMax: 4, idleNanoseconds: 1_000_000_000)

  @Test func `A job that was cancelled never runs again`() {
    let ran = Counter()
    let work = Work { ran.add() }
    pool.schedule(work, after: Self.hour)
    work.cancelAndWait()
    #expect(pool.waitingCount == 0)
    pool.schedule(work, after: 0)
    #expect(pool.waitingCount == 0)
    work.cancelAndWait()
    #expect(ran.value == 0)
  }

  @Test func `Cancelling waits until the job does not run`() {
    for _ in 0..<200 {
      let entered = Counter()
      let ended = Counter()
      let work = Work {
        entered.add()
        for _ in 0..<20 { _ = MonotonicClock.now }
        ended.add()
      }
      pool.schedule(work, after: 0)
      entered.wait(for: 1)
      pool.schedule(work, after: 0)
      work.cancelAndWait()
      #expect(entered.value == ended.value)
    }
  }

  @Test func `Several threads may cancel and wait at once`() {
    let entered = Counter()
    let mayEnd = Counter()
    let ended = Counter()
    let early = Counter()
    let work = Work {
      entered.add()
      mayEnd.wait(for: 1)
      ended.add()
    }
    pool.schedule(work, after: 0)
    entered.wait(for: 1)
    let begun = Counter()
    let threads = (0..<4).map { _ in
      TestThread {
        begun.add()
        work.cancelAndWait()
        if ended.value != 1 { early.add() }
      }
    }
    begun.wait(for: 4)
    mayEnd.add()
    for thread in threads { thread.join() }
    #expect(early.value == 0)
  }

  @Test func `A job may cancel itself, and then runs no more`() {
    let box = Box()
    let ran = Counter()
    let pool = pool
    let work = Work {
      ran.add()
      guard let work = box.work else { return }
      pool.schedule(work, after: 0)
      work.cancelAndWait()
      pool.schedule(work, after: 0)
      ran.add()
    }
    box.work = work
    pool.schedule(work, after: 0)
    ran.wait(for: 2)
    work.cancelAndWait()
    #expect(ran.value == 2)
    #expect(pool.waitingCount == 0)
  }

  @Test func `A job may cancel another one`() {
    let ran = Counter()
    let other = Work { ran.add(100) }
    pool.schedule(other, after: Self.hour)
    let work = Work {
      other.cancelAndWait()
      ran.add()
    }
    pool.schedule(work, after: 0)
    ran.wait(for: 1)
    #expect(pool.waitingCount == 0)
    work.cancelAndWait()
    #expect(ran.value == 1)
  }

  @Test func `A job and what it holds go away with the last reference, waiting, run or cancelled`() {
    weak var idle: Canary?
    weak var cancelled: Canary?
    weak var ran: Canary?
    let hasRun = Counter()
    do {
      let canaries = (0..<3).map { _ in Canary() }
      (idle, cancelled, ran) = (canaries[0], canaries[1], canaries[2])
      _ = Work { [canary = canaries[0]] in canary.touch() }
      let work = Work { [canary = canaries[1]] in canary.touch() }
      pool.schedule(work, after: Self.hour)
      work.cancelAndWait()
      pool.schedule(
        Work { [canary = canaries[2]] in
          canary.touch()
          hasRun.add()
        }, after: 0)
    }
    hasRun.wait(for: 1)
    #expect(idle == nil)
    #expect(cancelled == nil)
    #expect(eventually { ran == nil })
  }

  @Test func `A job that holds itself is let go when it is cancelled`() {
    weak var canary: Canary?
    do {
      let held = Canary()
      canary = held
      let box = Box()
      let work = Work {
        held.touch()
        box.touch()
      }
      box.work = work
      work.cancelAndWait()
    }
    #expect(canary == nil)
  }

  @Test func `Thousands of jobs scheduled and cancelled leave nothing behind`() {
    let works = (0..<5000).map { _ in Work {} }
    for (number, work) in works.enumerated() {
      pool.schedule(work, after: Self.hour + UInt64(number * 7919 % 5000))
    }
    #expect(pool.waitingCount == 5000)
    for work in works.reversed() { work.cancelAndWait() }
    #expect(pool.waitingCount == 0)
    let alive = Counter()
    for _ in 0..<10_000 {
      let canary = Canary(alive)
      let work = Work { canary.touch() }
      pool.schedule(work, after: Self.hour)
      work.cancelAndWait()
    }
    #expect(alive.value == 0)
  }

  @Test func `The end of what a job held may use the pool`() {
    let ended = Counter()
    let pool = pool
    for round in 0..<100 {
      let box = Box()
      let last = AtEnd { pool.schedule(Work { ended.add() }, after: 0) }
      let work = Work {
        withExtendedLifetime(last) {}
        // Drops what it holds as it ends.
        if round % 2 == 0 { box.work?.cancelAndWait() }
      }
      if round % 2 == 0 { box.work = work }
      pool.schedule(work, after: 0)
    }
    ended.wait(for: 100)
  }
}

/// Says whether it is alive.
private final class Canary: Sendable {
  private let alive: Counter?

  init(_ alive: Counter? = nil) {
    self.alive = alive
    alive?.add()
  }

  deinit { alive?.add(-1) }

  func touch() {}
}

private final class AtEnd: Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  deinit { action() }
}

private final class Box: @unchecked Sendable {
  // Sendable: set once, before the job that reads it is scheduled.
  var work: Work?

  func touch() {}
}
