import Sediment
import SedimentSupport
import Testing

@Suite(.serialized) struct ConcurrencyForkTests {
  private let domain = ReaderDomain.make()

  @Test func `A child sees the fork, and the parent does not`() {
    let before = Forks.count
    #expect(inForkedChild { Forks.count == before + 1 ? 7 : 0 } == 7)
    #expect(Forks.count == before)
  }

  @Test func `A child of a child sees both forks`() {
    let before = Forks.count
    #expect(inForkedChild { inForkedChild { Forks.count == before + 2 ? 7 : 0 } ?? 1 } == 7)
  }

  @Test func `The readers of the parent's other threads hold nothing in the child`() {
    let domain = domain
    let inside = Counter()
    let mayLeave = Counter()
    let thread = TestThread {
      Readers.reading(domain) {
        inside.add()
        mayLeave.wait(for: 1)
      }
    }
    inside.wait(for: 1)
    let tag = Readers.advance()
    #expect(!Readers.isPast(tag, in: domain))
    #expect(inForkedChild { Readers.isPast(tag, in: domain) ? 7 : 0 } == 7)
    #expect(!Readers.isPast(tag, in: domain))
    mayLeave.add()
    thread.join()
  }

  @Test func `The thread that forks keeps its scopes`() {
    Readers.enter(domain)
    let tag = Readers.advance()
    #expect(
      inForkedChild {
        guard Readers.depth == 1, !Readers.isPast(tag, in: domain) else { return 0 }
        Readers.leave()
        return Readers.isPast(tag, in: domain) ? 7 : 1
      } == 7)
    #expect(!Readers.isPast(tag, in: domain))
    Readers.leave()
    #expect(becomesPast(tag, in: domain))
  }

  @Test func `A child can retire and collect`() {
    let list = RetiredList(of: domain)
    for _ in 0..<5 { list.retire {} }
    #expect(eventually { list.collect() == 5 })
    #expect(
      inForkedChild {
        for _ in 0..<5 { list.retire {} }
        return UInt8(list.collect())
      } == 5)
  }

  @Test(.disabled(if: hasThreadSanitizer, "The sanitizer lets a child start no threads."))
  func `In a child the pool starts over, without the parent's jobs`() {
    let pool = WorkPool(
      placeCount: 2, placeNanoseconds: .max, threadCountMax: 2, idleNanoseconds: 1_000_000_000)
    let ran = Counter()
    let warmUp = Work { ran.add() }
    pool.schedule(warmUp, after: 0)
    ran.wait(for: 1)
    let parents = Work { ran.add(100) }
    pool.schedule(parents, after: 3_600_000_000_000)
    #expect(pool.waitingCount == 1)
    #expect(
      inForkedChild {
        guard pool.waitingCount == 0, pool.threadCount == 0 else { return 0 }
        pool.schedule(parents, after: 0)
        guard pool.waitingCount == 0 else { return 1 }
        parents.cancelAndWait()
        let childs = Work { ran.add(10) }
        pool.schedule(childs, after: 0)
        ran.wait(for: 11)
        childs.cancelAndWait()
        return UInt8(ran.value)
      } == 11)
    #expect(pool.waitingCount == 1)
    #expect(ran.value == 1)
    parents.cancelAndWait()
  }

  @Test(.disabled(if: hasThreadSanitizer, "The sanitizer lets a child start no threads."))
  func `A fork while jobs are being scheduled and run leaves the child a pool that works`() {
    let pool = WorkPool(placeCount: 4, placeNanoseconds: .max, threadCountMax: 4, idleNanoseconds: 1_000_000)
    let hasEnded = Counter()
    let ran = Counter()
    let scheduler = TestThread {
      let works = (0..<8).map { _ in Work { ran.add() } }
      while hasEnded.value == 0 {
        for work in works { pool.schedule(work, after: 0) }
      }
      for work in works { work.cancelAndWait() }
    }
    for _ in 0..<20 {
      #expect(
        inForkedChild {
          // Nothing that the parent's threads may have had when they were copied.
          let ran = Counter()
          let work = Work { ran.add() }
          pool.schedule(work, after: 0)
          ran.wait(for: 1)
          work.cancelAndWait()
          return UInt8(ran.value)
        } == 1)
    }
    hasEnded.add()
    scheduler.join()
  }
}
