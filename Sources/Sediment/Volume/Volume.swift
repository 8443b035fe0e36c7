internal import CSediment
internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// The bytes of an open store: its file, the addresses at which all of it is mapped for reading and nothing else, and
/// others at which the window is mapped to be stored into (DESIGN.md 5.1).
///
/// Readers read through `base`, below `mappedByteCount` only, which is 0 while records are read by calls. Exposing,
/// growing, storing and choosing how records are read are for whoever has the writer.
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
  /// Where the bytes end that readers may read in place; written before anything leads readers there, who look without a
  /// lock.
  private let mappedEnd = Atomic<UInt64>(0)
  /// Where the bytes end that the mapping exposes.
  private var exposedEnd: UInt64 = 0
  /// The length of the file, as it was mapped.
  private var fileByteCount: UInt64 = 0
  /// The memory that the process may have, asked for when it matters.
  private let memory: @Sendable () -> UInt64?
  private var choice = ReadModeChoice()
  /// How records are read.
  private(set) var readMode: SedimentReadMode
  /// The order in which the system expects reads.
  private var expectedOrder = ReadOrder.usual
  /// The slots of the window: the first one, and how many there are in the low 32 bits; 0 while there is none.
  private let windowWord = Atomic<UInt64>(0)

  init(
    _ file: StoreFile, identity: FileIdentity, access: SedimentOptions.Access, readOnly: Bool,
    memory: @escaping @Sendable () -> UInt64?
  ) {
    self.file = file
    self.identity = identity
    self.memory = memory
    let refusal: SedimentReadMode? =
      access == .unmapped ? .unmappedByOption : file.traits.isLocal ? nil : .unmappedByFileSystem
    mapping = refusal == nil ? Self.reserve(file) : nil
    readMode = refusal ?? (mapping == nil ? .unmappedByAddresses : .mapped)
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

  /// Behind the last byte that may be read at `base`; 0 where records are read by calls.
  @inline(__always) var mappedByteCount: UInt64 { mappedEnd.load(ordering: .acquiring) }

  /// Makes what the file holds readable at `base` up to `byteCount`, as far as there are addresses.
  func map(upTo byteCount: UInt64) throws(SedimentError) {
    let start = exposedEnd
    // What is mapped already says nothing of where the file ends.
    guard let mapping, start < byteCount else { return }
    fileByteCount = byteCount
    let end = min(byteCount, mapping.byteCount)
    guard start < end else { return publishMapping() }
    try onDisk { () throws(DiskError) in
      try mapping.expose(pageStart(start)..<pageEnd(end), writable: false)
    }
    exposedEnd = end
    publishMapping()
  }

  /// Lets readers read in place what is exposed, if records are read so.
  private func publishMapping() {
    isWhollyMapped = readMode == .mapped && fileByteCount == exposedEnd
    mappedEnd.store(readMode == .mapped ? exposedEnd : 0, ordering: .releasing)
    SchedulePoint.reach(.published)
  }

  /// Makes nothing readable at `base` from `byteCount` on, where nothing is that anybody could be led to.
  func shrink(to byteCount: UInt64) throws(SedimentError) {
    let end = exposedEnd
    guard let mapping, byteCount < end else { return }
    fileByteCount = byteCount
    exposedEnd = byteCount
    publishMapping()
    // The page in which the rest ends stays, for what is before that is read there.
    try onDisk { () throws(DiskError) in try mapping.conceal(pageEnd(byteCount)..<pageEnd(end)) }
  }

  /// Gives up all that is mapped, when nobody reads any more and nobody ever will.
  ///
  /// As long as anything is mapped the system keeps a removed file's blocks, and its file system in use.
  func letGo() {
    leaveWindow()
    // What cannot be concealed is given back with the last reference.
    try? shrink(to: 0)
  }

  // MARK: How records are read

  /// Whether what the file takes has changed by so much that how records are read is to be chosen anew.
  func isReadModeDue(takenByteCount: UInt64) -> Bool {
    mapping != nil && choice.isDue(takenByteCount: takenByteCount)
  }

  /// The memory that the process had when it was chosen how records are read; 0 if that was not asked for.
  var memoryByteCount: UInt64 { choice.memoryByteCount }

  /// Chooses anew how records are read, between two changes, by the bytes that the file takes: its holes take no memory.
  ///
  /// Readers that are under way go on as they began: what is exposed stays so.
  func chooseReadMode(takenByteCount: UInt64) {
    guard mapping != nil else { return }
    let fits = choice.fits(takenByteCount, isMapped: readMode == .mapped, memory: memory)
    readMode = fits ? .mapped : .unmappedByMemory
    publishMapping()
  }

  /// Tells the system how records are read from now on.
  ///
  /// Where they are read by calls, a call asks for no more than a record, and what the system would read ahead is of other
  /// keys. Calls that read from end to end ask for much at once.
  func expectReads() {
    let order: ReadOrder = readMode == .mapped ? .usual : .random
    if order == expectedOrder { return }
    expectedOrder = order
    file.expectReads(order)
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
