import CrashModel
import SedimentDisk

/// The machine's disk, on which the process kills itself at one of its calls or stores.
final class StoppingDisk: Disk {
  private let inner = SystemDisk()
  private let counter: StopCounter

  init(_ stop: KillSetup.Stop) {
    counter = StopCounter(stop)
  }

  var pageByteCount: Int { inner.pageByteCount }

  func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    let file = try counter.pass(.open) { () throws(DiskError) in try inner.open(path, mode) }
    return StoppingFile(file, counter)
  }

  func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError) {
    try counter.pass(.rename) { () throws(DiskError) in try inner.rename(path, to: destination, rule) }
  }

  func remove(_ path: String) throws(DiskError) {
    try counter.pass(.remove) { () throws(DiskError) in try inner.remove(path) }
  }

  func syncDirectory(of path: String) throws(DiskError) {
    try counter.pass(.syncDirectory) { () throws(DiskError) in try inner.syncDirectory(of: path) }
  }

  func createDirectories(of path: String) throws(DiskError) {
    try counter.pass(.createDirectories) { () throws(DiskError) in try inner.createDirectories(of: path) }
  }

  func wallClock() -> UInt64 { inner.wallClock() }
  func monotonicClock() -> UInt64 { inner.monotonicClock() }
  func random() -> UInt64 { inner.random() }
}

/// A file of such a disk.
private final class StoppingFile: DiskFile {
  private let inner: any DiskFile
  private let counter: StopCounter

  init(_ inner: any DiskFile, _ counter: StopCounter) {
    self.inner = inner
    self.counter = counter
  }

  var path: String { inner.path }
  var traits: FileTraits { inner.traits }
  var identifier: FileIdentifier { inner.identifier }

  func byteCount() throws(DiskError) -> UInt64 { try inner.byteCount() }
  func allocatedByteCount() throws(DiskError) -> UInt64 { try inner.allocatedByteCount() }

  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    let isLast = counter.begin(.call(.read))
    defer { counter.end(isLast) }
    return try inner.read(into: &buffer, at: offset)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    let isLast = counter.begin(.call(.write))
    defer { counter.end(isLast) }
    try inner.write(bytes.extracting(0..<counter.byteCount(of: bytes.byteCount, isLast)), at: offset)
  }

  func allocate(_ range: Range<UInt64>) throws(DiskError) {
    try counter.pass(.allocate) { () throws(DiskError) in try inner.allocate(range) }
  }

  func punchHole(_ range: Range<UInt64>) throws(DiskError) {
    try counter.pass(.punchHole) { () throws(DiskError) in try inner.punchHole(range) }
  }

  func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>? {
    try inner.dataRange(from: offset)
  }

  func truncate(to byteCount: UInt64) throws(DiskError) {
    try counter.pass(.truncate) { () throws(DiskError) in try inner.truncate(to: byteCount) }
  }

  func sync() throws(DiskError) {
    try counter.pass(.sync) { () throws(DiskError) in try inner.sync() }
  }

  func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
    try counter.pass(.map) { () throws(DiskError) in
      StoppingMapping(try inner.reserveMapping(byteCount: byteCount), counter).mapping
    }
  }

  func clone(to path: String) throws(DiskError) { try inner.clone(to: path) }

  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool {
    try counter.pass(.lock) { () throws(DiskError) in try inner.lock(range, mode) }
  }

  func unlock(_ range: Range<UInt64>) throws(DiskError) { try inner.unlock(range) }

  func close() throws(DiskError) {
    try counter.pass(.close) { () throws(DiskError) in try inner.close() }
  }
}
