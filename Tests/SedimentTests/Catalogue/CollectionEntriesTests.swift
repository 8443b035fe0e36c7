import Sediment
import SedimentFormat
import SedimentTesting
import Testing

/// The entries of collections in the order of their numbers.
struct CollectionEntriesTests {
  private static func entry(_ number: UInt32, clearedAt sequence: UInt64) -> CollectionEntry {
    let name = number == 0 ? "" : String(repeating: "n", count: Int(number % 250) + 1) + "\(number)".suffix(5)
    return CollectionEntry(
      number: number, clearedAt: SequenceNumber(sequence)!, name: Array(name.utf8.prefix(255)))!
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `Entries come, go and change as in a dictionary, and their bytes are known`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let numberMax: UInt32 = seed % 2 == 0 ? 50 : 2_000
    var entries = CollectionEntries()
    var model: [UInt32: CollectionEntry] = [:]
    for step in 0..<2_000 as Range<UInt64> {
      let number = UInt32.random(in: 0...numberMax, using: &generator)
      if Int.random(in: 0..<3, using: &generator) == 0 {
        #expect(entries.remove(number) == model.removeValue(forKey: number))
      } else {
        let entry = Self.entry(number, clearedAt: step)
        entries.set(entry)
        model[number] = entry
      }
      #expect(entries[number] == model[number])
      #expect(
        entries.contains(name: Self.entry(number, clearedAt: 0).name) == (model[number] != nil && number != 0)
      )
      #expect(entries.count == model.count)
    }
    let ordered = model.values.sorted { $0.number < $1.number }
    #expect(Array(entries) == ordered)
    #expect(entries.byteCount == ordered.reduce(0) { $0 + CatalogueEntry.collection($1).byteCount })
  }
}
