import CrashModel
import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// The live engine on a disk whose power fails, or whose process dies, at every moment of its history.
@Suite struct CrashPowerLossTests {
  static let plans = CrashPlanOptions(
    exhaustiveCountMax: 16, randomCount: 6, countMax: CrashEffort.of(3, long: 40))
  static let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]

  static func disk(seed: Int) -> SimulatedDisk {
    SimulatedDisk(SimulatedDiskOptions(seed: UInt64(seed), fileByteCountMax: 8 << 20))
  }

  /// Crashes a history at every moment.
  static func explore(_ recorder: EngineRecorder, _ kind: CrashKind, _ seed: Int) {
    var explorer = CrashExplorer<EngineScenario>(seed: UInt64(seed), plans: plans)
    explorer.depth = CrashEffort.of(2, long: 3)
    explorer.check(recorder, kind, "seed \(seed)")
    CrashEffort.note(
      "\(kind), seed \(seed), \(recorder.scenario.access): images by depth \(explorer.imageCounts)")
  }

  /// A random history, every access and mix of operations in turn.
  static func history(seed: Int, operationCount: Int = 30) throws -> EngineRecorder {
    var generator = SeededGenerator(seed: UInt64(seed) &* 7919 &+ 1)
    let recorder = EngineRecorder(Self.disk(seed: seed), accesses[seed % 3])
    try recorder.open()
    let mix = CrashMix.all[seed / 3 % 3]
    for _ in 0..<operationCount { try recorder.perform(mix.random(using: &generator)) }
    return recorder
  }

  @Test(arguments: 0..<CrashEffort.of(9, long: 300))
  func `Whatever a power failure leaves of a random history is a prefix of it that has what was synced`(
    _ seed: Int
  ) throws {
    let recorder = try Self.history(seed: seed)
    Self.explore(recorder, .powerLoss, seed)
  }

  @Test(arguments: (0..<CrashEffort.of(9, long: 300)).map { $0 + 1000 })
  func `When the process dies, everything that was acknowledged is there`(_ seed: Int) throws {
    let recorder = try Self.history(seed: seed)
    Self.explore(recorder, .processDeath, seed)
  }

  @Test(arguments: 0..<3)
  func `Every kind of operation once, in every way of access`(_ way: Int) throws {
    let recorder = EngineRecorder(Self.disk(seed: 77), Self.accesses[way])
    try recorder.open()
    for operation in Self.script { try recorder.perform(operation) }
    for kind in CrashKind.allCases { Self.explore(recorder, kind, way + 100) }
  }

  @Test func `What is synced in a file stays, though its creator died before its name was on the disk`()
    throws
  {
    let created = Self.disk(seed: 1)
    try SedimentStore(path: EngineScenario.path, disk: created).close()
    for state in created.history {
      let disk = state.afterProcessDeath()
      let store = try SedimentStore(path: EngineScenario.path, disk: disk)
      try store.set("1", forKey: "a", durability: .synced)
      let image = disk.afterPowerLoss(.nothing)
      #expect(image.paths.contains(EngineScenario.path), "death at \(state.point)")
      #expect(try SedimentStore(path: EngineScenario.path, disk: image).contains("a"))
    }
    // Whoever created the file has its name synced already, and so has whoever follows the first write.
    #expect(created.calls.count { $0.operation == .syncDirectory } == 1)
    for count in [1, 1] {
      let store = try SedimentStore(path: EngineScenario.path, disk: created)
      try store.set("1", forKey: "a")
      try store.close()
      #expect(created.calls.count { $0.operation == .syncDirectory } == 1 + count)
    }
  }

  static let script: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 20, .unsynced),
    .set(.init("key-1"), byteCount: 3000, .synced),
    .batch([(.init("key-0"), 30), (.init("key-2", in: "a"), 700), (.init("key-1"), nil)], .unsynced),
    .set(.init("key-3", in: "a"), byteCount: 12_000, .unsynced),
    .wait,
    .batch([(.init("key-4"), 9000), (.init("key-5"), 9000), (.init("key-0", in: "b"), 20)], .synced),
    .remove(.init("key-0"), .synced),
    .set(.init("key-6"), byteCount: 140_000, .unsynced),
    .set(.init("key-0"), byteCount: 20, lifetime: .milliseconds(30), .unsynced),
    .setExpiry(.init("key-6"), lifetime: .milliseconds(25), .interval(CrashOperation.interval)),
    .wait,
    .wait,
    .setIfAbsent(.init("key-6"), byteCount: 30, .synced),
    .reopen,
    .clear("a", .unsynced),
    .update(.init("key-3", in: "a"), .unsynced),
    .background,
    .storeIndex,
    .checkpoint,
    .drop("b", .synced),
    .batch([(.init("key-6"), 131_100), (.init("key-7"), 20)], .synced),
    .reopen,
    .removeEverything(.unsynced),
    .set(.init("key-1"), byteCount: 20, .unsynced),
    .storeIndex,
    .set(.init("key-2"), byteCount: 20, .synced),
    .reopen,
  ]
}
