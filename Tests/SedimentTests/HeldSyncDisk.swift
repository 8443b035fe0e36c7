import SedimentDisk
import SedimentTesting
import Synchronization

/// A simulated disk whose syncs a test lets through one by one.
final class HeldSyncDisk: Disk {
  let disk: SimulatedDisk
  let gate = Gate()

  /// Counts the syncs that have come, and lets go those that may.
  final class Gate: Sendable {
    let arrived = Counter()
    let released = Counter()
    private let isHolding = Atomic(false)

    /// From now on syncs wait to be let through.
    func hold() { isHolding.store(true, ordering: .releasing) }

    func pass() {
      guard isHolding.load(ordering: .acquiring) else { return }
      arrived.add()
      released.wait(for: arrived.value)
    }
  }

  init(_ disk: SimulatedDisk) {
    self.disk = disk
  }

  var pageByteCount: Int { disk.pageByteCount }

  func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    HeldSyncFile(try disk.open(path, mode), gate)
  }

  func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError) {
    try disk.rename(path, to: destination, rule)
  }

  func remove(_ path: String) throws(DiskError) { try disk.remove(path) }
  func syncDirectory(of path: String) throws(DiskError) { try disk.syncDirectory(of: path) }
  func wallClock() -> UInt64 { disk.wallClock() }
  func monotonicClock() -> UInt64 { disk.monotonicClock() }
  func random() -> UInt64 { disk.random() }
}

/// A file of such a disk.
private final class HeldSyncFile: DiskFile {
  private let file: any DiskFile
  private let gate: HeldSyncDisk.Gate

  init(_ file: any DiskFile, _ gate: HeldSyncDisk.Gate) {
    self.file = file
    self.gate = gate
  }

  func sync() throws(DiskError) {
    gate.pass()
    try file.sync()
  }

  var path: String { file.path }
  var traits: FileTraits { file.traits }
  var identifier: FileIdentifier { file.identifier }
  func byteCount() throws(DiskError) -> UInt64 { try file.byteCount() }

  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    try file.read(into: &buffer, at: offset)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) { try file.write(bytes, at: offset) }
  func allocate(_ range: Range<UInt64>) throws(DiskError) { try file.allocate(range) }
  func punchHole(_ range: Range<UInt64>) throws(DiskError) { try file.punchHole(range) }

  func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>? {
    try file.dataRange(from: offset)
  }

  func truncate(to byteCount: UInt64) throws(DiskError) { try file.truncate(to: byteCount) }

  func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
    try file.reserveMapping(byteCount: byteCount)
  }

  func clone(to path: String) throws(DiskError) { try file.clone(to: path) }

  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool {
    try file.lock(range, mode)
  }

  func unlock(_ range: Range<UInt64>) throws(DiskError) { try file.unlock(range) }
  func close() throws(DiskError) { try file.close() }
}
