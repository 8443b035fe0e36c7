import Sediment

/// A store as long as it is open, with what its threads have in common.
final class Session: @unchecked Sendable {
  // Sendable: constants of Sendable types, but for the journal, which is set before threads begin.
  let store: SedimentStore
  let path: String
  let settings: Settings
  let threadCount: Int
  let findings: Findings
  let watch: Watch
  let account: Account
  /// Where changes are told that may be cut off by the death of the process.
  var journal: Journal?

  /// Whether threads should end what they do.
  let stops = Flag()
  let isClosing = Flag()
  let isClosed = Flag()
  /// Whether a backup holds on to what is freed meanwhile.
  let isBackingUp = Flag()
  /// Whether what the threads change is recorded, to be compared with a backup.
  let records = Flag()
  /// Whether the file has no more bytes than its cap; one that is opened with a lower cap has to come down first.
  let isWithinCap = Flag()
  private let openedByteCount: Int

  init(
    _ path: String, _ settings: Settings, threadCount: Int, _ findings: Findings, _ watch: Watch,
    _ account: Account
  ) throws {
    self.path = path
    self.settings = settings
    self.threadCount = threadCount
    self.findings = findings
    self.watch = watch
    self.account = account
    let byteCount = FileSize(path).length
    openedByteCount = byteCount
    isWithinCap.isSet = byteCount <= settings.cap ?? .max
    store = try watch.timed("opening", thread: -1, byteCount: byteCount) {
      try SedimentStore(path: path, options: settings.options)
    }
  }

  var ends: Bool { stops.isSet || findings.isFatal }

  func close() throws {
    isClosing.isSet = true
    let byteCount = FileSize(path).length
    try watch.timed("close()", thread: -1, byteCount: byteCount) { try store.close() }
    isClosed.isSet = true
  }

  /// The bytes that the file may have; nil for any number.
  var byteCountMax: Int? {
    settings.cap.map { isWithinCap.isSet ? $0 : openedByteCount }
  }

  // MARK: What may be refused

  /// Whether a change that adds so much at most has to succeed while so much is held.
  func mustSucceed(adding byteCount: Int, holding held: Int) -> Bool {
    if settings.compaction == .off { return false }
    switch settings.capacity {
    case .unlimited: return FileSize.free(at: path) > 1 << 30
    case .limited:
      if isBackingUp.isSet { return false }
      return hasRoom(for: held + byteCount)
    case .evicting(let cap): return byteCount <= Int(cap) / 8 / threadCount
    }
  }

  /// Whether a cap leaves as much room as changes need where so much is held.
  func hasRoom(for held: Int) -> Bool {
    held + Room.fixed <= (settings.cap ?? .max) / 100 * Room.percent
  }

  /// How much of a cap live records may take at most for changes to succeed.
  private enum Room {
    static let percent = 60
    static let fixed = 512 << 10
  }
}
