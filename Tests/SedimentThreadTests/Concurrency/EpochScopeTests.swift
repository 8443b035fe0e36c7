import Sediment
import SedimentSupport
import Testing

/// Whether it is past now, or becomes so once readers of other tests have left; they may hold all domains.
func becomesPast(_ tag: UInt64, in domain: ReaderDomain) -> Bool {
  eventually { Readers.isPast(tag, in: domain) }
}

@Suite struct EpochScopeTests {
  private let domain = ReaderDomain.make()
  private let other = ReaderDomain.make()

  @Test func `Without a reader everything is past at once`() {
    #expect(becomesPast(Readers.advance(), in: domain))
  }

  @Test func `Tags rise`() {
    let first = Readers.advance()
    #expect(Readers.advance() > first)
  }

  @Test func `What was unlinked while a reader is inside is past only when it has left`() {
    Readers.enter(domain)
    let tag = Readers.advance()
    #expect(!Readers.isPast(tag, in: domain))
    Readers.leave()
    #expect(becomesPast(tag, in: domain))
  }

  @Test func `What was unlinked before a reader came is past while it is inside`() {
    let before = Readers.advance()
    Readers.enter(domain)
    let after = Readers.advance()
    #expect(becomesPast(before, in: domain))
    #expect(!Readers.isPast(after, in: domain))
    Readers.leave()
  }

  @Test func `A reader of one store holds nothing of another`() {
    Readers.enter(domain)
    let tag = Readers.advance()
    #expect(becomesPast(tag, in: other))
    #expect(!Readers.isPast(tag, in: domain))
    Readers.leave()
  }

  @Test func `A scope within a scope keeps the outer one's epoch, until the outer one ends`() {
    Readers.enter(domain)
    let tag = Readers.advance()
    Readers.enter(domain)
    #expect(Readers.depth == 2)
    #expect(!Readers.isPast(tag, in: domain))
    Readers.leave()
    #expect(Readers.depth == 1)
    #expect(!Readers.isPast(tag, in: domain))
    Readers.leave()
    #expect(Readers.depth == 0)
    #expect(becomesPast(tag, in: domain))
  }

  @Test func `A scope of another store within a scope holds things of both, and ends by itself`() {
    let third = ReaderDomain.make()
    Readers.enter(domain)
    let tag = Readers.advance()
    #expect(becomesPast(tag, in: other))
    Readers.enter(other)
    // It has an epoch of its own: what was unlinked before it began it does not hold.
    #expect(becomesPast(tag, in: other))
    let later = Readers.advance()
    for held in [domain, other] { #expect(!Readers.isPast(later, in: held)) }
    #expect(becomesPast(later, in: third))
    // Deeper ones of the same stores change nothing.
    Readers.enter(other)
    Readers.enter(domain)
    Readers.leave()
    Readers.leave()
    for held in [domain, other] { #expect(!Readers.isPast(later, in: held)) }
    Readers.leave()
    #expect(becomesPast(later, in: other))
    #expect(!Readers.isPast(tag, in: domain))
    Readers.leave()
    #expect(becomesPast(later, in: domain))
  }

  @Test func `A thread in scopes of many stores holds things of all, until the first scope ends`() {
    let domains = (0..<8).map { _ in ReaderDomain.make() }
    for domain in domains { Readers.enter(domain) }
    let tag = Readers.advance()
    for held in domains + [other] { #expect(!Readers.isPast(tag, in: held)) }
    for _ in domains.dropFirst() { Readers.leave() }
    for held in domains + [other] { #expect(!Readers.isPast(tag, in: held)) }
    Readers.leave()
    for held in domains + [other] { #expect(becomesPast(tag, in: held)) }
  }

  @Test func `What is to be done outside is done when the last scope ends, in its order`() {
    var done: [Int] = []
    Readers.whenOutside { done.append(0) }
    #expect(done == [0])
    Readers.enter(domain)
    Readers.enter(other)
    let tag = Readers.advance()
    Readers.whenOutside {
      #expect(Readers.depth == 0)
      Readers.waitUntilPast(tag, in: domain)
      done.append(1)
    }
    Readers.leave()
    #expect(Readers.depth == 1)
    Readers.whenOutside { Readers.reading(domain) { done.append(2) } }
    #expect(done == [0])
    Readers.enter(domain)
    Readers.leave()
    #expect(done == [0])
    Readers.leave()
    #expect(done == [0, 1, 2])
    Readers.reading(domain) { #expect(Readers.depth == 1) }
    #expect(done == [0, 1, 2])
  }

  @Test func `The next scope is of its own store alone`() {
    Readers.enter(domain)
    Readers.enter(other)
    Readers.leave()
    Readers.leave()
    Readers.enter(other)
    let tag = Readers.advance()
    #expect(becomesPast(tag, in: domain))
    #expect(!Readers.isPast(tag, in: other))
    Readers.leave()
  }

  @Test func `A reader of all stores holds things of every one`() {
    Readers.reading(.all) {
      let tag = Readers.advance()
      #expect(!Readers.isPast(tag, in: domain))
      Readers.enter(other)
      Readers.leave()
      #expect(!Readers.isPast(tag, in: domain))
      #expect(!Readers.isPast(tag, in: .all))
    }
  }

  @Test func `A reader on another thread is seen`() {
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
    mayLeave.add()
    thread.join()
    #expect(becomesPast(tag, in: domain))
  }

  @Test func `A scope ends when its body throws`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try Readers.reading(domain) { throw Failure() }
    }
    #expect(Readers.depth == 0)
  }

  @Test func `Stores have domains of their own`() {
    let domains = (0..<1000).map { _ in ReaderDomain.make() }
    #expect(Set(domains).count == 1000)
    #expect(!domains.contains(.all))
  }

  @Test func `Leaving without having entered traps`() async {
    await #expect(processExitsWith: .failure) {
      Readers.leave()
    }
  }
}
