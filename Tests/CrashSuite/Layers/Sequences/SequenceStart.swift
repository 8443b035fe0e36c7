import CrashModel
import Sediment
import SedimentTesting

/// What sequences begin with.
struct SequenceStart: Sendable {
  private let state: CrashState
  private let contents: CrashContents

  /// A disk that nothing was done to yet, with the recorder of what is going to be.
  func recorder(_ access: SedimentOptions.Access) -> EngineRecorder {
    let disk = state.afterPowerLoss(.everything)
    return EngineRecorder(
      Self.scenario(access), on: disk, after: CrashLeftover(contents), firstNumber: 1000)
  }

  /// Stores that are reached in one of the ways have no stored index: what they hold is found by scans alone.
  private static func scenario(_ access: SedimentOptions.Access) -> EngineScenario {
    var scenario = EngineScenario(access)
    scenario.storesIndex = access != .windowless
    if access == .unmapped { scenario.changeByteCountMax = 60 }
    return scenario
  }

  /// No file.
  static func new(_ access: SedimentOptions.Access) -> SequenceStart {
    let disk = machine(access, hasHistory: false).disk(options)
    return SequenceStart(state: disk.crashState, contents: CrashContents())
  }

  /// A store with several segments, sparse ones and one that is live but for a value that a tombstone in a sparse one
  /// hides; with values that have expired over older ones that had not, a large value and a collection.
  static func withHistory(_ access: SedimentOptions.Access) throws -> SequenceStart {
    let recorder = EngineRecorder(scenario(access), on: machine(access, hasHistory: true).disk(options))
    try recorder.open()
    for operation in history { try recorder.perform(operation) }
    try recorder.close()
    return SequenceStart(state: recorder.disk.crashState, contents: recorder.current)
  }

  private static let history: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 30, .unsynced),
    .set(.init("key-4"), byteCount: 7800, .unsynced),
    .set(.init("key-5"), byteCount: 7800, .unsynced),
    .set(.init("key-0", in: "a"), byteCount: 30, .unsynced),
    .set(.init("key-1"), byteCount: 9000, .unsynced),
    .set(.init("key-2"), byteCount: 7000, .synced),
    .set(.init("key-6"), byteCount: 9000, .unsynced),
    .set(.init("key-6"), byteCount: 40, lifetime: .milliseconds(30), .unsynced),
    .set(.init("key-7"), byteCount: 140_000, .unsynced),
    .compact,
    .pass(.seconds(660)),
    .sync,
    .reopen,
    .set(.init("key-2"), byteCount: 9000, .unsynced),
    .remove(.init("key-0"), .unsynced),
    .set(.init("key-1"), byteCount: 9000, .unsynced),
    .set(.init("key-2"), byteCount: 8000, .unsynced),
  ]

  // Always the same disk, so that a sequence goes on exactly as a shorter one did.
  private static let options = SimulatedDiskOptions(seed: 1, fileByteCountMax: 8 << 20)

  /// The machine of sequences that begin so: a common one where most is stored through mappings.
  private static func machine(_ access: SedimentOptions.Access, hasHistory: Bool) -> CrashMachine {
    switch (access, hasHistory) {
    case (.automatic, false): CrashMachine()
    case (.automatic, true): CrashMachine(pageByteCount: 16_384)
    case (.windowless, false): CrashMachine(pageByteCount: 65_536, refusals: [.directorySyncs])
    case (.windowless, true): CrashMachine(pageByteCount: 65_536)
    case (_, false): CrashMachine(pageByteCount: 4096, allocatesBlocks: false, punchesHoles: false)
    case (_, true): CrashMachine(pageByteCount: 4096, punchesHoles: false)
    }
  }
}
