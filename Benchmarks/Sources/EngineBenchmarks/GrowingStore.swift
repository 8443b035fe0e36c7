internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment

/// A store that becomes large in a file system, anew in each round; each of its sets is timed.
final class GrowingStore {
  static let valueByteCount = 100

  /// From how many keys on the memory of the index is limited.
  private static let indexKeyCountMin = 1_000_000

  /// After how many sets the memory of the index is looked at; the time that takes does not count.
  private static let indexInterval = 10_000

  private let keys: [BenchmarkKey]
  private let value = valueBytes(count: GrowingStore.valueByteCount)
  private let directory: String
  private let path: String
  private var store: SedimentStore?
  private var largestIndex: Sample?

  init(_ scale: EngineScale, directory: String) {
    keys = BenchmarkKeys.stored(count: scale.growthKeyCount, seed: 61)
    self.directory = directory
    path = "\(directory)/growing"
  }

  deinit {
    try? remove()
  }

  /// The longest of as many copies of records into a mapped file.
  func append() throws -> Sample {
    try remove()
    try warm()
    let file = try ScratchFile("grown", in: directory)
    try file.preallocate(byteCount: recordsByteCount)
    let mapping = try Memory(mapping: file, byteCount: recordsByteCount)
    let longest = try longestAppend(mapping, recordByteCountOfValue(GrowingStore.valueByteCount))
    return Sample(nanoseconds: longest, amount: 1)
  }

  /// The longest of the sets that fill a new store.
  func grow() throws -> Sample {
    try remove()
    try warm()
    let store = try SedimentStore(path: path, options: SedimentOptions(durability: .unsynced))
    self.store = store
    largestIndex = nil
    var longest: UInt64 = 0
    for start in stride(from: 0, to: keys.count, by: GrowingStore.indexInterval) {
      let end = min(start + GrowingStore.indexInterval, keys.count)
      longest = max(longest, try longestSet(store, keys[start..<end], value: value))
      noteIndex(Sample(byteCount: store.statistics.indexByteCount, amount: end))
    }
    try check(store, mask: 0)
    return Sample(nanoseconds: longest, amount: 1)
  }

  /// The longest of as many sets of the same keys, by which the index does not grow.
  func overwrite() throws -> Sample {
    guard let store else { throw Unsupported("the store did not grow") }
    try warm()
    let longest = try longestSet(store, keys[...], value: value, mask: ~0)
    try check(store, mask: ~0)
    try remove()
    return Sample(nanoseconds: longest, amount: 1)
  }

  /// The most that the index took for each key while ``grow()`` ran.
  func index() throws -> Sample {
    guard let largestIndex else { throw Unsupported("the store did not grow") }
    return largestIndex
  }

  private var recordsByteCount: Int {
    keys.count * recordByteCountOfValue(GrowingStore.valueByteCount)
  }

  private func noteIndex(_ sample: Sample) {
    guard sample.amount >= min(GrowingStore.indexKeyCountMin, keys.count) else { return }
    let largest = largestIndex?.value(as: .size) ?? 0
    if sample.value(as: .size) > largest { largestIndex = sample }
  }

  private func check(_ store: SedimentStore, mask: UInt64) throws {
    guard try store.count() == keys.count else { throw WrongValue("it has lost count of its keys") }
    try expectNone(countWrongInPlace(store, keys[...], mask: mask), "in a large store")
  }

  private func warm() throws {
    try Room.warm(directory, storeByteCount: recordsByteCount)
  }

  private func remove() throws {
    guard let store else { return }
    self.store = nil
    try store.close()
    try FileManager.default.removeItem(atPath: path)
  }
}
