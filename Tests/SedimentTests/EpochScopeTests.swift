import Sediment
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

  @Test func `A scope of another store within a scope holds things of both, and then all`() {
    let third = ReaderDomain.make()
    Readers.enter(domain)
    let tag = Readers.advance()
    #expect(becomesPast(tag, in: other))
    Readers.enter(other)
    for held in [domain, other, third] { #expect(!Readers.isPast(tag, in: held)) }
    // The inner scope's end gives nothing back, because the outer one cannot tell what it saw.
    Readers.leave()
    for held in [domain, other, third] { #expect(!Readers.isPast(tag, in: held)) }
    Readers.leave()
    for held in [domain, other, third] { #expect(becomesPast(tag, in: held)) }
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
