internal import Sediment
internal import SedimentTesting

/// A call that opens a file which somebody else has made.
enum ForgedCall: CaseIterable {
  case openForReading, openByScan, openForWriting, inspect, figures, verify, salvage, export, backup,
    liveBackup
  case compact

  /// Whether it reads all of a file, whatever is damaged.
  var isSurvey: Bool { self == .verify || self == .salvage }

  /// Thrown by a call that has no error of its own for a stop.
  struct Stopped: Error {}

  /// Makes the call; it asks `ask` now and then whether to stop.
  func run(
    _ disk: SimulatedDisk, _ access: SedimentOptions.Access,
    _ ask: @escaping (SedimentProgress) -> SedimentIteration
  ) throws {
    switch self {
    case .openForReading: try open(disk, access) { _ in }
    case .openByScan: try open(disk, access, storesIndex: false) { _ in }
    case .openForWriting:
      try open(disk, access, isReadOnly: false) { store in
        try store.set("value", forKey: "new", durability: .synced)
        try store.close()
      }
    case .inspect: try inspect(disk)
    case .figures: try open(disk, access) { store in _ = try store.survey() }
    case .verify: _ = try SedimentStore.verify(path: SeedStore.path, on: disk, progress: ask)
    case .salvage:
      _ = try SedimentStore.salvage(
        from: SeedStore.path, to: Self.copy, on: disk, keepsUncertain: true,
        valueByteCountMax: Self.valueByteCountMax, progress: ask)
    case .export: try open(disk, access) { store in try export(store, ask) }
    case .backup:
      try open(disk, access, isReadOnly: false) { store in try store.backup(to: Self.copy, progress: ask) }
    case .liveBackup:
      try open(disk, access) { store in try store.backupLiveRecords(to: Self.copy, progress: ask) }
    case .compact: try open(disk, access, isReadOnly: false) { store in try store.compact(progress: ask) }
    }
  }

  static let copy = "/data/copy"
  /// Longer values are refused: what a store stands for may be thousands of times what it has.
  private static let valueByteCountMax = 4 << 20

  private func open(
    _ disk: SimulatedDisk, _ access: SedimentOptions.Access, isReadOnly: Bool = true,
    storesIndex: Bool = true,
    _ body: (SedimentStore) throws -> Void
  ) throws {
    let store = try SeedStore.open(disk) { options in
      options.readOnly = isReadOnly
      options.storesIndex = storesIndex
      options.access = access
      options.valueByteCountMax = Self.valueByteCountMax
    }
    try body(store)
  }

  /// What the command `inspect` does with a file that it cannot open.
  private func inspect(_ disk: SimulatedDisk) throws {
    let glance = try FileGlance(path: SeedStore.path, on: disk)
    let head = try glance.head()
    glance.layWindow()
    for header in try glance.segmentHeaders(of: head) { _ = try glance.segment(header, of: head) }
  }

  /// What the command `export` does.
  private func export(_ store: SedimentStore, _ ask: (SedimentProgress) -> SedimentIteration) throws {
    for name in [nil] + store.collectionNames.map({ $0 }) {
      let keyspace = try name.map { try store.collection($0) } ?? store.defaultCollection
      var keys: [[UInt8]] = []
      try keyspace.forEachKey(withPrefix: [UInt8]()) { key in
        keys.append([UInt8](sedimentBytes: key))
        return .continue
      }
      for key in keys {
        if ask(SedimentProgress(completedByteCount: 0, totalByteCount: 1)) == .stop { throw Stopped() }
        try keyspace.stream(forKey: key)?.forEachPart { _ in }
      }
    }
  }
}
