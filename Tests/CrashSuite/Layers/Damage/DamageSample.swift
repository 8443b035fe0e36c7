import CrashModel
import Sediment
import SedimentTesting

/// A small file with what it holds and how it looked before.
struct DamageSample: Sendable {
  let name: String
  let scenario: EngineScenario
  /// Whether it was closed in order; if not, the marks of its log alone know what was synced.
  let isClosed: Bool
  let bytes: [UInt8]
  let contents: CrashContents
  /// What it held after each operation.
  let history: [CrashContents]
  /// Its bytes at earlier closings.
  let states: [[UInt8]]
  let piles: [DamagePile]

  /// Carries the operations out; each reopening among them leaves an earlier state.
  ///
  /// The file is closed behind them or, if there are some more, these are carried out and it is left open.
  private init(
    _ name: String, _ scenario: EngineScenario, _ operations: [CrashOperation],
    leftOpenBehind last: [CrashOperation] = []
  ) throws {
    self.name = "\(name)\(scenario.storesIndex ? " with a stored index" : "")"
    self.scenario = scenario
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 4, fileByteCountMax: 8 << 20))
    let recorder = EngineRecorder(scenario, on: disk)
    try recorder.open()
    var states: [[UInt8]] = []
    for operation in operations {
      try recorder.perform(operation)
      if case .reopen = operation { states.append(disk.contents(of: EngineScenario.path) ?? []) }
    }
    if scenario.storesIndex { try recorder.perform(.storeIndex) }
    for operation in last { try recorder.perform(operation) }
    isClosed = last.isEmpty
    if isClosed { try recorder.close() }
    try Self.expectStoredIndex(scenario, disk)
    bytes = disk.contents(of: EngineScenario.path) ?? []
    contents = recorder.current
    history = recorder.states
    self.states = states
    piles = DamagePile.all(of: bytes, states: states)
  }

  /// With a stored index an opening must go by it: then only reading finds what is wrong with a record.
  private static func expectStoredIndex(_ scenario: EngineScenario, _ disk: SimulatedDisk) throws {
    let image = disk.afterProcessDeath()
    let storedKeyCount = try scenario.open(on: image).store?.recovery.storedKeyCount ?? 0
    if (storedKeyCount > 0) != scenario.storesIndex {
      throw CrashContradiction(description: "\(storedKeyCount) keys came from the stored index")
    }
  }

  /// Every kind of file, with and without a stored index.
  static func all() throws -> [DamageSample] {
    try [false, true].flatMap { storesIndex in
      var plain = EngineScenario(.automatic)
      plain.storesIndex = storesIndex
      var packed = plain
      packed.compression = .zstd(level: 1)
      return [
        try DamageSample("plain", plain, few), try DamageSample("batches", plain, batches),
        try DamageSample("collections", plain, collections), try DamageSample("expiry", plain, expiring),
        try DamageSample("large value", plain, large), try DamageSample("compacted", plain, compacted),
        try DamageSample("compressed", packed, compressed),
        try DamageSample("not closed", plain, compacted, leftOpenBehind: synced),
      ]
    }
  }

  // MARK: The operations

  private static let few: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 30, .unsynced), .set(.init("key-1"), byteCount: 3000, .unsynced),
    .sync, .remove(.init("key-0"), .unsynced), .set(.init("key-2"), byteCount: 700, .unsynced), .reopen,
    .set(.init("key-1"), byteCount: 600, .unsynced), .set(.init("key-3"), byteCount: 30, .synced),
    .remove(.init("key-2"), .unsynced),
  ]

  private static let batches: [CrashOperation] = [
    .batch([(.init("key-0"), 40), (.init("key-1"), 500), (.init("key-2"), 30)], .unsynced), .reopen,
    .batch([(.init("key-3"), 9000), (.init("key-4"), 9000), (.init("key-0"), nil)], .unsynced),
    .batch([(.init("key-1"), nil), (.init("key-2"), 60)], .unsynced),
  ]

  private static let collections: [CrashOperation] = [
    .set(.init("key-0", in: "a"), byteCount: 40, .unsynced),
    .set(.init("key-1", in: "b"), byteCount: 40, .unsynced),
    .set(.init("key-2"), byteCount: 40, .unsynced), .reopen, .clear("a", .unsynced),
    .set(.init("key-3", in: "a"), byteCount: 900, .unsynced), .drop("b", .unsynced), .checkpoint,
    .set(.init("key-1", in: "c"), byteCount: 40, .unsynced), .removeEverything(.unsynced),
    .set(.init("key-4", in: "c"), byteCount: 40, .unsynced),
  ]

  private static let expiring: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 40, .unsynced),
    .set(.init("key-0"), byteCount: 50, lifetime: .milliseconds(30), .unsynced), .reopen,
    .set(.init("key-1"), byteCount: 50, lifetime: .seconds(3000), .unsynced),
    .set(.init("key-2"), byteCount: 50, .unsynced), .wait, .wait,
    .setExpiry(.init("key-2"), lifetime: .seconds(9), .unsynced),
  ]

  private static let large: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 40, .unsynced), .reopen,
    .set(.init("key-1"), byteCount: 135_000, .unsynced), .set(.init("key-2"), byteCount: 40, .unsynced),
  ]

  private static let compacted: [CrashOperation] =
    [.set(.init("key-0"), byteCount: 40, .unsynced), .set(.init("key-1"), byteCount: 300, .unsynced)]
    + Array(repeating: .set(.init("key-2"), byteCount: 7900, .unsynced), count: 4)
    + [.remove(.init("key-1"), .unsynced), .reopen, .compact, .sync, .reopen]
    + Array(repeating: .set(.init("key-3"), byteCount: 7900, .unsynced), count: 3)
    + [.compact, .set(.init("key-4"), byteCount: 30, .unsynced)]

  /// They take several segments; the marks of the last one lie in sectors of their own.
  private static let synced: [CrashOperation] =
    Array(repeating: .set(.init("key-3"), byteCount: 7900, .unsynced), count: 5)
    + Array(repeating: .set(.init("key-0"), byteCount: 1100, .synced), count: 4)

  private static let compressed: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 3000, .unsynced), .set(.init("key-1"), byteCount: 9000, .unsynced),
    .reopen,
    .set(.init("key-0"), byteCount: 30_000, .unsynced), .set(.init("key-2"), byteCount: 40, .unsynced),
  ]
}
