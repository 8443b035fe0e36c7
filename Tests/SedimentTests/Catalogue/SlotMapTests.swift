import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Which slots of a file are in use.
struct SlotMapTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `Runs come and go as in a list of all slots`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let slotCount: UInt32 = seed % 2 == 0 ? 60 : 4_000
    var map = SlotMap()
    var owners = [UInt64?](repeating: nil, count: Int(slotCount) + 2)
    for step in 0..<(seed % 2 == 0 ? 2_000 : 9_000) {
      let first = UInt32.random(in: 2..<slotCount, using: &generator)
      let count = min(UInt32.random(in: 1...(step % 9 == 0 ? 5 : 1), using: &generator), slotCount - first)
      let run = try #require(SlotRun(first: first, count: count))
      let slots = Int(first)..<Int(first + count)
      if Int.random(in: 0..<3, using: &generator) > 0 {
        let isFree = owners[slots].allSatisfy { $0 == nil }
        let isInserted = map.insert(run, Generation(UInt64(step + 1))!)
        #expect(isInserted == isFree)
        if isFree { for slot in slots { owners[slot] = UInt64(step + 1) } }
      } else {
        let owner = owners[Int(first)]
        let isFirst = owner != nil && owners[Int(first) - 1] != owner
        let removed = map.remove(first: first, Generation(owner ?? 1)!)
        #expect((removed != nil) == isFirst)
        if let removed { for slot in removed.first..<removed.end { owners[Int(slot)] = nil } }
      }
      let probe = UInt32.random(in: 2..<slotCount, using: &generator)
      #expect(map.generation(at: probe)?.rawValue == owners[Int(probe)])
    }
    #expect(map.end == UInt32(owners.lastIndex { $0 != nil }.map { $0 + 1 } ?? 2))
    let free = Set(map.freeRuns(before: slotCount).flatMap { $0 })
    #expect(free == Set((2..<slotCount).filter { owners[Int($0)] == nil }))
  }

  @Test func `However many runs there are, in whatever order, a change moves few of them`() {
    for isFalling in [true, false] {
      var map = SlotMap()
      let count: UInt32 = 1 << 18
      for number in 0..<count {
        let slot = 2 + 2 * (isFalling ? count - number : number)
        let isInserted = map.insert(SlotRun(first: slot, count: 1)!, Generation(UInt64(number + 1))!)
        if !isInserted { Issue.record("slot \(slot) is not free") }
      }
      #expect(map.moveCountMax < 2_000)
    }
  }
}
