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
  /// Writable slots at the end of the file, of which the log has taken none or the first ones.
  ///
  /// Under the writer's lock, like the next one.
  private var writable: Range<UInt64> = 0..<0
  /// Pages that were asked for ahead of need.
  private var populated: Range<UInt64> = 0..<0

  init(_ file: any DiskFile, identity: FileIdentity, access: SedimentOptions.Access, readOnly: Bool) {
    self.file = file
    self.identity = identity
    mapping = access == .unmapped ? nil : Self.reserve(file)
    // A page that several segments share could be neither writable for one nor given up with another.
    let hasPagesOfItsOwn = mapping.map { $0.pageByteCount <= Limits.slotByteCount } ?? false
    storesThroughMapping =
      hasPagesOfItsOwn && access == .automatic && file.traits.allocatesBlocks && !readOnly
    unsafe base = mapping.map { unsafe UnsafeRawPointer($0.base) } ?? UnsafeRawPointer(bitPattern: 1)!
    unsafe mappedEnd = .allocate(capacity: 1)
    unsafe mappedEnd.initialize(to: 0)
  }

  deinit {
    unsafe mappedEnd.deallocate()
  }

  /// Addresses for as large a file as the process can have; nil if it has none left.
  private static func reserve(_ file: any DiskFile) -> FileMapping? {
    for byteCount in [64 << 30, 4 << 30, 256 << 20] as [UInt64] where byteCount < UInt64(Int.max) {
      if let mapping = try? file.reserveMapping(byteCount: byteCount) { return mapping }
    }
    return nil
  }

  /// Whether every byte of the file can be read without a system call.
  private(set) var isWhollyMapped = false

  /// Behind the last byte that may be read at `base`; 0 where nothing is mapped.
  @inline(__always) var mappedByteCount: UInt64 {
    unsafe Atomic<UInt64>.load(mappedEnd)
  }

  // MARK: Mapping

  /// Makes what the file holds readable at `base` up to `byteCount`, as far as there are addresses.
  func map(upTo byteCount: UInt64) throws(DiskError) {
    _ = try expose(upTo: byteCount, writable: false)
  }

  /// Makes slots that the file has grown by accessible, which have blocks and hold nothing yet.
  func mapGrowth(upTo byteCount: UInt64) throws(DiskError) {
    guard let new = try expose(upTo: byteCount, writable: storesThroughMapping) else { return }
    guard storesThroughMapping else { return }
    writable = writable.upperBound == new.lowerBound ? writable.lowerBound..<new.upperBound : new
  }

  private func expose(upTo byteCount: UInt64, writable: Bool) throws(DiskError) -> Range<UInt64>? {
    guard let mapping else { return nil }
    isWhollyMapped = byteCount <= mapping.byteCount
    let start = unsafe mappedEnd.pointee
    let end = min(byteCount, mapping.byteCount)
    guard start < end else { return nil }
    try mapping.expose(pages(start..<end), writable: writable)
    unsafe Atomic<UInt64>.store(end, mappedEnd)
    SchedulePoint.reach(.published)
    return start..<end
  }

  /// Makes a run of slots writable at its addresses; false if its records are to be written instead.
  func makeWritable(_ run: Range<UInt64>) throws(DiskError) -> Bool {
    guard storesThroughMapping, let mapping, run.upperBound <= mapping.byteCount else { return false }
    if writable.lowerBound <= run.lowerBound, run.upperBound <= writable.upperBound { return true }
    guard keepFromRetiring(run) else { return false }
    try mapping.unprotect(pages(run))
    return true
  }

  /// A run that is being prepared, or was and is not entered yet: it must stay writable.
  private var spared: Range<UInt64> = 0..<0

  /// Begins to make a run fit ahead of need, which the caller has taken; false if that cannot be.
  ///
  /// Until it is entered or dropped. Under the writer's lock.
  func spare(_ run: Range<UInt64>) -> Bool {
    guard storesThroughMapping, let mapping, run.upperBound <= mapping.byteCount, keepFromRetiring(run)
    else { return false }
    spared = run
    return true
  }

  /// Makes a run writable that `spare` allowed, and touches its first pages if they are to be; to be called without the
  /// lock.
  ///
  /// The result is what was touched.
  func prepare(_ run: Range<UInt64>, touchesPages: Bool) throws(DiskError) -> Range<UInt64> {
    try mapping?.unprotect(pages(run))
    if !touchesPages { return run.lowerBound..<run.lowerBound }
    let touched = run.lowerBound..<min(run.upperBound, run.lowerBound + aheadByteCount)
    populate(pages(touched))
    return touched
  }

  /// The log goes on in a run that was prepared.
  ///
  /// Under the writer's lock.
  func enterPrepared(touched: Range<UInt64>) {
    populated = touched
    spared = 0..<0
  }

  /// Lets a run become read-only that was prepared and is not needed, unless it was writable anyhow.
  ///
  /// Under the writer's lock.
  func dropPrepared(_ run: Range<UInt64>) {
    spared = 0..<0
    if !writable.overlaps(run) { retiring.append(run) }
  }

  /// Takes a run out of what waits to be made read-only; false if that might happen to it at any moment.
  private func keepFromRetiring(_ run: Range<UInt64>) -> Bool {
    if retiring.prefix(protectedCount).contains(where: { $0.overlaps(run) }) { return false }
    guard retiring.contains(where: { $0.overlaps(run) }) else { return true }
    retiring = retiring.flatMap { range in
      guard range.overlaps(run) else { return [range] }
      let before = range.lowerBound..<max(range.lowerBound, run.lowerBound)
      let after = min(range.upperBound, run.upperBound)..<range.upperBound
      return [before, after].filter { !$0.isEmpty }
    }
    return true
  }

  /// Takes the right to write to a run away again once the log goes on in another one, so that a stray store of
  /// the program cannot reach what is written.
  ///
  /// That happens without the lock, soon; what lies in `writable` follows some megabytes at a time.
  func makeReadOnly(_ run: Range<UInt64>, goingOnIn next: Range<UInt64>) {
    guard storesThroughMapping, let mapping, run.upperBound <= mapping.byteCount else { return }
    guard writable.lowerBound <= run.lowerBound, run.upperBound <= writable.upperBound else {
      leaveOut(run)
      retiring.append(run)
      return
    }
    guard run.upperBound - writable.lowerBound >= Self.readOnlyByteCount, next.lowerBound >= run.upperBound
    else { return }
    let left = writable.lowerBound..<run.upperBound
    if left.overlaps(spared) { return }
    retiring.append(left)
    writable = run.upperBound..<writable.upperBound
  }

  /// Takes a run out of `writable` that lies in it in part.
  private func leaveOut(_ run: Range<UInt64>) {
    guard writable.overlaps(run) else { return }
    writable =
      run.lowerBound <= writable.lowerBound
      ? min(run.upperBound, writable.upperBound)..<writable.upperBound : writable.lowerBound..<run.lowerBound
  }

  /// What is to be made read-only with `protect`; the first ones somebody may be about to, without the lock.
  private var retiring: [Range<UInt64>] = []
  /// How many of these are at the moment.
  private var protectedCount = 0

  /// Whether so much waits to be made read-only that it should be done.
  ///
  /// Under the writer's lock.
  var wantsProtecting: Bool { protectedCount == 0 && retiring.count >= Self.retiringCountMax }

  private static let retiringCountMax = 8

  /// What is to be made read-only with `protect`, until `noteRetired` is called; empty if nothing is.
  ///
  /// Under the writer's lock.
  func beginProtecting() -> [Range<UInt64>] {
    if protectedCount > 0 { return [] }
    protectedCount = retiring.count
    return retiring
  }

  /// Makes what `beginProtecting` returned read-only; to be called without the lock.
  func protect(_ ranges: [Range<UInt64>]) {
    // That a stray store is not caught is no reason to stop.
    for range in ranges { try? mapping?.protect(wholePages(range)) }
  }

  /// What `beginProtecting` returned has been made read-only.
  ///
  /// Under the writer's lock.
  func noteRetired() {
    retiring.removeFirst(protectedCount)
    protectedCount = 0
  }

  // MARK: Shrinking

  /// Lets no page of a range be touched ahead of need, since it is about to lose its blocks.
  ///
  /// Under the writer's lock.
  func exclude(_ range: Range<UInt64>) {
    if writable.overlaps(range) {
      writable = writable.lowerBound..<max(writable.lowerBound, range.lowerBound)
    }
    if populated.overlaps(range) { populated = 0..<0 }
  }

  /// Whether nothing from `byteCount` on is being made read-only at this moment: it might be stored into again by
  /// the time that is done.
  ///
  /// Under the writer's lock.
  func canShrink(to byteCount: UInt64) -> Bool {
    retiring.prefix(protectedCount).allSatisfy { $0.upperBound <= byteCount }
  }

  /// Makes nothing readable at `base` from `byteCount` on, where nothing is that anybody could be led to.
  ///
  /// Under the writer's lock, and only where `canShrink` says so.
  func shrink(to byteCount: UInt64) throws(DiskError) {
    let end = unsafe mappedEnd.pointee
    guard let mapping, byteCount < end else { return }
    retiring = retiring.map { min($0.lowerBound, byteCount)..<min($0.upperBound, byteCount) }
    exclude(byteCount..<end)
    unsafe Atomic<UInt64>.store(byteCount, mappedEnd)
    SchedulePoint.reach(.published)
    // The page in which the rest ends stays, for what is before that is read there.
    try mapping.conceal(pageEnd(byteCount)..<pageEnd(end))
    isWhollyMapped = true
  }

  private static let readOnlyByteCount: UInt64 = 4 << 20

  // MARK: Pages ahead of need

  /// The pages that the log will soon reach and that nobody has touched yet; nil if there are enough.
  ///
  /// Touching a page for the first time takes as long as five records, unless it was populated.
  func pagesAhead(of offset: UInt64, in run: Range<UInt64>) -> Range<UInt64>? {
    guard storesThroughMapping, let mapping else { return nil }
    let regionEnd = writable.contains(offset) ? writable.upperBound : run.upperBound
    let end = min(regionEnd, offset + aheadByteCount)
    let start = populated.contains(offset) ? populated.upperBound : offset
    guard start < end, end <= mapping.byteCount else { return nil }
    let ahead = pages(start..<end)
    populated = (populated.contains(offset) ? populated.lowerBound : start)..<end
    return ahead
  }

  /// Where the log should ask for more pages; the highest number if it need not in its run.
  func nextRequest(from offset: UInt64, in run: Range<UInt64>) -> UInt64 {
    guard populated.contains(offset) else { return offset }
    let regionEnd = writable.contains(offset) ? writable.upperBound : run.upperBound
    if populated.upperBound >= regionEnd { return .max }
    return max(populated.upperBound, aheadByteCount / 2) - aheadByteCount / 2
  }

  /// Touches pages; a hint, which may fail or come too late.
  func populate(_ pages: Range<UInt64>) {
    // In steps, because as long as one takes, no thread of the process gets memory from the system.
    var start = pages.lowerBound
    while start < pages.upperBound {
      let end = min(start + Self.stepByteCount, pages.upperBound)
      guard (try? mapping?.populate(start..<end)) != nil else { return }
      start = end
    }
  }

  private static let stepByteCount: UInt64 = 128 << 10

  /// How far ahead of the log pages are touched: what is touched and not filled is written with the next sync.
  private var aheadByteCount: UInt64 {
    min(max(unsafe mappedEnd.pointee / 32, 512 << 10), 4 << 20)
  }

  /// The pages that lie in a range as a whole; those at its ends may be another segment's, too.
  private func wholePages(_ range: Range<UInt64>) -> Range<UInt64> {
    let start = pageEnd(range.lowerBound)
    return start..<max(start, pageStart(range.upperBound))
  }

  /// Whole pages; slots consist of them unless the system's are larger.
  private func pages(_ range: Range<UInt64>) -> Range<UInt64> {
    pageStart(range.lowerBound)..<pageEnd(range.upperBound)
  }

  /// Where the page begins that an offset lies in.
  private func pageStart(_ offset: UInt64) -> UInt64 {
    mapping.map { offset / UInt64($0.pageByteCount) * UInt64($0.pageByteCount) } ?? offset
  }

  /// Where the first page begins that has nothing before an offset.
  private func pageEnd(_ offset: UInt64) -> UInt64 {
    mapping.map { pageStart(offset + UInt64($0.pageByteCount) - 1) } ?? offset
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
