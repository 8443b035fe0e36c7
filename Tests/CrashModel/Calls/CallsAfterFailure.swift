internal import Sediment
internal import SedimentTesting

/// The public calls of a store after a call to the disk went wrong.
///
/// What they say must be true, whether the store has failed or has refused one change.
struct CallsAfterFailure {
  private let recorder: EngineRecorder
  private let store: SedimentStore
  private var findings: [(detail: String, reason: String)] = []

  /// Makes every call of an open store; the result is what was not as it should be.
  static func run(_ recorder: EngineRecorder) -> [(detail: String, reason: String)] {
    guard let store = recorder.store else { return [] }
    var calls = CallsAfterFailure(recorder, store)
    let time = recorder.disk.wallClock()
    // What has expired could not be told from what was lost.
    recorder.disk.setWallClock(to: 1)
    defer { recorder.disk.setWallClock(to: time) }
    calls.change()
    calls.compare()
    calls.backUp()
    return calls.findings
  }

  private init(_ recorder: EngineRecorder, _ store: SedimentStore) {
    (self.recorder, self.store) = (recorder, store)
  }

  private var disk: SimulatedDisk { recorder.disk }
  private var isEvicting: Bool { recorder.scenario.evictingByteCount != nil }

  private mutating func find(_ reason: String, at detail: String) {
    findings.append((detail, reason))
  }

  // MARK: Changes

  private static let operations: [CrashOperation] = [
    .sync,
    .set(.init("key-0"), byteCount: 30, .unsynced),
    .set(.init("key-1"), byteCount: 3000, .synced),
    .set(.init("key-6"), byteCount: 131_500, .unsynced),
    .batch([(.init("key-2"), 700), (.init("key-1"), nil), (.init("key-7"), 20_000)], .unsynced),
    .update(.init("key-5"), .unsynced),
    .setIfAbsent(.init("key-3"), byteCount: 40, .unsynced),
    .remove(.init("key-6"), .unsynced),
    .create("c"),
    .clear("c", .unsynced),
    .drop("c", .synced),
    .checkpoint,
    .compact,
  ]

  /// A store that has failed refuses every change and writes nothing; another one makes all of them.
  private mutating func change() {
    var quiet: (crashPoint: Int, sequence: UInt64)?
    for operation in Self.operations where !isEvicting || operation.isBlind {
      let hasFailed = recorder.isPoisoned
      do {
        try recorder.perform(operation)
        if hasFailed { find("a store that has failed does it", at: "\(operation)") }
      } catch {
        let code = (error as? SedimentError)?.code
        let mayBeFull = isEvicting && code == .outOfSpace
        if code != .outcomeUnknown, hasFailed || !mayBeFull { find("\(error)", at: "\(operation)") }
      }
      if recorder.isPoisoned, quiet == nil { quiet = (disk.crashPoint, store.lastSequence) }
    }
    guard let quiet else { return }
    if disk.crashPoint != quiet.crashPoint { find("it writes", at: "after it has failed") }
    if store.lastSequence != quiet.sequence { find("its log goes on", at: "after it has failed") }
  }

  // MARK: Reading

  /// The calls agree with each other and with the history.
  private mutating func compare() {
    do {
      let found = try CrashContents(of: store)
      let left = recorder.afterDeath(at: disk.crashPoint)
      if !left.states[left.leastFound...].contains(where: { recorder.scenario.accepts(found, as: $0) }) {
        find("reads \(found.summary)", at: "after all calls")
      }
      let keyCount = found.collections.values.reduce(0) { $0 + $1.count }
      if store.statistics.liveKeyCount != keyCount {
        find("\(store.statistics.liveKeyCount) keys of \(keyCount)", at: "the statistics")
      }
    } catch {
      find("\(error)", at: "reading")
    }
  }

  private static let copy = "/data/copy.sediment"

  /// The copy has what the store reads, survives a power failure and is sound.
  private mutating func backUp() {
    do {
      try store.backup(to: Self.copy)
    } catch {
      if disk.paths.contains(Self.copy) { find("a backup that throws leaves a file", at: "the backup") }
      return find("\(error)", at: "the backup")
    }
    do {
      let image = disk.afterPowerLoss(.nothing)
      image.setWallClock(to: 1)
      let report = try SedimentStore.verify(path: Self.copy, on: image)
      let damage = report.findings.filter { $0.kind != .orphaned }
      if !damage.isEmpty { find("\(damage)", at: "verifying the backup") }
      let options = SedimentOptions(durability: .unsynced, mustExist: true)
      let opened = try SedimentStore(
        path: Self.copy, options: options, disk: image, scheduler: ManualScheduler())
      let (copied, found) = (try CrashContents(of: opened), try CrashContents(of: store))
      if copied != found { find("has \(copied.summary), not \(found.summary)", at: "the backup") }
      try opened.close()
      try disk.remove(Self.copy)
    } catch {
      find("\(error)", at: "the backup")
    }
  }
}

extension CrashOperation {
  /// Whether the outcome does not depend on what an evicting store may have left out.
  fileprivate var isBlind: Bool {
    switch self {
    case .update, .setExpiry, .setIfAbsent: false
    default: true
    }
  }
}
