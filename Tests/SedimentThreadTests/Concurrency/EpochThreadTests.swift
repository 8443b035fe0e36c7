import Sediment
import SedimentSupport
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How many more slots threads of other tests may take meanwhile.
private let slotsOfOthers = 64

@Suite(.serialized) struct EpochThreadTests {
  @Test func `Ten thousand threads one after another share a few slots`() {
    let domain = ReaderDomain.make()
    let before = Readers.slotCount
    for _ in 0..<10_000 {
      TestThread.run { Readers.reading(domain) {} }
    }
    #expect(Readers.slotCount - before < slotsOfOthers)
    #expect(becomesPast(Readers.advance(), in: domain))
  }

  @Test func `Threads that read at one time have a slot each`() {
    let domain = ReaderDomain.make()
    let inside = Counter()
    let mayLeave = Counter()
    let threads = (0..<100).map { _ in
      TestThread {
        Readers.reading(domain) {
          inside.add()
          mayLeave.wait(for: 1)
        }
      }
    }
    inside.wait(for: 100)
    #expect(Readers.slotCount >= 100)
    let tag = Readers.advance()
    #expect(!Readers.isPast(tag, in: domain))
    mayLeave.add()
    for thread in threads { thread.join() }
    #expect(becomesPast(tag, in: domain))
  }

  @Test func `A thread that ends within a scope holds nothing`() {
    let domain = ReaderDomain.make()
    let tag = Readers.advance()
    TestThread.run {
      Readers.enter(domain)
      Readers.enter(domain)
    }
    #expect(becomesPast(tag + 1, in: domain))
    // Perhaps in the slot of that one.
    let depth = Counter()
    TestThread.run { depth.add(Readers.depth + Readers.reading(domain) { Readers.depth }) }
    #expect(depth.value == 1)
  }

  @Test func `A thread may read in its destructors, after its slot was given back`() throws {
    var key = pthread_key_t()
    // Made after the key of the readers, which were used before, so that its destructor comes later.
    Readers.reading(ReaderDomain.make()) {}
    let error = unsafe pthread_key_create(
      &key,
      { _ in
        Readers.reading(destructorDomain) {
          let tag = Readers.advance()
          if !Readers.isPast(tag, in: destructorDomain) { destructorsThatRead.add() }
        }
      })
    try #require(error == 0)
    let before = Readers.slotCount
    for _ in 0..<1000 {
      TestThread.run { [key] in
        Readers.reading(destructorDomain) {}
        // Any value but null makes the destructor run.
        _ = unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
      }
    }
    #expect(destructorsThatRead.value == 1000)
    #expect(Readers.slotCount - before < slotsOfOthers)
    #expect(becomesPast(Readers.advance(), in: destructorDomain))
    pthread_key_delete(key)
  }

  @Test func `A slot that was given back is not used again without being claimed`() throws {
    var key = pthread_key_t()
    Readers.reading(ReaderDomain.make()) {}
    let error = unsafe pthread_key_create(
      &key,
      { _ in
        Readers.enter(destructorDomain)
        let tag = Readers.advance()
        // So many that they take every free slot, and would take this one too if it were free.
        let inside = Counter()
        let mayLeave = Counter()
        let count = Readers.slotCount
        let threads = (0..<count).map { _ in
          TestThread {
            Readers.reading(ReaderDomain.make()) {
              inside.add()
              mayLeave.wait(for: 1)
            }
          }
        }
        inside.wait(for: count)
        if !Readers.isPast(tag, in: destructorDomain) { scopesThatHeld.add() }
        mayLeave.add()
        for thread in threads { thread.join() }
        if !Readers.isPast(tag, in: destructorDomain) { scopesThatHeld.add() }
        Readers.leave()
      })
    try #require(error == 0)
    TestThread.run { [key] in
      Readers.reading(destructorDomain) {}
      _ = unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
    }
    #expect(scopesThatHeld.value == 2)
    pthread_key_delete(key)
  }
}

private let scopesThatHeld = Counter()
private let destructorDomain = ReaderDomain.make()
private let destructorsThatRead = Counter()
