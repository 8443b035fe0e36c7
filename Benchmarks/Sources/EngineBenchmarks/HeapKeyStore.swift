internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store that is read with keys as users have them: strings and arrays of bytes, all of them on the heap.
final class HeapKeyStore {
  static let valueByteCount = 100

  /// A sample reads one part of the keys, the next sample another: what was read last is not in a cache any more.
  private static let partCount = 4

  /// Text of 16 bytes each, which is too long to lie in the string itself, in the order of reading.
  let strings: [String]

  /// The same as arrays.
  let arrays: [[UInt8]]

  /// What the value of each key begins with.
  private let words: [UInt64]

  private let store: SedimentStore
  private var partNumber = 0

  init(_ scale: EngineScale, directory: String) throws {
    try Room(directory).check(
      storeByteCount: scale.keyCount * recordByteCountOfValue(HeapKeyStore.valueByteCount))
    store = try SedimentStore(path: "\(directory)/heap-keys", options: .plain(durability: .unsynced))
    var random = SplitMix64(seed: 13)
    let stored = (0..<scale.keyCount).map { _ in random.next() }
    words = stored.shuffled(using: &random)
    strings = words.map(HeapKeyStore.text)
    arrays = words.map { Array(HeapKeyStore.text($0).utf8) }
    try set(stored)
    try store.sync()
  }

  deinit {
    try? store.close()
    try? FileManager.default.removeItem(atPath: store.path)
  }

  /// The word as 16 hexadecimal digits.
  private static func text(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private func set(_ words: [UInt64]) throws {
    var value = valueBytes(count: HeapKeyStore.valueByteCount)
    for word in words {
      unsafe value.withUnsafeMutableBytes { unsafe $0.storeBytes(of: word, as: UInt64.self) }
      try store.set(value, forKey: HeapKeyStore.text(word))
    }
  }

  /// Times a loop over a part of the keys, which returns how many were wrong.
  func read<Key>(
    _ keys: [Key],
    _ loop: (SedimentStore, ArraySlice<Key>, ArraySlice<UInt64>) throws -> Int
  ) throws -> Sample {
    let start = partNumber * keys.count / HeapKeyStore.partCount
    let end = (partNumber + 1) * keys.count / HeapKeyStore.partCount
    partNumber = (partNumber + 1) % HeapKeyStore.partCount
    let stopwatch = Stopwatch()
    let wrongCount = try loop(store, keys[start..<end], words[start..<end])
    let sample = stopwatch.sample(of: end - start)
    try expectNone(wrongCount, "in a loop of reads")
    return sample
  }
}
