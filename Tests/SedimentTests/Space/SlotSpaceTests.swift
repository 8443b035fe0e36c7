import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

@Suite struct SlotSpaceTests {
  /// The same by what is known of each slot.
  private struct Model {
    enum State {
      case head, used, free, bare
    }
    var slots: [State]

    func runs(of state: State) -> [Range<UInt32>] {
      var runs: [Range<UInt32>] = []
      for (number, slot) in slots.enumerated() where slot == state {
        let slot = UInt32(number)
        if let last = runs.last, last.upperBound == slot {
          runs[runs.count - 1] = last.lowerBound..<slot + 1
        } else {
          runs.append(slot..<slot + 1)
        }
      }
      return runs
    }

    func count(_ state: State) -> Int { slots.count { $0 == state } }

    mutating func set(_ run: Range<UInt32>, _ state: State) {
      for slot in run { slots[Int(slot)] = state }
    }

    /// A run of slots that are in use, if there are any.
    func used(_ generator: inout SeededGenerator) -> Range<UInt32>? {
      guard let run = runs(of: .used).randomElement(using: &generator) else { return nil }
      let first = UInt32.random(in: run, using: &generator)
      return first..<UInt32.random(in: first + 1...run.upperBound, using: &generator)
    }
  }

  private static func expect(_ space: SlotSpace, is model: Model, _ seed: UInt64) {
    let holes = model.runs(of: .free)
    let bare = model.runs(of: .bare)
    #expect(space.end == UInt32(model.slots.count), "seed \(seed)")
    #expect(Int(space.freeCount) == model.count(.free), "seed \(seed)")
    #expect(Int(space.bareCount) == model.count(.bare), "seed \(seed)")
    #expect(space.largestRunCount(for: .goingOn) == UInt32(holes.map(\.count).max() ?? 0), "seed \(seed)")
    #expect(space.largestBareRunCount == UInt32(bare.map(\.count).max() ?? 0), "seed \(seed)")
    for count in 0...6 as ClosedRange<UInt32> {
      let short = holes.filter { $0.count < count }.reduce(0) { $0 + UInt32($1.count) }
      #expect(space.count(inRunsBelow: count) == short, "seed \(seed)")
    }
  }

  @Test func `Slots are free, bare or in use, whatever is done with them`() {
    for seed in 0..<UInt64(TestEffort.of(60, long: 2000)) {
      var generator = SeededGenerator(seed: seed)
      var model = Model(slots: [.head, .head, .used, .used])
      var space = SlotSpace(end: 4)
      for _ in 0..<120 {
        let count = UInt32.random(in: 1...5, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0 where model.slots.count < 60:
          space.extend(by: count)
          model.slots += Array(repeating: .free, count: Int(count))
        case 1:
          space.reserve.freeing = UInt32.random(in: 0...4, using: &generator)
          let purpose: SlotSpace.Purpose = Bool.random(using: &generator) ? .storing : .goingOn
          let left = purpose == .storing ? Int(space.reservedCount) : 0
          let fitting = model.runs(of: .free).filter { $0.count >= count }.map(\.count).min()
          let taken = space.take(count, for: purpose)
          #expect(
            (taken != nil) == (fitting != nil && model.count(.free) - Int(count) >= left), "seed \(seed)")
          if let taken {
            // The smallest hole that fits.
            let hole = model.runs(of: .free).first { $0.contains(taken.first) }
            #expect(hole?.count == fitting && taken.count == count, "seed \(seed)")
            model.set(taken.first..<taken.end, .used)
          }
        case 2:
          guard let run = model.used(&generator) else { continue }
          space.give(run)
          model.set(run, .free)
        case 3:
          guard let run = model.used(&generator) else { continue }
          space.giveBare(run)
          model.set(run, .bare)
        case 4:
          guard let run = space.bareRun(for: count, isAdjacent: Bool.random(using: &generator)) else {
            continue
          }
          #expect(run.allSatisfy { model.slots[Int($0)] == .bare }, "seed \(seed)")
          // Any part of them may have blocks.
          let first = UInt32.random(in: run, using: &generator)
          let part = first..<UInt32.random(in: first + 1...run.upperBound, using: &generator)
          space.noteBlocks(in: part)
          model.set(part, .free)
        case 5:
          let run = space.takeLast(count)
          #expect(run?.upperBound == model.runs(of: .free).last?.upperBound, "seed \(seed)")
          model.set(run ?? 0..<0, .used)
        case 6:
          let limit = UInt32.random(in: 0...60, using: &generator)
          let run = space.takeLastBare(count, before: limit)
          let last = model.runs(of: .bare).last { $0.lowerBound < limit }
          #expect(run?.upperBound == last.map { min($0.upperBound, limit) }, "seed \(seed)")
          model.set(run ?? 0..<0, .used)
        default:
          let end = space.endAfterCutting(freeSlots: count)
          var expected = model.slots.count
          var left = count
          while expected > 0,
            model.slots[expected - 1] == .bare || left > 0 && model.slots[expected - 1] == .free
          {
            if model.slots[expected - 1] == .free { left -= 1 }
            expected -= 1
          }
          #expect(Int(end) == expected, "seed \(seed)")
          space.cut(to: end)
          model.slots.removeSubrange(Int(end)...)
        }
        Self.expect(space, is: model, seed)
      }
    }
  }

  @Test func `Slots in use are shared with a copy of the file until they are given back and get blocks`() {
    var space = SlotSpace(end: 10)
    space.give(2..<4)
    space.makeFreeBare()
    #expect(space.freeCount == 0 && space.bareCount == 2)
    #expect(space.idleRun(upTo: 4) == 2..<4)
    space.idleStart = .max
    #expect(space.idleRun(upTo: 4) == nil)
    space.extend(by: 4)
    space.give(4..<5)
    #expect(space.freeCount == 4 && space.bareCount == 3)
    #expect(space.idleRun(upTo: 4) == 4..<5)
  }
}
