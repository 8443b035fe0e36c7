// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Classes with subclasses in other modules are open; their methods are those of `Disk` and `DiskFile`.

public import SedimentDisk
import SedimentFormat
package import SedimentTesting
package import Synchronization

/// A simulated disk of which a subclass does something in another way.
///
/// Unchecked, as a class that has subclasses must be: these have constants, atomics and locks.
open class ForwardingDisk: Disk, @unchecked Sendable {
  package let inner: SimulatedDisk
  /// All random numbers so far.
  package let drawn = Mutex<[UInt64]>([])

  package init(_ inner: SimulatedDisk) { self.inner = inner }

  /// A file that was opened, as this disk gives it to who asked.
  open func file(_ file: any DiskFile) -> any DiskFile { file }

  public final func random() -> UInt64 {
    let number = inner.random()
    drawn.withLock { $0.append(number) }
    return number
  }

  public final var pageByteCount: Int { inner.pageByteCount }

  public final func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile {
    file(try inner.open(path, mode))
  }

  public final func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError) {
    try inner.rename(path, to: destination, rule)
  }

  public final func remove(_ path: String) throws(DiskError) { try inner.remove(path) }
  public final func syncDirectory(of path: String) throws(DiskError) { try inner.syncDirectory(of: path) }
  public final func createDirectories(of path: String) throws(DiskError) {
    try inner.createDirectories(of: path)
  }
  public final func wallClock() -> UInt64 { inner.wallClock() }
  public final func monotonicClock() -> UInt64 { inner.monotonicClock() }
  public final func memoryByteCount() -> UInt64? { inner.memoryByteCount() }
}

extension ForwardingDisk {
  /// Keys that are more alike than a probe is meant to pass, in the index of a store that is opened; nothing is drawn
  /// since but for that.
  package func keysAlike() -> [String] {
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
  package func keysThatAgree() -> (String, String)? {
    let seed = indexHash
    var keys: [UInt64: String] = [:]
    for number in 0..<500_000 {
      let key = "\(number)"
      // All bits of the base partition, and those that an entry holds.
      let entryShift = 64 - KeyHash.baseBitCount - KeyHash.entryBitCount
      let hash = unsafe seed.hash(Array(key.utf8).span.bytes) >> entryShift
      if let other = keys.updateValue(key, forKey: hash) {
        return (other, key)
      }
    }
    return nil
  }
}

/// A file of such a disk.
open class ForwardingFile: DiskFile, @unchecked Sendable {
  package let inner: any DiskFile

  package init(_ inner: any DiskFile) { self.inner = inner }

  open func sync() throws(DiskError) { try inner.sync() }

  open func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
    try inner.reserveMapping(byteCount: byteCount)
  }

  public final var path: String { inner.path }
  public final var traits: FileTraits { inner.traits }
  public final var identifier: FileIdentifier { inner.identifier }
  public final func byteCount() throws(DiskError) -> UInt64 { try inner.byteCount() }
  public final func allocatedByteCount() throws(DiskError) -> UInt64 { try inner.allocatedByteCount() }

  open func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    try inner.read(into: &buffer, at: offset)
  }

  open func expectReads(_ order: ReadOrder) { inner.expectReads(order) }
  open func forgetUnwritten() { inner.forgetUnwritten() }

  open func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    try inner.write(bytes, at: offset)
  }

  open func allocate(_ range: Range<UInt64>) throws(DiskError) { try inner.allocate(range) }
  public final func punchHole(_ range: Range<UInt64>) throws(DiskError) { try inner.punchHole(range) }

  public final func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>? {
    try inner.dataRange(from: offset)
  }

  public final func truncate(to byteCount: UInt64) throws(DiskError) { try inner.truncate(to: byteCount) }
  public final func clone(to path: String) throws(DiskError) { try inner.clone(to: path) }

  open func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool {
    try inner.lock(range, mode)
  }

  public final func unlock(_ range: Range<UInt64>) throws(DiskError) { try inner.unlock(range) }
  public final func close() throws(DiskError) { try inner.close() }
}

/// A mapping whose pages are touched in another way, or are larger.
package final class ForwardingMapping: MappingBacking, StoreObserver, @unchecked Sendable {
  package let inner: FileMapping

  package init(_ inner: FileMapping) { self.inner = inner }

  /// The mapping as it is given to who asked.
  package final func mapping(pageByteCount: Int) -> FileMapping {
    let page = UInt64(pageByteCount)
    return unsafe FileMapping(
      base: inner.base, byteCount: inner.byteCount / page * page, pageByteCount: pageByteCount,
      backing: self, observer: self)
  }

  package final func expose(
    _ base: UnsafeMutableRawPointer, _ range: Range<UInt64>, writable: Bool
  ) throws(DiskError) { try inner.expose(range, writable: writable) }

  package final func conceal(_ base: UnsafeMutableRawPointer, _ range: Range<UInt64>) throws(DiskError) {
    try inner.conceal(range)
  }

  package final func release(_ base: UnsafeMutableRawPointer, byteCount: UInt64) {}
  package final func store(_ bytes: RawSpan, at offset: UInt64) { inner.store(bytes, at: offset) }
}
