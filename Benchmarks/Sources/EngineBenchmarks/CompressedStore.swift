internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store of values that it may compress, made anew in each round.
final class CompressedStore {
  /// What is stored before anything counts, in so many steps with pauses between them: a store that learns from its
  /// values has learned by then.
  private static let warmingStepCount = 8

  private let corpus: ValueCorpus
  private let warming: ValueCorpus
  private let marks: [ValueMark]
  private let compression: SedimentCompression
  private let pause: TimeInterval
  private let path: String
  private var open: SedimentStore?
  private var byteCountBefore: UInt64 = 0

  /// `warming` is what is stored first, `marks` are those of `corpus` in the order of reading.
  init(
    _ corpus: ValueCorpus, warming: ValueCorpus, marks: [ValueMark], compression: SedimentCompression,
    pause: TimeInterval, path: String
  ) {
    self.corpus = corpus
    self.warming = warming
    self.marks = marks
    self.compression = compression
    self.pause = pause
    self.path = path
  }

  deinit {
    try? remove()
  }

  /// Begins anew with a store that only has the values that do not count.
  func make() throws {
    try remove()
    let options = SedimentOptions(durability: .unsynced, compression: compression)
    let store = try SedimentStore(path: path, options: options)
    open = store
    for step in 0..<CompressedStore.warmingStepCount {
      let start = warming.count * step / CompressedStore.warmingStepCount
      let end = warming.count * (step + 1) / CompressedStore.warmingStepCount
      try setValues(store, warming, start..<end)
      Thread.sleep(forTimeInterval: pause)
    }
    byteCountBefore = store.statistics.liveByteCount
  }

  /// Sets values.
  func set(_ numbers: Range<Int>) throws {
    try setValues(try made(), corpus, numbers)
  }

  /// Compares all values, each of which must have been set.
  func check() throws {
    try expectNone(countDifferent(try made(), corpus), "in a store that compresses")
  }

  /// Reads values in another order.
  func retrieve(_ numbers: Range<Int>) throws {
    try expectNone(countWrongInBuffer(try made(), marks[numbers]), "in a loop of reads")
  }

  /// How many times as many bytes the values have as they take, with all that their being compressed adds to a record.
  func ratio() throws -> Sample {
    let takenByteCount = Int(try made().statistics.liveByteCount) - Int(byteCountBefore)
    let takenByValues = takenByteCount - corpus.count * recordByteCountOfValue(0)
    return Sample(byteCount: takenByValues, amount: corpus.bytes.count)
  }

  /// What the file takes of the disk for each byte of the values, once it has no others and was compacted and closed.
  func disk() throws -> Sample {
    let store = try made()
    open = nil
    defer { try? FileManager.default.removeItem(atPath: path) }
    for key in warming.keys { try store.remove(forKey: key) }
    try store.compact()
    try store.close()
    return Sample(byteCount: try FileScan(path: path).allocatedByteCount(), amount: corpus.bytes.count)
  }

  private func made() throws -> SedimentStore {
    guard let open else { throw Unsupported("the store was not loaded") }
    return open
  }

  private func remove() throws {
    guard let store = open else { return }
    open = nil
    try store.close()
    try FileManager.default.removeItem(atPath: path)
  }
}
