import SedimentDisk
import SedimentFormat
import SedimentTesting
import Synchronization

/// A simulated disk of which a subclass does something in another way.
///
/// Unchecked, as a class that has subclasses must be: these have constants, atomics and locks.
class ForwardingDisk: Disk, @unchecked Sendable {
  let inner: SimulatedDisk
  /// All random numbers so far.
  let drawn = Mutex<[UInt64]>([])

  init(_ inner: SimulatedDisk) { self.inner = inner }

  /// A file that was opened, as this disk gives it to who asked.
  func file(_ file: any DiskFile) -> any DiskFile { file }

  final func random() -> UInt64 {
    let number = inner.random()
    drawn.withLock { $0.append(number) }
    return number
  }

  var pageByteCount: Int { inner.pageByteCount }

  final func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    file(try inner.open(path, mode))
  }

  final func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError) {
    try inner.rename(path, to: destination, rule)
  }

  final func remove(_ path: String) throws(DiskError) { try inner.remove(path) }
  final func syncDirectory(of path: String) throws(DiskError) { try inner.syncDirectory(of: path) }
  final func createDirectories(of path: String) throws(DiskError) { try inner.createDirectories(of: path) }
  final func wallClock() -> UInt64 { inner.wallClock() }
  final func monotonicClock() -> UInt64 { inner.monotonicClock() }
}

extension ForwardingDisk {
  /// Keys that are more alike than a probe is meant to pass, in the index of a store that is opened; nothing is drawn
  /// since but for that.
  func keysAlike() -> [String] {
    let seed = indexHash
    var keys: [String] = []
    var number = 0
    while keys.count < 340 {
      let key = "\(number)"
      if unsafe seed.hash(Array(key.utf8).span.bytes) >> 51 == 0 { keys.append(key) }
      number += 1
    }
    return keys
  }

  /// The hash of that index.
  private var indexHash: KeyHash {
    // One number for the session, then the seed.
    let drawn = drawn.withLock { $0 }
    return KeyHash(low: drawn[1], high: drawn[2])
  }

  /// Two keys whose entries agree in an index of few keys, as `keysAlike` finds more.
  func keysThatAgree() -> (String, String)? {
    let seed = indexHash
    var keys: [UInt64: String] = [:]
    for number in 0..<500_000 {
      let key = "\(number)"
      // All bits of the base partition, and those that an entry holds.
      if let other = keys.updateValue(key, forKey: unsafe seed.hash(Array(key.utf8).span.bytes) >> 33) {
        return (other, key)
      }
    }
    return nil
  }
}

/// A file of such a disk.
class ForwardingFile: DiskFile, @unchecked Sendable {
  let inner: any DiskFile

  init(_ inner: any DiskFile) { self.inner = inner }

  func sync() throws(DiskError) { try inner.sync() }

  func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
    try inner.reserveMapping(byteCount: byteCount)
  }

  final var path: String { inner.path }
  final var traits: FileTraits { inner.traits }
  final var identifier: FileIdentifier { inner.identifier }
  final func byteCount() throws(DiskError) -> UInt64 { try inner.byteCount() }
  final func allocatedByteCount() throws(DiskError) -> UInt64 { try inner.allocatedByteCount() }

  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    try inner.read(into: &buffer, at: offset)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    try inner.write(bytes, at: offset)
  }

  func allocate(_ range: Range<UInt64>) throws(DiskError) { try inner.allocate(range) }
  final func punchHole(_ range: Range<UInt64>) throws(DiskError) { try inner.punchHole(range) }

  final func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>? {
    try inner.dataRange(from: offset)
  }

  final func truncate(to byteCount: UInt64) throws(DiskError) { try inner.truncate(to: byteCount) }
  final func clone(to path: String) throws(DiskError) { try inner.clone(to: path) }

  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool {
    try inner.lock(range, mode)
  }

  final func unlock(_ range: Range<UInt64>) throws(DiskError) { try inner.unlock(range) }
  final func close() throws(DiskError) { try inner.close() }
}

/// A mapping whose pages are touched in another way, or are larger.
class ForwardingMapping: MappingBacking, StoreObserver, @unchecked Sendable {
  let inner: FileMapping

  init(_ inner: FileMapping) { self.inner = inner }

  /// The mapping as it is given to who asked.
  final func mapping(pageByteCount: Int) -> FileMapping {
    let page = UInt64(pageByteCount)
    return unsafe FileMapping(
      base: inner.base, byteCount: inner.byteCount / page * page, pageByteCount: pageByteCount,
      backing: self, observer: self)
  }

  final func expose(
    _ base: UnsafeMutableRawPointer, _ range: Range<UInt64>, writable: Bool
  ) throws(DiskError) { try inner.expose(range, writable: writable) }

  final func conceal(_ base: UnsafeMutableRawPointer, _ range: Range<UInt64>) throws(DiskError) {
    try inner.conceal(range)
  }

  final func release(_ base: UnsafeMutableRawPointer, byteCount: UInt64) {}
  final func store(_ bytes: RawSpan, at offset: UInt64) { inner.store(bytes, at: offset) }
}
