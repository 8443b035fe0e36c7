import Sediment
import SedimentDisk
import SedimentTesting

/// A simulated disk, each of whose calls is a point of a schedule.
final class ScheduledDisk: Disk {
  let inner: SimulatedDisk

  init(_ inner: SimulatedDisk) { self.inner = inner }

  var pageByteCount: Int { inner.pageByteCount }

  func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    SchedulePoint.reach(.disk)
    return ScheduledFile(try inner.open(path, mode))
  }

  func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.rename(path, to: destination, rule)
  }

  func remove(_ path: String) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.remove(path)
  }

  func syncDirectory(of path: String) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.syncDirectory(of: path)
  }

  func createDirectories(of path: String) throws(DiskError) { try inner.createDirectories(of: path) }
  func wallClock() -> UInt64 { inner.wallClock() }
  func monotonicClock() -> UInt64 { inner.monotonicClock() }
  func random() -> UInt64 { inner.random() }
}

/// A file of such a disk.
private final class ScheduledFile: DiskFile {
  private let inner: any DiskFile

  init(_ inner: any DiskFile) { self.inner = inner }

  var path: String { inner.path }
  var traits: FileTraits { inner.traits }
  var identifier: FileIdentifier { inner.identifier }

  func byteCount() throws(DiskError) -> UInt64 {
    SchedulePoint.reach(.disk)
    return try inner.byteCount()
  }

  func allocatedByteCount() throws(DiskError) -> UInt64 { try inner.allocatedByteCount() }

  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    SchedulePoint.reach(.disk)
    return try inner.read(into: &buffer, at: offset)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.write(bytes, at: offset)
  }

  func allocate(_ range: Range<UInt64>) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.allocate(range)
    // What others do before the caller knows of it.
    SchedulePoint.reach(.disk)
  }

  func punchHole(_ range: Range<UInt64>) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.punchHole(range)
  }

  func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>? {
    SchedulePoint.reach(.disk)
    return try inner.dataRange(from: offset)
  }

  func truncate(to byteCount: UInt64) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.truncate(to: byteCount)
  }

  func sync() throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.sync()
    SchedulePoint.reach(.disk)
  }

  func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
    let mapping = try inner.reserveMapping(byteCount: byteCount)
    let scheduled = ScheduledMapping(mapping)
    return unsafe FileMapping(
      base: mapping.base, byteCount: mapping.byteCount, pageByteCount: mapping.pageByteCount,
      backing: scheduled, observer: scheduled)
  }

  func clone(to path: String) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.clone(to: path)
  }

  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool {
    SchedulePoint.reach(.disk)
    return try inner.lock(range, mode)
  }

  func unlock(_ range: Range<UInt64>) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.unlock(range)
  }

  func close() throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.close()
  }
}

/// A mapping of such a file.
private final class ScheduledMapping: MappingBacking, StoreObserver {
  private let inner: FileMapping

  init(_ inner: FileMapping) { self.inner = inner }

  func expose(
    _ base: UnsafeMutableRawPointer, _ range: Range<UInt64>, writable: Bool
  ) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.expose(range, writable: writable)
  }

  func conceal(_ base: UnsafeMutableRawPointer, _ range: Range<UInt64>) throws(DiskError) {
    SchedulePoint.reach(.disk)
    try inner.conceal(range)
  }

  func release(_ base: UnsafeMutableRawPointer, byteCount: UInt64) {}

  func store(_ bytes: RawSpan, at offset: UInt64) {
    SchedulePoint.reach(.disk)
    inner.store(bytes, at: offset)
  }
}
