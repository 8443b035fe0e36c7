internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store that becomes large in a file system, anew in each round; each of its sets is timed.
final class GrowingStore {
  static let valueByteCount = 100

  /// From how many keys on the memory of the index is limited.
  private static let indexKeyCountMin = 1_000_000

  /// After how many sets it is asked whether the index has grown; the time that takes does not count.
  ///
  /// The index grows by one set in thousands. A set that something else holds up is rarely so close to one.
  private static let groupKeyCount = 64

  private let keys: [BenchmarkKey]
  private let value = valueBytes(count: GrowingStore.valueByteCount)
  private let directory: String
  private let path: String
  private var store: SedimentStore?
  private var longestWithIndex: Longest?
  private var largestIndex: Sample?
  private var openingNanoseconds: UInt64?

  init(_ keys: [BenchmarkKey], directory: String) {
    self.keys = keys
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

  /// The longest of the sets that fill a new store, by the clock.
  func grow() throws -> Sample {
    try remove()
    try warm()
    let store = try SedimentStore(path: path, options: .plain(durability: .unsynced))
    self.store = store
    (longestWithIndex, largestIndex, openingNanoseconds) = (nil, nil, nil)
    var longest = Longest()
    var indexByteCount = store.statistics.indexByteCount
    for start in stride(from: 0, to: keys.count, by: GrowingStore.groupKeyCount) {
      let end = min(start + GrowingStore.groupKeyCount, keys.count)
      let longestOfGroup = try longestSet(store, keys[start..<end], value: value)
      longest = longest.maximum(longestOfGroup)
      let grown = store.statistics.indexByteCount
      if grown != indexByteCount { noteIndex(grown, keyCount: end, longestOfGroup) }
      indexByteCount = grown
    }
    try check(store)
    try reopen(store)
    try remove()
    return Sample(nanoseconds: longest.elapsed, amount: 1)
  }

  /// The longest of those sets that were close to one by which the index grew, by the clock.
  func growIndex() throws -> Sample {
    Sample(nanoseconds: try grown(longestWithIndex).elapsed, amount: 1)
  }

  /// The same by the time that the thread had a processor.
  func growIndexByProcessor() throws -> Sample {
    Sample(nanoseconds: try grown(longestWithIndex).processor, amount: 1)
  }

  /// The most that the index took for each key while ``grow()`` ran.
  func index() throws -> Sample {
    try grown(largestIndex)
  }

  /// What opening the store took after it had grown in ``grow()`` and was closed.
  func opening() throws -> Sample {
    Sample(nanoseconds: try grown(openingNanoseconds), amount: 1)
  }

  private func reopen(_ store: SedimentStore) throws {
    self.store = nil
    try store.close()
    let stopwatch = Stopwatch()
    let opened = try SedimentStore(path: path, options: .plain(durability: .unsynced))
    let wrongCount = try countWrongInPlace(opened, keys.prefix(1))
    openingNanoseconds = stopwatch.nanoseconds
    self.store = opened
    try expectNone(wrongCount, "in the first read")
    try check(opened)
  }

  private var recordsByteCount: Int {
    keys.count * recordByteCountOfValue(GrowingStore.valueByteCount)
  }

  private func noteIndex(_ byteCount: Int, keyCount: Int, _ longest: Longest) {
    longestWithIndex = longestWithIndex.map { $0.maximum(longest) } ?? longest
    guard keyCount >= min(GrowingStore.indexKeyCountMin, keys.count / 2) else { return }
    let sample = Sample(byteCount: byteCount, amount: keyCount)
    if sample.value(as: .size) > largestIndex?.value(as: .size) ?? 0 { largestIndex = sample }
  }

  private func grown<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw Unsupported("the index did not grow") }
    return value
  }

  private func check(_ store: SedimentStore) throws {
    guard try store.count() == keys.count else { throw WrongValue("it has lost count of its keys") }
    try expectNone(countWrongInPlaceBatched(store, keys[...]), "in a large store")
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
