import Sediment
import SedimentFormat
import SedimentSupport
import Testing

/// Holds on slots, for which a reader exchanges its scope before code of a user runs.
@Suite struct HoldTests {
  private let domain = ReaderDomain.make()
  private let other = ReaderDomain.make()

  /// Makes a hold as a reading does.
  private func hold(_ slot: UInt64?) {
    Readers.enter(domain)
    Readers.exchangeScope(domain, forHoldOn: slot)
  }

  /// Whether a tag is past, or becomes so once readers of other tests have left.
  private func becomesPast(_ tag: UInt64) -> Bool { eventually { Readers.isPast(tag, in: domain) } }

  @Test func `A hold names its slot, and holds nothing else`() {
    hold(5)
    #expect(becomesPast(Readers.advance()))
    #expect(Readers.heldSlots(in: domain) == [5])
    #expect(Readers.heldSlots(in: other) == [])
    #expect(Readers.isHolding(domain))
    #expect(!Readers.isHolding(other))
    #expect(!Readers.isInside(domain))
    #expect(Readers.depth == 0)
    #expect(!Readers.isOutside)
    Readers.letGo()
    #expect(Readers.heldSlots(in: domain) == [])
    #expect(!Readers.isHolding(domain))
    #expect(Readers.isOutside)
  }

  @Test func `Any number of holds within one another are seen, and end by themselves`() {
    let slots = 2..<40 as Range<UInt64>
    for slot in slots { hold(slot) }
    #expect(Readers.heldSlots(in: domain) == Array(slots))
    for slot in slots.reversed() {
      Readers.reading(domain) { #expect(Readers.depth == 1) }
      Readers.letGo()
      #expect(Readers.heldSlots(in: domain) == Array(slots.lowerBound..<slot))
    }
    #expect(Readers.isOutside)
  }

  @Test func `A hold on no slot is a hold all the same`() {
    hold(nil)
    #expect(Readers.heldSlots(in: domain) == [])
    #expect(Readers.isHolding(domain))
    let ends = HoldEnds(domain) {}
    #expect(ends.watchAll() == .onlyThisThread)
    Readers.letGo()
    #expect(ends.watchAll() == .none)
    #expect(ends.count == 1)
    ends.end()
  }

  @Test func `A pin looks at few slots for a free one, however many are kept`() async {
    // In a process of its own: slots are never given back to the system.
    await #expect(processExitsWith: .success) {
      let domain = ReaderDomain.make()
      func pin(_ slot: Int) -> Readers.Pin {
        Readers.reading(domain) { Readers.pin(domain, UInt64(slot + 1)) }
      }
      let count = 4_096
      var pins = (0..<count).map(pin)
      var pinCount = count
      for round in 0..<8 {
        let places = stride(from: round % 2, to: count, by: 2)
        for place in places { Readers.unpin(pins[place]) }
        for place in places { pins[place] = pin(place) }
        // Of two that are given back only one was the last.
        for place in places.dropLast() {
          for place in [place, place + 1] { Readers.unpin(pins[place]) }
          for place in [place, place + 1] { pins[place] = pin(place) }
        }
        pinCount += count / 2 + count
      }
      #expect(Readers.lookedSlotCount < 32 * pinCount)
      #expect(Readers.slotCount <= count * 17 / 16 + 64)
      #expect(Readers.heldSlots(in: domain) == (1...UInt64(count)).map(\.self))
      for pin in pins { Readers.unpin(pin) }
      #expect(Readers.heldSlots(in: domain) == [])
    }
  }

  @Test func `A pin is a hold of no thread, which ends on any other`() {
    Readers.enter(domain)
    let pin = Readers.pin(domain, 7)
    Readers.leave()
    #expect(Readers.isOutside)
    #expect(Readers.heldSlots(in: domain) == [7])
    let ends = HoldEnds(domain) {}
    #expect(ends.watchAll() == .others)
    TestThread.run { Readers.unpin(pin) }
    #expect(Readers.heldSlots(in: domain) == [])
    #expect(ends.count == 1)
    ends.end()
  }

  @Test func `The end of a watched hold is told once, and that of any other is not`() throws {
    let told = Counter()
    let ends = HoldEnds(domain) { told.add() }
    let run = try #require(SlotRun(first: 10, count: 4))
    for (slot, isWatched) in [(9, false), (10, true), (13, true), (14, false)] as [(UInt64, Bool)] {
      hold(slot)
      let before = ends.count
      #expect(ends.watch(run) == (isWatched ? .onlyThisThread : .none))
      Readers.letGo()
      #expect(ends.count == before + (isWatched ? 1 : 0))
      hold(slot)
      Readers.letGo()
      #expect(ends.count == before + (isWatched ? 1 : 0))
    }
    // One that has no place in the thread's own slot.
    for slot in 2..<12 as Range<UInt64> { hold(slot) }
    #expect(ends.watch(run) == .onlyThisThread)
    for _ in 2..<12 { Readers.letGo() }
    #expect(ends.count == 4)
    #expect(told.value == 4)
    ends.end()
  }

  @Test func `A thread that waits for a hold sleeps until it ends`() throws {
    let ends = HoldEnds(domain) {}
    let inside = Counter()
    let mayLeave = Counter()
    let reader = TestThread { [domain] in
      Readers.enter(domain)
      Readers.exchangeScope(domain, forHoldOn: 3)
      inside.add()
      mayLeave.wait(for: 1)
      Readers.letGo()
    }
    inside.wait(for: 1)
    #expect(ends.watch(try #require(SlotRun(first: 3, count: 1))) == .others)
    #expect(!ends.wait(beyond: 0, until: MonotonicClock.now))
    mayLeave.add()
    #expect(ends.wait(beyond: 0, until: .max))
    ends.waitUntilNoneIsHeld()
    reader.join()
    ends.end()
  }

  @Test func `What is to be done outside is done when the last hold and the last scope have ended`() {
    var done: [Int] = []
    hold(2)
    Readers.whenOutside { done.append(0) }
    hold(3)
    Readers.reading(domain) { Readers.whenOutside { done.append(1) } }
    Readers.letGo()
    #expect(done == [])
    Readers.letGo()
    #expect(done == [0, 1])
    // The hold ends within a scope.
    Readers.enter(domain)
    Readers.enter(domain)
    Readers.exchangeScope(domain, forHoldOn: 4)
    Readers.whenOutside { done.append(2) }
    Readers.letGo()
    #expect(done == [0, 1])
    Readers.leave()
    #expect(done == [0, 1, 2])
    hold(5)
    Readers.letGo()
    #expect(done == [0, 1, 2])
  }
}
