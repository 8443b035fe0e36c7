import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Random moves of slots, compared with what is known of each slot.
struct SpaceStateTests {
  private enum Slot: Equatable {
    case head, free, bare, taken, used, freed, losingMagic, toErase
  }

  /// The state, and the model that it is compared with.
  private struct Trial: ~Copyable {
    let returned = ReturnedSlots()
    var space: SpaceState
    var slots: [Slot]
    var reservation: Reservation
    /// The runs in the reservation.
    var taken: [SlotRun] = []
    /// Those that have come back to where the state has not looked yet.
    var posted: [(run: SlotRun, hasBlocks: Bool)] = []
    var used: [SegmentIdentity] = []
    var freed: [(segment: SegmentIdentity, sequence: UInt64)] = []
    var magic: [FreedRun] = []
    var pinned: [Generation: Int] = [:]
    var generation: UInt64 = 1
    var sequence: UInt64 = 0
    var reclaimed: UInt64 = 0
    var erasers = 0
    var generator: SeededGenerator

    init(seed: UInt64) {
      generator = SeededGenerator(seed: seed)
      let end = UInt32.random(in: 8...40, using: &generator)
      var unused = SlotSpace(end: end)
      slots = Array(repeating: .head, count: Int(Limits.headSlotCount))
      slots += Array(repeating: .bare, count: Int(end - Limits.headSlotCount))
      unused.giveBare(Limits.headSlotCount..<end)
      space = SpaceState(unused, slotCountMax: 60, freshSlot: 0, returned)
      reservation = Reservation(returned)
    }

    mutating func set(_ run: SlotRun, _ state: Slot) {
      for slot in run.first..<run.end { slots[Int(slot)] = state }
    }

    /// What `reclaimReturned` is to do.
    mutating func collect() {
      for (run, hasBlocks) in posted { set(run, !hasBlocks ? .bare : erasers > 0 ? .toErase : .free) }
      posted = []
    }

    mutating func end() {
      let hasBlocks = reservation.hasBlocks
      reservation = Reservation(returned)
      posted += taken.map { ($0, hasBlocks) }
      taken = []
    }

    // MARK: Moves

    mutating func step() {
      switch Int.random(in: 0..<16, using: &generator) {
      case 0:
        let count = min(UInt32.random(in: 1...8, using: &generator), space.slotCountLeft)
        space.extend(by: count)
        slots += Array(repeating: .free, count: Int(count))
      case 1:
        let bare = space.bareRuns.randomElement(using: &generator)
        if let bare {
          space.noteBlocks(in: bare)
          for slot in bare { slots[Int(slot)] = .free }
        }
      case 2, 3, 4:
        if let run = space.take(UInt32.random(in: 1...4, using: &generator), for: .goingOn, &reservation) {
          take(run, of: .free)
        }
      case 5:
        if let run = space.takeLast(UInt32.random(in: 1...4, using: &generator), &reservation) {
          take(run, of: .free)
        }
      case 6 where taken.isEmpty:
        if let run = space.takeLastBare(3, before: .max, &reservation) { take(run, of: .bare) }
        end()
      case 7, 8:
        guard let run = taken.randomElement(using: &generator) else { return }
        space.adopt(run, from: &reservation)
        taken.removeAll { $0 == run }
        set(run, .used)
        used.append(
          SegmentIdentity(run: run, kind: .hot, generation: Generation(generation)!, salt: generation))
        generation += 1
      case 9 where Bool.random(using: &generator):
        space.reclaim(clean: &reservation)
        for run in taken { set(run, .free) }
        taken = []
      case 9: end()
      case 10:
        guard let segment = used.randomElement(using: &generator) else { return }
        sequence += 1
        space.free([segment], by: sequence, tag: sequence)
        used.removeAll { $0 == segment }
        freed.append((segment, sequence))
        set(segment.run, .freed)
      case 11: reclaim()
      case 12:
        space.reclaim(magic)
        for run in magic {
          set(run.run, run.isBare ? .bare : .free)
          reclaimed += UInt64(run.run.count)
        }
        magic = []
      case 13:
        guard let generation = (used + freed.map(\.segment)).randomElement(using: &generator)?.generation
        else { return }
        if Bool.random(using: &generator) {
          space.pin([generation])
          pinned[generation, default: 0] += 1
        } else {
          space.unpin([generation])
          if let count = pinned[generation] { pinned[generation] = count > 1 ? count - 1 : nil }
        }
      case 14: erase()
      default:
        space.reclaimReturned()
        collect()
      }
    }

    private mutating func take(_ run: SlotRun, of state: Slot) {
      for slot in run.first..<run.end { #expect(slots[Int(slot)] == state) }
      taken.append(run)
      set(run, .taken)
    }

    /// Takes out what is synced, past the readers and in no backup.
    private mutating func reclaim() {
      let synced = UInt64.random(in: 0...sequence, using: &generator)
      let oldest = UInt64.random(in: 0...sequence + 1, using: &generator)
      let held = freed.randomElement(using: &generator).map { [UInt64($0.segment.run.first)] } ?? []
      var released = space.takeReclaimable(syncedSequence: synced, oldestEpoch: oldest, heldSlots: held)
      let expected = freed.filter {
        $0.sequence <= min(synced, oldest &- 1) && oldest > 0 && pinned[$0.segment.generation] == nil
          && held != [UInt64($0.segment.run.first)]
      }
      #expect(released.map(\.generation) == expected.map(\.segment.generation))
      freed.removeAll { row in expected.contains { $0.segment == row.segment } }
      for place in released.indices {
        set(released[place].run, .losingMagic)
        released[place].isBare = Bool.random(using: &generator)
      }
      magic += released
    }

    private mutating func erase() {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0:
        space.beginErasing()
        collect()
        erasers += 1
      case 1 where erasers > 0:
        space.endErasing()
        erasers -= 1
        if erasers == 0 { slots = slots.map { $0 == .toErase ? .free : $0 } }
      default:
        var erased = Reservation(returned)
        let run = space.takeRunToErase(&erased)
        collect()
        #expect((run != nil) == slots.contains(.toErase))
        guard let run else { return }
        for slot in run.first..<run.end { #expect(slots[Int(slot)] == .toErase) }
        if Bool.random(using: &generator) {
          erased.hasBlocks = Bool.random(using: &generator)
          set(run, erased.hasBlocks ? .free : .bare)
          space.reclaim(clean: &erased)
        } else {
          // It has failed, and somebody has to do it again.
          set(run, .taken)
          posted.append((run, true))
        }
      }
    }

    // MARK: Comparing

    func count(_ states: Slot...) -> Int { slots.count { states.contains($0) } }

    func runs(of state: Slot) -> Set<UInt32> {
      Set(slots.indices.filter { slots[$0] == state }.map { UInt32($0) })
    }

    func compare() {
      #expect(Set(space.freeRuns.joined()) == runs(of: .free))
      #expect(Set(space.bareRuns.joined()) == runs(of: .bare))
      #expect(Int(space.takenSlotCount) == count(.taken, .toErase))
      #expect(Int(space.freedSlotCount) == count(.freed, .losingMagic))
      #expect(Set(space.freedRuns.map(\.generation)) == Set(freed.map(\.segment.generation)))
      let inBackups = freed.filter { pinned[$0.segment.generation] != nil }
      #expect(space.freedSlotCountInBackups == inBackups.reduce(0) { $0 + $1.segment.run.count })
      #expect(space.reclaimedSlotCount == reclaimed)
      #expect(Int(space.end) == slots.count)
      #expect(Int(space.usedSlotCount) == slots.count - count(.free, .bare))
      #expect(space.isErasing == (erasers > 0))
      #expect(space.hasRunsToErase == slots.contains(.toErase))
    }
  }

  @Test func `Each slot is where the moves have brought it`() {
    for seed in UInt64(0)..<200 {
      var trial = Trial(seed: seed)
      for _ in 0..<300 {
        trial.step()
        trial.compare()
      }
    }
  }

  @Test func `The slots of a reservation come back whenever it ends`() {
    let returned = ReturnedSlots()
    var unused = SlotSpace(end: 10)
    unused.giveBare(Limits.headSlotCount..<10)
    var space = SpaceState(unused, slotCountMax: 10, freshSlot: 0, returned)
    space.noteBlocks(in: Limits.headSlotCount..<10)
    let count = space.freeCount
    do {
      var reservation = Reservation(returned)
      #expect(space.take(3, for: .goingOn, &reservation)?.count == 3)
      var other = Reservation(returned)
      #expect(space.take(2, for: .goingOn, &other)?.count == 2)
      reservation.add(&other)
      #expect(space.takenSlotCount == 5)
    }
    space.reclaimReturned()
    #expect((space.freeCount, space.takenSlotCount) == (count, 0))
  }
}
