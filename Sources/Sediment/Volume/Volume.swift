internal import CSediment
internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// The bytes of an open store: its file, the addresses at which all of it is mapped for reading and nothing else, and
/// others at which the window is mapped to be stored into (DESIGN.md 5.1).
///
/// Readers read through `base`, below `mappedByteCount` only. Exposing, growing and storing are for whoever has
/// the writer.
@safe final class Volume: @unchecked Sendable {
  // Unchecked: constants, and words that who has the writer stores and others load with acquire ordering.

  let file: StoreFile
  let identity: FileIdentity
  /// How values are read; nil where that is by `file.read` alone.
  private let mapping: FileMapping?
  /// Where records are stored into the window; nil while there is none.
  private var windowMapping: FileMapping?
  /// Its address of the file's first byte; nil while there is none, or where its stores are observed.
  private nonisolated(unsafe) var windowBase: UnsafeMutableRawPointer?
  /// Whether there may be a window.
  let mayHaveWindow: Bool
  /// The address of the file's first byte; only meaningful where something is mapped.
  nonisolated(unsafe) let base: UnsafeRawPointer
  /// Behind the last mapped byte; written before anything leads readers there, who look without a lock.
  private let mappedEnd = Atomic<UInt64>(0)
  /// The slots of the window: the first one, and how many there are in the low 32 bits; 0 while there is none.
  private let windowWord = Atomic<UInt64>(0)

  init(_ file: StoreFile, identity: FileIdentity, access: SedimentOptions.Access, readOnly: Bool) {
    self.file = file
    self.identity = identity
    mapping = access == .unmapped ? nil : Self.reserve(file)
    // A page that it shared with other segments would be written again with every sync, and theirs with it.
    let hasPagesOfItsOwn = mapping.map { $0.pageByteCount <= Limits.slotByteCount } ?? false
    mayHaveWindow = hasPagesOfItsOwn && access == .automatic && file.traits.allocatesBlocks && !readOnly
    unsafe base = mapping.map { unsafe UnsafeRawPointer($0.base) } ?? UnsafeRawPointer(bitPattern: 1)!
  }

  /// Addresses for as large a file as the process can have; nil if it has none left.
  private static func reserve(_ file: StoreFile) -> FileMapping? {
    for byteCount in [64 << 30, 4 << 30, 256 << 20] as [UInt64] where byteCount < UInt64(Int.max) {
      if let mapping = try? file.reserveMapping(byteCount: byteCount) { return mapping }
    }
    return nil
  }

  // MARK: Mapping

  /// Whether every byte of the file can be read without a system call.
  private(set) var isWhollyMapped = false

  /// Behind the last byte that may be read at `base`; 0 where nothing is mapped.
  @inline(__always) var mappedByteCount: UInt64 { mappedEnd.load(ordering: .acquiring) }

  /// Makes what the file holds readable at `base` up to `byteCount`, as far as there are addresses.
  func map(upTo byteCount: UInt64) throws(SedimentError) {
    let start = mappedByteCount
    // What is mapped already says nothing of where the file ends.
    guard let mapping, start < byteCount else { return }
    isWhollyMapped = byteCount <= mapping.byteCount
    let end = min(byteCount, mapping.byteCount)
    guard start < end else { return }
    try onDisk { () throws(DiskError) in
      try mapping.expose(pageStart(start)..<pageEnd(end), writable: false)
    }
    mappedEnd.store(end, ordering: .releasing)
    SchedulePoint.reach(.published)
  }

  /// Makes nothing readable at `base` from `byteCount` on, where nothing is that anybody could be led to.
  func shrink(to byteCount: UInt64) throws(SedimentError) {
    let end = mappedByteCount
    guard let mapping, byteCount < end else { return }
    mappedEnd.store(byteCount, ordering: .releasing)
    SchedulePoint.reach(.published)
    // The page in which the rest ends stays, for what is before that is read there.
    try onDisk { () throws(DiskError) in try mapping.conceal(pageEnd(byteCount)..<pageEnd(end)) }
    isWhollyMapped = true
  }

  /// Where the page begins that an offset lies in.
  private func pageStart(_ offset: UInt64) -> UInt64 {
    mapping.map { offset / UInt64($0.pageByteCount) * UInt64($0.pageByteCount) } ?? offset
  }

  /// Where the first page begins that has nothing before an offset.
  private func pageEnd(_ offset: UInt64) -> UInt64 {
    mapping.map { pageStart(offset + UInt64($0.pageByteCount) - 1) } ?? offset
  }

  // MARK: The window

  /// Whether there is a window that is stored into.
  @inline(__always) var hasWindow: Bool { windowWord.load(ordering: .acquiring) != 0 }

  /// The window that is stored into; nil while none is.
  var window: Window? {
    let word = windowWord.load(ordering: .acquiring)
    return SlotRun(first: UInt32(word >> 32), count: UInt32(truncatingIfNeeded: word)).map { Window($0) }
  }

  /// Whether a window of these slots could be read, and so be stored into.
  func mayHaveWindow(in run: SlotRun) -> Bool {
    mayHaveWindow && mapping.map { run.byteRange.upperBound <= $0.byteCount } ?? false
  }

  /// Makes a window one that may be stored into; its blocks are allocated.
  ///
  /// Whoever is still in the one before finds out that what it has there is in the log by now.
  func enter(_ window: Window) throws(SedimentError) {
    let run = window.run.byteRange
    guard mayHaveWindow(in: window.run) else { return }
    try map(upTo: run.upperBound)
    let mapping = try file.reserveMapping(byteCount: run.upperBound)
    try onDisk { () throws(DiskError) in try mapping.expose(run, writable: true) }
    windowMapping = mapping
    unsafe windowBase = mapping.unobservedBase
    let word = UInt64(window.run.first) << 32 | UInt64(window.run.count)
    windowWord.store(word, ordering: .releasing)
    SchedulePoint.reach(.published)
  }

  /// Stores into no window any more; all that it held is in the log.
  func leaveWindow() {
    windowWord.store(0, ordering: .releasing)
    SchedulePoint.reach(.published)
    unsafe windowBase = nil
    windowMapping = nil
  }

  /// Stores bytes of the log into the window, at a place in the file that lies there.
  @inline(__always)
  func store(_ bytes: RawSpan, atPlace place: UInt64) {
    // Whoever copies from the window sees by now that what lay there is in the log.
    sediment_release_fence()
    if let windowBase = unsafe windowBase {
      unsafe bytes.withUnsafeBytes {
        unsafe sediment_store_words(windowBase + Int(place), $0.baseAddress.unsafelyUnwrapped, $0.count)
      }
    } else {
      windowMapping?.store(bytes, at: place)
    }
  }

  /// Gives a record that was laid out the checksum that it has at a unit of the file, in a segment of the seed, and stores
  /// it into the window.
  @inline(__always)
  func storeRecord(
    _ record: UnsafeMutableRawPointer, byteCount: Int, unit: UInt32, seed: UInt32, atPlace place: UInt64
  ) {
    if let windowBase = unsafe windowBase {
      sediment_release_fence()
      unsafe sediment_store_record(windowBase + Int(truncatingIfNeeded: place), seed, unit, record, byteCount)
    } else {
      unsafe RecordForm.seal(at: record, byteCount: byteCount, unit: unit, seed: seed)
      store(unsafe RawSpan(_unsafeStart: UnsafeRawPointer(record), byteCount: byteCount), atPlace: place)
    }
  }

  /// Writes bytes of the log from the window to their places.
  func flush(_ range: Range<UInt64>, of window: Window) throws(SedimentError) {
    let start = unsafe base + Int(window.place(of: range.lowerBound))
    try file.write(unsafe RawSpan(_unsafeStart: start, byteCount: range.count), at: range.lowerBound)
  }

  /// Copies bytes of the log from the window; what it is worth the caller finds out behind `sediment_acquire_fence`.
  func copy(_ range: Range<UInt64>, of window: Window, into memory: UnsafeMutableRawPointer) {
    unsafe sediment_load_words(memory, base + Int(window.place(of: range.lowerBound)), range.count)
  }
}
