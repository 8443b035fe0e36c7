internal import BenchmarkHarness
internal import CBench
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store whose keys are all overwritten several times, each set timed by itself.
final class OverwrittenStore {
  static let valueByteCount = 100
  static let roundCount = 10

  private let keys: [BenchmarkKey]
  private let isHot: Bool
  /// How many sets there are in a second; nil for as many as can be.
  private let countASecond: Int?
  private let directory: String
  private let path: String
  private var result: Result?

  private struct Result {
    var total: UInt64 = 0
    var count = 0
    var largest = 0.0
    var amplification = 0.0
  }

  init(_ scale: EngineScale, named name: String, isHot: Bool, countASecond: Int?, directory: String) {
    keys = BenchmarkKeys.stored(count: scale.keyCount, seed: 71)
    self.isHot = isHot
    self.countASecond = countASecond
    self.directory = directory
    path = "\(directory)/overwritten-\(name)"
  }

  private var recordByteCount: Int { recordByteCountOfValue(OverwrittenStore.valueByteCount) }

  /// The time that one copy of ten thousand into a mapped file exceeds while another thread syncs the file.
  func append() throws -> Sample {
    let byteCount = keys.count * recordByteCount
    try Room.warm(directory, storeByteCount: byteCount)
    let file = try ScratchFile("bare", in: directory)
    try file.preallocate(byteCount: byteCount)
    let mapping = try Memory(mapping: file, byteCount: byteCount)
    let syncer = Syncer(file)
    syncer.start()
    defer { syncer.stop() }
    let histogram = LatencyHistogram()
    try timeAppends(mapping, recordByteCount, histogram)
    return Sample(nanoseconds: histogram.exceeded(byOneOf: 10_000), amount: 1)
  }

  /// The same of sets, all of them overwriting something.
  func overwrite() throws -> Sample {
    result = nil
    try? FileManager.default.removeItem(atPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Room.warm(directory, storeByteCount: 2 * keys.count * recordByteCount)
    let store = try SedimentStore(path: path, options: .plain())
    let value = valueBytes(count: OverwrittenStore.valueByteCount)
    try setAll(store, keys[...], value: value)
    var random = SplitMix64(seed: 72)
    let histogram = LatencyHistogram()
    var result = Result()
    let before = store.statistics
    let groupCount = countASecond == nil ? 4096 : 256
    let stopwatch = Stopwatch()
    let groups = OverwrittenStore.roundCount * keys.count / groupCount
    for _ in 0..<max(groups, 1) {
      let group = BenchmarkKey.copies(of: (0..<groupCount).map { _ in keys[number(&random)] })
      result.total += try timeSets(store, group, value: value, histogram)
      result.count += groupCount
      if let countASecond {
        let due = UInt64(result.count) * 1_000_000_000 / UInt64(countASecond)
        let now = stopwatch.nanoseconds
        if now < due { Thread.sleep(forTimeInterval: Double(due - now) / 1e9) }
      }
      let figures = store.statistics
      let byteCount = figures.fileByteCount - figures.storedIndexByteCount
      result.largest = max(result.largest, Double(byteCount) / Double(figures.liveByteCount))
    }
    let after = store.statistics
    result.amplification =
      1 + Double(after.movedByteCount - before.movedByteCount)
      / Double(after.writtenByteCount - before.writtenByteCount)
    try expectNone(countWrongInPlaceBatched(store, keys[...]), "after it was overwritten")
    try store.close()
    self.result = result
    return Sample(nanoseconds: histogram.exceeded(byOneOf: 10_000), amount: 1)
  }

  private func number(_ random: inout SplitMix64) -> Int {
    let fifth = keys.count / 5
    guard isHot else { return random.below(keys.count) }
    return random.below(10) < 8 ? random.below(fifth) : fifth + random.below(keys.count - fifth)
  }

  /// What a set of ``overwrite()`` took on the average.
  func mean() throws -> Sample {
    let result = try measured()
    return Sample(nanoseconds: result.total, amount: result.count)
  }

  /// How large the file became, by what was live.
  func largest() throws -> Sample {
    Sample(byteCount: Int(try measured().largest * 10_000), amount: 10_000)
  }

  /// How often a record was written on the average.
  func amplification() throws -> Sample {
    Sample(byteCount: Int(try measured().amplification * 10_000), amount: 10_000)
  }

  private func measured() throws -> Result {
    guard let result else { throw Unsupported("the store was not overwritten") }
    return result
  }
}

/// Syncs a file again and again on a thread of its own.
private final class Syncer: @unchecked Sendable {
  private let file: ScratchFile
  private let lock = NSCondition()
  // Under `lock`, both.
  private var isStopped = false
  private var hasEnded = false

  init(_ file: ScratchFile) {
    self.file = file
  }

  func start() {
    Thread { [self] in
      while !lock.withLock({ isStopped }) { try? file.syncData() }
      lock.withLock {
        hasEnded = true
        lock.broadcast()
      }
    }.start()
  }

  func stop() {
    lock.withLock {
      isStopped = true
      while !hasEnded { lock.wait() }
    }
  }
}
