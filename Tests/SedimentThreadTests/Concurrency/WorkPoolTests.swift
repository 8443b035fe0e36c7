import Sediment
import SedimentSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite struct WorkPoolTests {
  private static let hour: UInt64 = 3_600_000_000_000

  /// A pool of as many threads as places, which jobs keep until they end.
  private func pool(_ count: Int, idle: UInt64 = 1_000_000_000) -> WorkPool {
    WorkPool(placeCount: count, placeNanoseconds: .max, threadCountMax: count, idleNanoseconds: idle)
  }

  @Test func `Every job runs once for each time it is scheduled and waited for`() {
    let pool = pool(4)
    let ran = Counter()
    let works = (0..<1000).map { _ in Work { ran.add() } }
    for work in works { pool.schedule(work, after: 0) }
    ran.wait(for: 1000)
    for work in works { pool.schedule(work, after: 0) }
    ran.wait(for: 2000)
    for work in works { work.cancelAndWait() }
    #expect(ran.value == 2000)
    #expect(pool.waitingCount == 0)
  }

  @Test func `A job that waits keeps the earlier time`() {
    let pool = pool(1)
    let ran = Counter()
    let later = Work { ran.add() }
    pool.schedule(later, after: Self.hour)
    pool.schedule(later, after: 0)
    ran.wait(for: 1)
    // The only thread is taken until both times are given: a job that has begun could be scheduled anew.
    let gate = Counter()
    let first = Work { gate.wait(for: 1) }
    pool.schedule(first, after: 0)
    #expect(eventually { pool.waitingCount == 0 })
    let earlier = Work { ran.add() }
    pool.schedule(earlier, after: 0)
    pool.schedule(earlier, after: Self.hour)
    gate.add()
    ran.wait(for: 2)
    #expect(pool.waitingCount == 0)
  }

  @Test func `A thread that sleeps until a late job wakes up for an earlier one`() {
    let pool = pool(1)
    let ran = Counter()
    let late = Work { ran.add(100) }
    let early = Work { ran.add() }
    pool.schedule(late, after: Self.hour)
    #expect(eventually { pool.threadCount == 1 })
    pool.schedule(early, after: 1000)
    ran.wait(for: 1)
    #expect(pool.waitingCount == 1)
    late.cancelAndWait()
    #expect(pool.waitingCount == 0)
    #expect(ran.value == 1)
  }

  @Test func `Jobs of one thread run in the order of their times`() {
    let pool = pool(1)
    let order = Order()
    let gate = Counter()
    let first = Work { gate.wait(for: 1) }
    pool.schedule(first, after: 0)
    let works = (0..<5).map { number in Work { order.note(number) } }
    for (number, delay) in [(0, 3), (1, 1), (2, 2), (3, 0), (4, 4)] {
      pool.schedule(works[number], after: UInt64(delay) * 50_000_000)
    }
    gate.add()
    #expect(eventually { order.numbers.count == 5 })
    #expect(order.numbers == [3, 1, 2, 0, 4])
  }

  @Test func `A job never runs on two threads at once`() {
    let pool = pool(4)
    let inside = Counter()
    let together = Counter()
    let ran = Counter()
    let work = Work {
      inside.add()
      if inside.value != 1 { together.add() }
      inside.add(-1)
      ran.add()
    }
    let threads = (0..<4).map { _ in
      TestThread {
        for _ in 0..<2000 { pool.schedule(work, after: 0) }
      }
    }
    for thread in threads { thread.join() }
    ran.wait(for: 1)
    work.cancelAndWait()
    #expect(together.value == 0)
  }

  @Test func `A job that is scheduled while it runs runs once more afterwards`() {
    let pool = pool(4)
    let entered = Counter()
    let mayEnd = Counter()
    let work = Work {
      entered.add()
      mayEnd.wait(for: entered.value)
    }
    pool.schedule(work, after: 0)
    entered.wait(for: 1)
    for _ in 0..<5 { pool.schedule(work, after: 0) }
    pool.schedule(work, after: Self.hour)
    #expect(pool.waitingCount == 0)
    mayEnd.add()
    entered.wait(for: 2)
    mayEnd.add()
    work.cancelAndWait()
    #expect(entered.value == 2)
  }

  @Test func `A job that blocks leaves the other threads to the others`() {
    let pool = pool(4)
    let mayEnd = Counter()
    let ran = Counter()
    let blocking = (0..<3).map { _ in
      Work {
        mayEnd.wait(for: 1)
        ran.add()
      }
    }
    let quick = (0..<100).map { _ in Work { ran.add() } }
    for work in blocking + quick { pool.schedule(work, after: 0) }
    ran.wait(for: 100)
    #expect(ran.value == 100)
    #expect(pool.threadCount == 4)
    mayEnd.add()
    ran.wait(for: 103)
  }

  @Test func `Jobs that block for longer than they keep a place keep no other job waiting`() {
    let pool = WorkPool(
      placeCount: 2, placeNanoseconds: 1_000_000, threadCountMax: 9, idleNanoseconds: 1_000_000_000)
    let mayEnd = Counter()
    let entered = Counter()
    let ran = Counter()
    let blocking = (0..<8).map { _ in
      Work {
        entered.add()
        mayEnd.wait(for: 1)
        ran.add()
      }
    }
    for work in blocking { pool.schedule(work, after: 0) }
    entered.wait(for: 8)
    let quick = (0..<100).map { _ in Work { ran.add() } }
    for work in quick { pool.schedule(work, after: 0) }
    ran.wait(for: 100)
    #expect(ran.value == 100)
    #expect(pool.threadCount == 9)
    mayEnd.add()
    ran.wait(for: 108)
  }

  @Test func `No more jobs run at once than there are places while jobs keep theirs`() {
    let pool = WorkPool(
      placeCount: 2, placeNanoseconds: .max, threadCountMax: 9, idleNanoseconds: 1_000_000_000)
    let inside = Counter()
    let tooMany = Counter()
    let ran = Counter()
    let works = (0..<200).map { _ in
      Work {
        inside.add()
        if inside.value > 2 { tooMany.add() }
        inside.add(-1)
        ran.add()
      }
    }
    for work in works { pool.schedule(work, after: 0) }
    ran.wait(for: 200)
    #expect(tooMany.value == 0)
  }

  @Test
  func
    `A job begins once it is due and a place is free, or once it has been due for as long as a place is kept`()
  {
    var places = WorkPlaces(count: 2, nanoseconds: 100)
    #expect(places.timeToBegin(jobDueAt: 7) == 7)
    places.begin(at: 10)
    #expect(places.timeToBegin(jobDueAt: 7) == 7)
    places.begin(at: 50)
    // The first job keeps its place until 110.
    #expect(places.timeToBegin(jobDueAt: 7) == 107)
    #expect(places.timeToBegin(jobDueAt: 20) == 110)
    #expect(places.timeToBegin(jobDueAt: 200) == 200)
    places.begin(at: 110)
    #expect(places.timeToBegin(jobDueAt: 200) == 200)
    #expect(places.timeToBegin(jobDueAt: 60) == 150)
    #expect(places.timeToBegin(jobDueAt: .max) == .max)
    // The end of a job whose place is another's by now frees none.
    var (mayFreePlace, isOneFree) = (places.end(begunAt: 10), false)
    #expect(mayFreePlace)
    #expect(places.timeToBegin(jobDueAt: 60) == 150)
    mayFreePlace = places.end(begunAt: 110)
    #expect(mayFreePlace)
    #expect(places.timeToBegin(jobDueAt: 60) == 60)
    isOneFree = !places.end(begunAt: 50)
    #expect(isOneFree)
  }

  @Test func `There are never more threads than there may be`() {
    let pool = pool(3)
    let ran = Counter()
    let most = Counter()
    let works = (0..<200).map { _ in
      Work {
        if pool.threadCount > 3 { most.add() }
        ran.add()
      }
    }
    for work in works { pool.schedule(work, after: 0) }
    ran.wait(for: 200)
    #expect(most.value == 0)
  }

  @Test func `Threads end when they have been idle, and come back for the next job`() {
    let pool = pool(4, idle: 1_000_000)
    let ran = Counter()
    let works = (0..<4).map { _ in Work { ran.add() } }
    for round in 1...20 {
      for work in works { pool.schedule(work, after: 0) }
      ran.wait(for: 4 * round)
      #expect(eventually { pool.threadCount == 0 })
    }
  }

  @Test func `No thread sleeps for a job that was cancelled`() {
    for _ in 0..<20 {
      let pool = pool(1, idle: 1_000_000)
      let ran = Counter()
      let late = Work {}
      let soon = Work { ran.add() }
      pool.schedule(late, after: Self.hour)
      pool.schedule(soon, after: 0)
      ran.wait(for: 1)
      // So that the thread is likely to sleep until the late one; if it does not, this proves nothing.
      usleep(2000)
      late.cancelAndWait()
      #expect(eventually { pool.threadCount == 0 })
    }
  }

  @Test func `A thread of the pool takes the signals of its own faults and of profilers, and no others`() {
    var before = sigset_t()
    var all = sigset_t()
    _ = unsafe sigfillset(&all)
    // What the thread that starts it blocks does not matter.
    _ = unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let pool = pool(1)
    let ran = Counter()
    let wrong = Counter()
    let work = Work {
      var blocked = sigset_t()
      _ = unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
      for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGPROF]
      where unsafe sigismember(&blocked, number) != 0 { wrong.add() }
      for number in [SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGUSR1, SIGCHLD]
      where unsafe sigismember(&blocked, number) != 1 { wrong.add() }
      ran.add()
    }
    pool.schedule(work, after: 0)
    ran.wait(for: 1)
    work.cancelAndWait()
    #expect(wrong.value == 0)
  }

  @Test func `The pool of the process runs jobs`() {
    let ran = Counter()
    let work = Work { ran.add() }
    WorkPool.shared.schedule(work, after: 0)
    ran.wait(for: 1)
    work.cancelAndWait()
  }
}

/// Notes the order in which things happened.
final class Order: @unchecked Sendable {
  // Sendable: `lock` guards the variable.
  private let lock = Lock()
  private var noted: [Int] = []

  var numbers: [Int] { lock.withLock { noted } }

  func note(_ number: Int) {
    lock.withLock { noted.append(number) }
  }
}
