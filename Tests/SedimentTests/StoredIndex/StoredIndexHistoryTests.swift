import CrashModel
import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Histories in which the index is stored again and again, and what is opened from it at every moment.
struct StoredIndexHistoryTests {
  private static func disk(_ seed: Int) -> SimulatedDisk {
    SimulatedDisk(SimulatedDiskOptions(seed: UInt64(seed), fileByteCountMax: 8 << 20))
  }

  @Test(arguments: 0..<TestEffort.of(12, long: 200))
  func `After any history the stored index brings just what a scan finds`(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) &+ 500)
    let disk = Self.disk(seed)
    let recorder = EngineRecorder(disk, accesses[seed % 3])
    try recorder.open()
    let mix = CrashMix.all[seed % CrashMix.all.count]
    var storedCount = 0
    for number in 0..<120 {
      try recorder.perform(mix.random(using: &generator))
      if number % 20 == 10 { try recorder.perform(.storeIndex) }
      if number % 7 == 0 {
        let report = try disk.afterProcessDeath().expectSameIndex(
          path: EngineScenario.path, "seed \(seed), operation \(number)")
        storedCount += report.storedCount > 0 ? 1 : 0
      }
    }
    #expect(storedCount > 0)
  }

  @Test(arguments: 0..<TestEffort.of(4, long: 40))
  func `A power failure at any moment of storing costs nothing but time`(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) &+ 900)
    let recorder = EngineRecorder(Self.disk(seed), accesses[seed % 3])
    try recorder.open()
    let mix = CrashMix.all[seed % CrashMix.all.count]
    for _ in 0..<15 { try recorder.perform(mix.random(using: &generator)) }
    try recorder.perform(.storeIndex)
    for _ in 0..<5 { try recorder.perform(mix.random(using: &generator)) }
    // From here on one stored index takes the place of another, whose slots are used again.
    let first = recorder.disk.crashPoint
    for operation in [.storeIndex, .sync, .storeIndex, .set(.init("key-0"), byteCount: 30, .synced)]
      as [CrashOperation]
    {
      try recorder.perform(operation)
    }
    let plans = CrashPlanOptions(
      exhaustiveCountMax: 8, randomCount: 4, countMax: TestEffort.of(4, long: 30))
    var storedCount = 0
    for state in recorder.disk.history where state.point >= first {
      let left = recorder.afterPowerLoss(at: state.point)
      for choice in state.plans(plans, seed: generator.next()) {
        let place = "seed \(seed), power lost at \(state.point) with \(choice)"
        let image = state.afterPowerLoss(choice)
        let report = try image.expectSameIndex(path: EngineScenario.path, "\(place)")
        storedCount += report.storedCount > 0 ? 1 : 0
        let next = try EngineRecorder.resume(image, recorder.scenario, left, firstNumber: 1_000_000)
        try image.afterProcessDeath().expectSameIndex(path: EngineScenario.path, "\(place), resumed")
        try next.close()
      }
    }
    #expect(storedCount > 0)
  }
}
