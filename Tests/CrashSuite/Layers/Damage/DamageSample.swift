import CrashModel
import Sediment
import SedimentTesting

/// A small file with what it holds and how it looked before.
struct DamageSample: Sendable {
  let name: String
  let scenario: EngineScenario
  /// Whether it was closed in order; if not, the marks of its log alone know what was synced.
  let isClosed: Bool
  /// How many of the last operations damage of one sector may take back, since no sync that is known of covers them.
  let tornCountMax: Int
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
    leftOpenBehind last: [CrashOperation] = [], andUnsynced unsynced: [CrashOperation] = []
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
    for operation in last + unsynced { try recorder.perform(operation) }
    isClosed = last.isEmpty
    tornCountMax = isClosed ? 0 : 1 + unsynced.count
    if isClosed { try recorder.close() }
    try Self.expectStoredIndex(scenario, disk)
    if !unsynced.isEmpty { try Self.expectInWindow(recorder.current, scenario, disk) }
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

  /// The last of what a store holds must be in its window alone.
  private static func expectInWindow(
    _ contents: CrashContents, _ scenario: EngineScenario, _ disk: SimulatedDisk
  ) throws {
    let image = disk.afterProcessDeath()
    var bytes = image.contents(of: EngineScenario.path) ?? []
    let segments = try scenario.open(on: disk.afterProcessDeath()).store?.segments
    for window in segments ?? [] where window.kind == .window {
      let place = Int(window.byteOffset)..<Int(window.byteOffset + window.byteCount)
      bytes.replaceSubrange(place, with: repeatElement(0, count: place.count))
    }
    image.install(bytes, at: EngineScenario.path)
    guard let store = try scenario.open(on: image).store else { return }
    if try scenario.accepts(CrashContents(of: store), as: contents) {
      throw CrashContradiction(description: "nothing is in the window alone")
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
        try DamageSample("in the window", plain, compacted, leftOpenBehind: synced, andUnsynced: stored),
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

  private static let stored: [CrashOperation] = [
    .background,
    .set(.init("key-1"), byteCount: 200, .unsynced), .remove(.init("key-0"), .unsynced),
    .batch([(.init("key-2"), 700), (.init("key-5"), 30)], .unsynced),
    .set(.init("key-0"), byteCount: 30, .unsynced),
  ]

  private static let compressed: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 3000, .unsynced), .set(.init("key-1"), byteCount: 9000, .unsynced),
    .reopen,
    .set(.init("key-0"), byteCount: 30_000, .unsynced), .set(.init("key-2"), byteCount: 40, .unsynced),
  ]
}
