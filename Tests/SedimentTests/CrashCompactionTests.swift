import CrashModel
import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// Crashes at every moment of histories in which segments are emptied and used again all the time.
@Suite struct CrashCompactionTests {
  static func history(seed: Int, evictingByteCount: UInt64? = nil) throws -> EngineRecorder {
    var generator = SeededGenerator(seed: UInt64(seed) &* 104_729 &+ 3)
    let access = CrashPowerLossTests.accesses[seed % 3]
    let mix = evictingByteCount == nil ? CrashMix.churn : .eviction
    // Something to compact first, of which no moment is tried.
    let before = EngineRecorder(
      CrashPowerLossTests.disk(seed: seed), access, evictingByteCount: evictingByteCount)
    try before.open()
    for _ in 0..<100 { try perform(mix.random(using: &generator), on: before) }
    try before.close()
    before.disk.trimHistory()
    let left = CrashLeftover(before.current)
    let recorder = EngineRecorder(before.scenario, on: before.disk, after: left, firstNumber: 1000)
    try recorder.open()
    for _ in 0..<30 { try perform(mix.random(using: &generator), on: recorder) }
    return recorder
  }

  /// Does something; a value of more than a quarter of a small store may find no room in a row.
  private static func perform(_ operation: CrashOperation, on recorder: EngineRecorder) throws {
    do {
      try recorder.perform(operation)
    } catch let error as SedimentError where error.code == .outOfSpace {}
  }

  @Test(arguments: 0..<CrashEffort.of(6, long: 200))
  func `Whatever a power failure leaves of a compaction, nothing is lost and nothing comes back`(
    _ seed: Int
  ) throws {
    let recorder = try Self.history(seed: seed)
    try #require(recorder.store?.statistics.movedByteCount ?? 0 > 0)
    CrashPowerLossTests.explore(recorder, .powerLoss, seed)
  }

  @Test(arguments: 0..<CrashEffort.of(6, long: 200))
  func `When the process dies while it compacts, nothing is lost and nothing comes back`(
    _ seed: Int
  ) throws {
    CrashPowerLossTests.explore(try Self.history(seed: seed + 500), .processDeath, seed)
  }

  @Test(arguments: 0..<CrashEffort.of(6, long: 200))
  func `What was left out for room stays out, and nothing older comes back in its place`(
    _ seed: Int
  ) throws {
    let recorder = try Self.history(seed: seed + 1000, evictingByteCount: 512 << 10)
    CrashPowerLossTests.explore(recorder, seed % 2 == 0 ? .powerLoss : .processDeath, seed)
  }
}
