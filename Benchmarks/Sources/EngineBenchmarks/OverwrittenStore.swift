internal import BenchmarkHarness
internal import CBench
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// A store whose keys are overwritten for a while, each set timed by itself.
final class OverwrittenStore {
  static let valueByteCount = 100
  /// How often as many keys are chosen as there are, before the same ones come again.
  private static let drawCount = 4
  private static let groupCount = 4096

  private let keys: [BenchmarkKey]
  private let isHot: Bool
  /// How many sets are due in a second; nil for as many as can be.
  private let countASecond: Int?
  private let seconds: Double
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
    seconds = scale.overwritingSeconds
    self.isHot = isHot
    self.countASecond = countASecond
    self.directory = directory
    path = "\(directory)/overwritten-\(name)"
  }

  private var recordByteCount: Int { recordByteCountOfValue(OverwrittenStore.valueByteCount) }

  /// The time that one copy of ten thousand into a mapped file exceeds while another thread syncs the file; with a rate,
  /// from when the copy was due.
  func append() throws -> Sample {
    let byteCount = keys.count * recordByteCount
    try Room.warm(directory, storeByteCount: byteCount)
    let file = try ScratchFile("bare", in: directory)
    try file.preallocate(byteCount: byteCount)
    let mapping = try Memory(mapping: file, byteCount: byteCount)
    let syncer = Syncer(file)
    syncer.start()
    defer { syncer.stop() }
    let schedule = StepSchedule(rate: countASecond)
    try timeAppends(mapping, recordByteCount, schedule)
    return Sample(nanoseconds: schedule.lateness.exceeded(byOneOf: 10_000), amount: 1)
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
    let draws = draws()
    let userByteCount = keys.count * (BenchmarkKey.byteCount + OverwrittenStore.valueByteCount)
    let schedule = StepSchedule(rate: countASecond)
    var result = Result()
    var place = 0
    let before = store.statistics
    let stopwatch = Stopwatch()
    while Double(stopwatch.nanoseconds) < seconds * 1e9 {
      let end = min(place + OverwrittenStore.groupCount, draws.count)
      try timeSets(store, draws[place..<end], value: value, schedule)
      result.count += end - place
      place = end == draws.count ? 0 : end
      result.largest = max(result.largest, Double(try allocatedByteCount()) / Double(userByteCount))
    }
    result.total = stopwatch.nanoseconds
    let after = store.statistics
    result.amplification =
      1 + Double(after.movedByteCount - before.movedByteCount)
      / Double(after.writtenByteCount - before.writtenByteCount)
    try expectNone(countWrongInPlaceBatched(store, keys[...]), "after it was overwritten")
    try store.close()
    self.result = result
    return Sample(nanoseconds: schedule.lateness.exceeded(byOneOf: 10_000), amount: 1)
  }

  /// The keys in the order in which they are overwritten: making them meanwhile would give compaction time.
  private func draws() -> [BenchmarkKey] {
    var random = SplitMix64(seed: 72)
    let count = OverwrittenStore.drawCount * keys.count
    return BenchmarkKey.copies(of: (0..<count).lazy.map { _ in self.keys[self.number(&random)] })
  }

  private func number(_ random: inout SplitMix64) -> Int {
    let fifth = keys.count / 5
    guard isHot else { return random.below(keys.count) }
    return random.below(10) < 8 ? random.below(fifth) : fifth + random.below(keys.count - fifth)
  }

  /// What the store's file takes of the disk.
  private func allocatedByteCount() throws -> Int {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw SystemFailure("looking at the store's file") }
    return Int(status.st_blocks) * 512
  }

  /// What a set of ``overwrite()`` took on the average.
  func mean() throws -> Sample {
    let result = try measured()
    return Sample(nanoseconds: result.total, amount: result.count)
  }

  /// What the file took of the disk at most, by the bytes of keys and values.
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
