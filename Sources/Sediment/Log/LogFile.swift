internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// The bytes of an open store: its file, and the addresses at which they are mapped.
///
/// Readers read through `base`, below `mappedByteCount` only. The writer stores into what is exposed as writable,
/// or writes. Exposing and growing happen under the writer's lock.
@safe final class LogFile: @unchecked Sendable {
  let file: any DiskFile
  let identity: FileIdentity
  /// How values are read; nil where that is by `file.read` alone.
  private let mapping: FileMapping?
  /// Whether records are stored through the mapping.
  let storesThroughMapping: Bool
  /// The address of the file's first byte; only meaningful where something is mapped.
  nonisolated(unsafe) let base: UnsafeRawPointer
  /// Behind the last mapped byte.
  ///
  /// Written under the writer's lock, before anything leads readers there.
  private let mappedEnd: UnsafeMutablePointer<UInt64>

  init(_ file: any DiskFile, identity: FileIdentity, access: SedimentOptions.Access, readOnly: Bool) {
    self.file = file
    self.identity = identity
    mapping = access == .unmapped ? nil : Self.reserve(file)
    storesThroughMapping =
      mapping != nil && access == .automatic && file.traits.allocatesBlocks && !readOnly
    unsafe base = mapping.map { unsafe UnsafeRawPointer($0.base) } ?? UnsafeRawPointer(bitPattern: 1)!
    unsafe mappedEnd = .allocate(capacity: 1)
    unsafe mappedEnd.initialize(to: 0)
  }

  deinit {
    unsafe mappedEnd.deallocate()
  }

  /// Addresses for as large a file as the process can have; nil if it has none left.
  private static func reserve(_ file: any DiskFile) -> FileMapping? {
    for byteCount in [64 << 30, 4 << 30, 256 << 20] as [UInt64] {
      if let mapping = try? file.reserveMapping(byteCount: byteCount) { return mapping }
    }
    return nil
  }

  /// Behind the last byte that may be read at `base`; 0 where nothing is mapped.
  @inline(__always) var mappedByteCount: UInt64 {
    unsafe Atomic<UInt64>.load(mappedEnd)
  }

  // MARK: Mapping

  /// Makes the file readable at `base` up to `byteCount`, as far as there are addresses.
  func map(upTo byteCount: UInt64) throws(DiskError) {
    guard let mapping else { return }
    let start = unsafe mappedEnd.pointee
    let end = min(byteCount, mapping.byteCount)
    guard start < end else { return }
    try mapping.expose(pages(start..<end), writable: false)
    unsafe Atomic<UInt64>.store(end, mappedEnd)
  }

  /// Makes a run of slots writable at its addresses; false if its records are to be written instead.
  func makeWritable(_ run: Range<UInt64>) throws(DiskError) -> Bool {
    guard storesThroughMapping, let mapping, run.upperBound <= mapping.byteCount else { return false }
    try mapping.expose(pages(run), writable: true)
    return true
  }

  /// Takes the right to write away again, so that a stray store of the program cannot reach what is written.
  func makeReadOnly(_ run: Range<UInt64>) throws(DiskError) {
    guard storesThroughMapping, let mapping, run.upperBound <= mapping.byteCount else { return }
    try mapping.protect(pages(run))
  }

  /// Whole pages; slots consist of them unless the system's are larger.
  private func pages(_ range: Range<UInt64>) -> Range<UInt64> {
    guard let mapping else { return range }
    let page = UInt64(mapping.pageByteCount)
    return range.lowerBound / page * page..<(range.upperBound + page - 1) / page * page
  }

  // MARK: Bytes

  /// Stores bytes at addresses that are writable.
  @inline(__always) func store(_ bytes: RawSpan, at offset: UInt64) {
    mapping?.store(bytes, at: offset)
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    try file.write(bytes, at: offset)
  }

  /// Reads `count` bytes; fewer where the file ends.
  func read(_ count: Int, at offset: UInt64) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var elements = bytes.mutableSpan
    var span = unsafe elements.mutableBytes
    let found = try file.read(into: &span, at: offset)
    bytes.removeLast(count - found)
    return bytes
  }
}
