import EngineBenchmarks
import Sediment
import Testing
import StoreComparison

/// A loop that is timed must see each wrong value, or its figure may be about something else.
@Suite struct LoopTests {
  private let folder: Folder
  private let store: SedimentStore
  private let keys = BenchmarkKeys(count: 3 * callKeyCount / 2, seed: 5)

  init() throws {
    folder = try Folder()
    store = try SedimentStore(path: "\(folder.path)/store")
    try setAll(store, keys.stored[...], value: valueBytes(count: 100))
  }

  private typealias Loop = @Sendable (SedimentStore, ArraySlice<BenchmarkKey>) throws -> Int

  private static let loops: [(name: String, loop: Loop)] = [
    ("in place", { try countWrongInPlace($0, $1) }), ("into a buffer", countWrongInBuffer),
    ("as bytes", countWrongAsBytes), ("as Data", countWrongAsData),
    ("batched in place", { try countWrongInPlaceBatched($0, $1) }),
    ("batched as arrays", countWrongAsArraysBatched),
  ]

  @Test(arguments: loops.indices)
  func `a loop of reads counts wrong, short and missing values`(number: Int) throws {
    let loop = LoopTests.loops[number].loop
    #expect(try loop(store, keys.shuffled[...]) == 0)
    try setAll(store, keys.stored[7..<9], value: valueBytes(count: 100), mask: 1)
    #expect(try loop(store, keys.shuffled[...]) == 2)
    #expect(try loop(store, keys.stored[8..<9]) == 1)
    try store.set([1, 2, 3] as [UInt8], forKey: keys.stored[20])
    #expect(try loop(store, keys.shuffled[...]) == 3)
    try store.remove(forKey: keys.stored[30])
    #expect(try loop(store, keys.shuffled[...]) == 4)
    #expect(try loop(store, keys.missing[...]) == keys.missing.count)
  }

  @Test func `a mask says which of two values is the right one`() throws {
    try setAll(store, keys.stored[..<5], value: valueBytes(count: 100), mask: ~0)
    #expect(try countWrongInPlace(store, keys.stored[..<10], mask: ~0) == 5)
  }

  @Test func `keys that should be missing and are there are counted`() throws {
    #expect(try countFound(store, keys.missing[...]) == 0)
    try store.set("", forKey: keys.missing[3])
    #expect(try countFound(store, keys.missing[...]) == 1)
  }

  @Test func `sets that are timed one by one set all the same`() throws {
    let longest = try longestSet(store, keys.missing[...], value: valueBytes(count: 100), mask: 9)
    #expect(longest.elapsed > 0)
    #expect(longest.processor > 0)
    #expect(try countWrongInPlace(store, keys.missing[...], mask: 9) == 0)
    #expect(try countWrongInPlaceBatched(store, keys.missing[...], mask: 9) == 0)
    #expect(try countWrongInPlaceBatched(store, keys.missing[...], mask: 8) == keys.missing.count)
  }
}
