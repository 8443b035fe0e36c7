internal import CSediment

/// A file's bytes at fixed addresses: `base + n` is byte `n` of the file for as long as the mapping lives.
///
/// Only exposed ranges may be touched. Readers read through `base`. Every write goes through `store`, so that the
/// simulated disk sees the writes in their order. The mapping is released with its last reference.
@safe
public final class FileMapping: Sendable {
  /// The address of the file's first byte.
  public nonisolated(unsafe) let base: UnsafeMutableRawPointer
  /// How many bytes of addresses are reserved.
  public let byteCount: UInt64
  /// The bytes of a page, of which the ranges below consist.
  public let pageByteCount: Int
  private let backing: any MappingBacking
  private let observer: (any StoreObserver)?

  /// Creates a mapping; an `observer` gets the bytes of each `store`, and has to write them itself.
  public init(
    base: UnsafeMutableRawPointer, byteCount: UInt64, pageByteCount: Int, backing: any MappingBacking,
    observer: (any StoreObserver)? = nil
  ) {
    unsafe self.base = base
    self.byteCount = byteCount
    self.pageByteCount = pageByteCount
    self.backing = backing
    self.observer = observer
  }

  deinit {
    unsafe backing.release(base, byteCount: byteCount)
  }

  /// Makes a page-aligned range of the file accessible, or changes how it is.
  ///
  /// The file must reach into the last page of the range, and a writable range must have been allocated on a file
  /// system whose traits include `allocatesBlocks`; otherwise touching it may end the process. Throws with the code
  /// `badDescriptor` once the file was closed, and `accessDenied` for a writable range of a file that was opened for
  /// reading.
  public func expose(_ range: Range<UInt64>, writable: Bool) throws(DiskError) {
    check(range)
    unsafe try backing.expose(base, range, writable: writable)
  }

  /// Makes a page-aligned range inaccessible; its addresses stay reserved.
  public func conceal(_ range: Range<UInt64>) throws(DiskError) {
    check(range)
    unsafe try backing.conceal(base, range)
  }

  /// The address for direct writes; nil if every write must go through `store`.
  package var unobservedBase: UnsafeMutableRawPointer? { unsafe observer == nil ? base : nil }

  /// Copies bytes into a range that is exposed as writable, in whole words where `offset` is a multiple of 8.
  ///
  /// Other threads may read the range in whole words meanwhile.
  public func store(_ bytes: RawSpan, at offset: UInt64) {
    precondition(
      offset <= byteCount && UInt64(bytes.byteCount) <= byteCount - offset,
      "store beyond the reserved addresses")
    if let observer {
      observer.store(bytes, at: offset)
    } else {
      unsafe bytes.withUnsafeBytes { source in
        guard let start = source.baseAddress else { return }
        unsafe sediment_store_words(base + Int(offset), start, source.count)
      }
    }
  }
}

extension FileMapping {
  private func check(_ range: Range<UInt64>) {
    let page = UInt64(pageByteCount)
    precondition(
      range.lowerBound.isMultiple(of: page) && range.upperBound.isMultiple(of: page),
      "mapped range not aligned to pages")
    precondition(range.upperBound <= byteCount, "mapped range beyond the reserved addresses")
  }
}

/// What makes the pages of a mapping accessible: the operating system, or a simulation of it.
public protocol MappingBacking: AnyObject, Sendable {
  /// Makes a range accessible, or changes how it is, as `FileMapping.expose` promises.
  func expose(_ base: UnsafeMutableRawPointer, _ range: Range<UInt64>, writable: Bool) throws(DiskError)
  /// Makes a range inaccessible, and keeps its addresses reserved.
  func conceal(_ base: UnsafeMutableRawPointer, _ range: Range<UInt64>) throws(DiskError)
  /// Gives the addresses back; called once, with the last reference to the mapping.
  func release(_ base: UnsafeMutableRawPointer, byteCount: UInt64)
}

/// Gets the bytes that are written through a mapping, and writes them to the file.
public protocol StoreObserver: AnyObject, Sendable {
  /// Makes `bytes` the file's contents at `offset`.
  func store(_ bytes: RawSpan, at offset: UInt64)
}
