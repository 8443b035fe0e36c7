import EngineBenchmarks
import Sediment
import StoreComparison
import Testing

/// Loops over keys of any type see each wrong value, one by one and many a call.
@Suite struct HeapKeyTests {
  private typealias Loop = @Sendable (SedimentStore, ArraySlice<String>, ArraySlice<UInt64>) throws -> Int

  private static let loops: [Loop] = [
    { try countWrongInPlace($0, $1, $2) }, { try countWrongAsArrays($0, $1, $2) },
    { try countWrongInBuffers($0, $1, $2) }, { try countWrongInPlaceBatched($0, $1, $2) },
    { try countWrongAsArraysBatched($0, $1, $2) }, { try countWrongInBuffersBatched($0, $1, $2) },
  ]

  @Test(arguments: loops.indices)
  func `a loop counts wrong, short and missing values`(number: Int) throws {
    let folder = try Folder()
    let store = try SedimentStore(path: "\(folder.path)/store")
    let words = (1...150 as ClosedRange<UInt64>).map { $0 &* 0x9E37_79B9_7F4A_7C15 }
    let keys = words.map { "a key that lies on the heap: \($0)" }
    func set(_ word: UInt64, _ key: String) throws {
      let value = unsafe withUnsafeBytes(of: word) { unsafe Array($0) }
      try store.set(value + [1, 2, 3], forKey: key)
    }
    for (word, key) in zip(words, keys) { try set(word, key) }
    let loop = HeapKeyTests.loops[number]
    #expect(try loop(store, keys[...], words[...]) == 0)
    #expect(try loop(store, keys[70...], words[70...]) == 0)
    try set(7, keys[80])
    #expect(try loop(store, keys[...], words[...]) == 1)
    try store.set([1], forKey: keys[3])
    #expect(try loop(store, keys[...], words[...]) == 2)
    try store.remove(forKey: keys[149])
    #expect(try loop(store, keys[...], words[...]) == 3)
    #expect(try loop(store, keys[149...], words[149...]) == 1)
    try store.close()
  }
}
