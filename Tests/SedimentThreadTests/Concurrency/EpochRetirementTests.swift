import Sediment
import SedimentSupport
import Testing

@Suite struct EpochRetirementTests {
  private let domain = ReaderDomain.make()
  private let list: RetiredList

  init() {
    list = RetiredList(of: domain)
  }

  @Test func `Nothing is freed before it is collected, and then all without a reader`() {
    let freed = Counter()
    for _ in 0..<8 { list.retire { freed.add() } }
    #expect(list.pendingCount == 8)
    #expect(freed.value == 0)
    #expect(eventually { list.collect() == 8 || list.pendingCount == 0 })
    #expect(list.pendingCount == 0)
    #expect(freed.value == 8)
    #expect(list.collect() == 0)
  }

  @Test func `A reader holds what is retired while it is inside, and not what was retired before`() {
    let freedBefore = Counter()
    let freedAfter = Counter()
    list.retire { freedBefore.add() }
    Readers.enter(domain)
    list.retire { freedAfter.add() }
    #expect(eventually { list.collect() == 1 })
    #expect(freedBefore.value == 1)
    #expect(list.collect() == 0)
    #expect(freedAfter.value == 0)
    Readers.leave()
    #expect(eventually { list.collect() == 1 })
    #expect(freedAfter.value == 1)
  }

  @Test func `Memory is freed and its bytes are counted`() {
    Readers.enter(domain)
    for _ in 0..<3 { unsafe list.retire(.allocate(byteCount: 100, alignment: 8), byteCount: 100) }
    list.retire(byteCount: 50) {}
    #expect(list.pendingByteCount == 350)
    #expect(list.pendingCount == 4)
    Readers.leave()
    #expect(eventually { list.collect() == 4 })
    #expect(list.pendingByteCount == 0)
  }

  @Test func `What is retired without end stays bounded without any call to collect`() {
    var most = 0
    for _ in 0..<10_000 {
      list.retire {}
      most = max(most, list.pendingCount)
    }
    // Readers of other tests may hold all domains for a moment, and what is left then doubles the next round.
    #expect(most < 5000)
    #expect(eventually { list.collect() > 0 || list.pendingCount == 0 })
  }

  @Test func `Many bytes are collected before there are many things`() {
    let freed = Counter()
    list.retire(byteCount: 64 << 10) { freed.add() }
    #expect(freed.value == 0)
    #expect(
      eventually {
        list.retire(byteCount: 64 << 10) { freed.add() }
        return list.pendingCount == 0
      })
  }

  @Test func `While a reader stays, collections become rarer instead of going over everything each time`() {
    Readers.enter(domain)
    for _ in 0..<100_000 { list.retire {} }
    #expect(list.pendingCount == 100_000)
    Readers.leave()
    #expect(eventually { list.collect() == 100_000 })
  }

  @Test func `An action may retire more`() {
    let freed = Counter()
    let list = list
    list.retire {
      for _ in 0..<20 { list.retire { freed.add() } }
    }
    #expect(
      eventually {
        list.collect()
        return freed.value == 20
      })
  }

  @Test func `A list that goes away frees everything, each thing once`() {
    let freed = Counter()
    do {
      let list = RetiredList(of: domain)
      Readers.enter(domain)
      for _ in 0..<100 { list.retire { freed.add() } }
      unsafe list.retire(.allocate(byteCount: 64, alignment: 64), byteCount: 64)
      #expect(freed.value == 0)
      Readers.leave()
    }
    #expect(freed.value == 100)
  }

  @Test func `Two threads may retire and collect at once, and each thing is freed once`() {
    let freed = Counter()
    let list = list
    let threads = (0..<2).map { _ in
      TestThread {
        for number in 0..<5000 {
          list.retire { freed.add() }
          if number % 100 == 0 { list.collect() }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(
      eventually {
        list.collect()
        return list.pendingCount == 0
      })
    #expect(freed.value == 10_000)
  }
}
