import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// The entries of segments in the order of their generations.
struct SegmentEntriesTests {
  private static func entry(_ generation: UInt64) -> SegmentEntry {
    let run = SlotRun(first: UInt32(generation) + 2, count: 1)!
    return SegmentEntry(
      identity: SegmentIdentity(run: run, kind: .hot, generation: Generation(generation)!, salt: 1),
      base: .zero, floor: .zero, end: nil, highest: .zero, latestExpiry: 0, recordCount: 0,
      tombstoneCount: 0, largeCount: 0)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `Entries come, go and change as in a dictionary, and stand in their order`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let generationMax: UInt64 = seed % 2 == 0 ? 50 : 2_000
    var entries = SegmentEntries()
    var model: [UInt64: SegmentEntry] = [:]
    for step in 0..<3_000 as Range<UInt32> {
      let number = UInt64.random(in: 1...generationMax, using: &generator)
      let generation = Generation(number)!
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        entries.remove(generation)
        model[number] = nil
      case 1:
        entries.update(generation) { $0.recordCount = step }
        model[number]?.recordCount = step
      default:
        if model[number] == nil {
          entries.insert(Self.entry(number))
          model[number] = Self.entry(number)
        }
      }
      #expect(entries[generation] == model[number])
      #expect(entries.count == model.count)
    }
    let ordered = model.keys.sorted()
    #expect(entries.map(\.identity.generation.rawValue) == ordered)
    #expect(entries.last == ordered.last.flatMap { model[$0] })
    for number in ordered { #expect(entries[Generation(number)!] == model[number]) }
    // However they came, the same entries are the same.
    var others = SegmentEntries()
    for number in ordered.reversed() { others.insert(model[number]!) }
    #expect(others == entries)
  }
}
