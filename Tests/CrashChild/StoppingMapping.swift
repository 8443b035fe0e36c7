import CrashModel
import SedimentDisk

/// A mapping of such a file.
final class StoppingMapping: MappingBacking, StoreObserver {
  private let inner: FileMapping
  private let counter: StopCounter

  init(_ inner: FileMapping, _ counter: StopCounter) {
    self.inner = inner
    self.counter = counter
  }

  /// The mapping as it is given to who asked; it keeps this object and so the inner one.
  var mapping: FileMapping {
    unsafe FileMapping(
      base: inner.base, byteCount: inner.byteCount, pageByteCount: inner.pageByteCount, backing: self,
      observer: self)
  }

  func store(_ bytes: RawSpan, at offset: UInt64) {
    let isLast = counter.begin(.store)
    defer { counter.end(isLast) }
    inner.store(bytes.extracting(0..<counter.byteCount(of: bytes.byteCount, isLast)), at: offset)
  }

  func expose(
    _ base: UnsafeMutableRawPointer, _ range: Range<UInt64>, writable: Bool
  ) throws(DiskError) {
    try counter.pass(.map) { () throws(DiskError) in try inner.expose(range, writable: writable) }
  }

  func conceal(_ base: UnsafeMutableRawPointer, _ range: Range<UInt64>) throws(DiskError) {
    try counter.pass(.map) { () throws(DiskError) in try inner.conceal(range) }
  }

  // The inner one gives its addresses back by itself.
  func release(_ base: UnsafeMutableRawPointer, byteCount: UInt64) {}
}
