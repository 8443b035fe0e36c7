import CrashModel
import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Copies of stores that went through anything, crashes among it.
struct FileModelTests {
  /// What a file holds, opened for reading.
  private func held(_ path: String, on disk: SimulatedDisk) throws -> CrashContents {
    let store = try StoreFixture.opened(path, on: disk, readOnly: true)
    defer { try? store.close() }
    return try CrashContents(of: store)
  }

  @Test(arguments: accesses)
  func `Whatever was done before, a backup and what is salvaged hold the same`(
    access: SedimentOptions.Access
  ) throws {
    for seed in 0..<TestEffort.of(6, long: 300) {
      var generator = SeededGenerator(seed: UInt64(seed))
      var recorder = EngineRecorder(disk(seed: UInt64(seed), clones: seed % 2 == 0), access)
      try recorder.open()
      for step in 0..<8 {
        for _ in 0..<6 { try recorder.perform(CrashMix().random(using: &generator)) }
        let disk = recorder.disk
        let store = try #require(recorder.store)
        let expected = try CrashContents(of: store)
        try store.backup(to: "/data/copy")
        #expect(try held("/data/copy", on: disk) == expected, "seed \(seed), step \(step)")
        // An open store may have large values that nothing leads to any more, and one that has crashed a part of its
        // index that is not whole. Its copy has them in the same places, and nothing else.
        let own = try SedimentStore.verify(path: EngineScenario.path, on: disk.crashState.afterProcessDeath())
        let findings = try SedimentStore.verify(path: "/data/copy", on: disk).findings
        let others = findings.filter { !own.findings.contains($0) }
        #expect(own.isIntact && others == [], "seed \(seed), step \(step)")
        let report = try SedimentStore.salvage(from: "/data/copy", to: "/data/saved", on: disk)
        #expect(report.isComplete && report.uncertainKeyCount == 0, "seed \(seed), step \(step)")
        #expect(try held("/data/saved", on: disk) == expected, "seed \(seed), step \(step)")
        for path in ["/data/copy", "/data/saved"] { try disk.remove(path) }
        try disk.syncDirectory(of: "/data/copy")
        guard step % 3 == 2 else { continue }
        // What a crash leaves is verified and salvaged before anybody opens it.
        let image = disk.crashState.afterPowerLoss(.random(seed: generator.next()))
        try examine(image, "seed \(seed), step \(step)")
        let left = recorder.afterPowerLoss(at: disk.crashPoint)
        recorder = try .resume(image, recorder.scenario, left, firstNumber: (step + 1) * 100_000)
      }
    }
  }

  /// What is salvaged of a crashed store is what opening it recovers.
  private func examine(_ image: SimulatedDisk, _ comment: Comment) throws {
    let path = EngineScenario.path
    guard image.paths.contains(path) else { return }
    let damage = try SedimentStore.verify(path: path, on: image).findings.filter(\.kind.isDamage)
    #expect(damage.allSatisfy { [0, 16_384].contains($0.range.lowerBound) }, "\(comment): \(damage)")
    let report = try SedimentStore.salvage(from: path, to: "/data/saved", on: image)
    #expect(report.knowledge == .whole && report.lostValueCount == 0, comment)
    #expect(try held("/data/saved", on: image) == held(path, on: image), comment)
    try image.remove("/data/saved")
    try image.syncDirectory(of: "/data/saved")
  }
}
