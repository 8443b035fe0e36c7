internal import CSediment
internal import SedimentDisk
internal import SedimentFormat

/// Appends to the hot log: the one writer of the file (DESIGN.md 5, "Append").
///
/// Everything here happens under the writer's lock. A failed write poisons: nothing is written after it
/// (invariant 20). What is refused before anything was written throws and leaves all as it was.
@safe final class LogWriter: @unchecked Sendable {
  let disk: any Disk
  let file: LogFile
  let identity: FileIdentity
  let slots: SlotTable
  var catalogue: Catalogue
  var space: SlotSpace
  /// Slots from here on were never used, so no header of an older use can lie there.
  private var freshSlot: UInt32
  /// Where the log goes on; a pointer, because the way of every write leads through it.
  let tail: UnsafeMutablePointer<Tail>
  /// Why nothing may be written any more, once something failed.
  private(set) var poison: SedimentError?
  /// The bytes that the index leads to, records whole.
  var liveByteCount = 0
  /// The bytes appended behind the last checkpoint.
  var replayByteCount: UInt64
  /// When a checkpoint is due, by the bytes appended since the last.
  var replayByteCountMax: UInt64 = 8 << 20
  /// The watermark of the last mark in the log.
  var markedWatermark: LogPosition
  /// The free slots below which the file should grow in the background.
  var wantedFreeCount: UInt32 = 0
  /// The most slots that the file may have.
  private let slotCountMax: UInt32
  var userByteCount: UInt64 = 0
  var writtenByteCount: UInt64 = 0
  /// Told that the log will soon reach pages which nobody has touched yet.
  var wantsPages: (@Sendable () -> Void)?
  /// Told of each segment that was sealed.
  var sealed: (@Sendable () -> Void)?
  /// Told of what poisons.
  var poisoned: (@Sendable (SedimentError) -> Void)?
  private var scratch: UnsafeMutableRawBufferPointer

  init(
    disk: any Disk, file: LogFile, identity: FileIdentity, slots: SlotTable, catalogue: Catalogue,
    space: SlotSpace, tail: Tail, replayByteCount: UInt64, markedWatermark: LogPosition,
    byteCountMax: UInt64?
  ) {
    self.markedWatermark = markedWatermark
    slotCountMax = UInt32(
      min(
        byteCountMax.map { $0 >> UInt64(Limits.slotByteCountLog2) } ?? .max, UInt64(Limits.fileSlotCountMax)))
    self.disk = disk
    self.file = file
    self.identity = identity
    self.slots = slots
    self.catalogue = catalogue
    self.space = space
    self.replayByteCount = replayByteCount
    freshSlot = space.end
    unsafe self.tail = .allocate(capacity: 1)
    unsafe self.tail.initialize(to: tail)
    unsafe scratch = .allocate(byteCount: 4096, alignment: 64)
  }

  deinit {
    unsafe tail.deallocate()
    unsafe scratch.deallocate()
  }

  /// How a record reaches the file.
  enum Way {
    /// Stored at its mapped address where that can be, which is quickest.
    case stored
    /// Written, which is quicker if a sync follows at once.
    case written
  }

  // MARK: Records

  /// Appends a record for which there is room; the result is its first byte.
  @inline(__always)
  func append(
    _ form: RecordForm, key: RawSpan, value: RawSpan, _ way: Way
  ) throws(SedimentError) -> UInt64 {
    let byteCount = form.byteCount(keyByteCount: key.byteCount, valueByteCount: value.byteCount)
    if unsafe scratch.count < byteCount { growScratch(byteCount) }
    let offset = unsafe tail.pointee.offset
    unsafe encode(form, key: key, value: value, byteCount: byteCount, into: scratch.baseAddress!)
    let record = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(scratch.baseAddress!), byteCount: byteCount)
    if unsafe way == .stored && tail.pointee.isMapped {
      file.store(record, at: offset)
    } else {
      try write(record, at: offset)
    }
    unsafe tail.pointee.advance(past: form, byteCount: byteCount)
    replayByteCount &+= UInt64(byteCount)
    writtenByteCount &+= UInt64(byteCount)
    return offset
  }

  /// Makes the record that will stand at the tail.
  @inline(__always)
  private func encode(
    _ form: RecordForm, key: RawSpan, value: RawSpan, byteCount: Int, into start: UnsafeMutableRawPointer
  ) {
    let offset = unsafe tail.pointee.offset
    let sequence = unsafe tail.pointee.sequence &+ 1
    // The padding, of which the rest is overwritten below; a record has at least 16 bytes.
    unsafe start.storeBytes(of: 0 as UInt64, toByteOffset: byteCount - 8, as: UInt64.self)
    let lengths = UInt32(form.shape) | UInt32(truncatingIfNeeded: value.byteCount) &<< 8
    unsafe start.storeBytes(of: lengths.littleEndian, toByteOffset: 4, as: UInt32.self)
    let numbers = UInt64(UInt16(truncatingIfNeeded: key.byteCount)) | sequence &<< 16
    unsafe start.storeBytes(of: numbers.littleEndian, toByteOffset: 8, as: UInt64.self)
    var place = Limits.recordFixedByteCount
    if form.hasOptionalFields { unsafe place = form.encodeOptionalFields(into: start) }
    unsafe copy(key, to: start + place)
    unsafe copy(value, to: start + place + key.byteCount)
    let unit = UInt32(truncatingIfNeeded: offset / UInt64(Limits.unitByteCount))
    let checksum = unsafe sediment_crc32c_record(tail.pointee.segment.seed, unit, start, byteCount)
    unsafe start.storeBytes(of: checksum.littleEndian, as: UInt32.self)
  }

  @inline(__always)
  private func copy(_ bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    unsafe bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe target.copyMemory(from: start, byteCount: source.count)
    }
  }

  @inline(never)
  private func growScratch(_ byteCount: Int) {
    unsafe scratch.deallocate()
    unsafe scratch = .allocate(byteCount: byteCount + byteCount / 4, alignment: 64)
  }

  /// Appends a control record for which there is room; the result is its first byte.
  @discardableResult
  func append(_ control: ControlRecord, isBatched: Bool = false, _ way: Way) throws(SedimentError) -> UInt64 {
    let value = control.encode()!
    let form = RecordForm(kind: .control, isBatched: isBatched)
    return try append(form, key: RawSpan(), value: unsafe value.span.bytes, way)
  }

  /// Adds the record that was appended last to the checksum of its batch.
  func addLastRecord(to checksum: inout BatchChecksum) -> Bool {
    unsafe checksum.add(
      RawSpan(_unsafeStart: UnsafeRawPointer(scratch.baseAddress!), byteCount: Limits.recordFixedByteCount))
  }

  /// Writes bytes of the log; that it fails poisons.
  @inline(never)
  func write(_ bytes: RawSpan, at offset: UInt64) throws(SedimentError) {
    do throws(DiskError) {
      try file.write(bytes, at: offset)
    } catch {
      throw fail(error)
    }
  }

  /// Notes that a write or sync failed, after which nothing more is written by this opening.
  func fail(_ error: DiskError) -> SedimentError {
    fail(with: SedimentError(poisonedBy: error))
  }

  /// Notes a failure that was told as a store's error already.
  func fail(_ error: SedimentError) -> SedimentError {
    fail(with: SedimentError(poisonedBy: error))
  }

  private func fail(with failure: SedimentError) -> SedimentError {
    if poison == nil {
      poison = failure
      poisoned?(failure)
    }
    return failure
  }

  // MARK: Room

  /// Sees to it that the tail has room for records of so many bytes in all, or throws and changes nothing.
  @inline(__always)
  func makeRoom(_ byteCount: Int, for purpose: SlotSpace.Purpose) throws(SedimentError) {
    let end = unsafe tail.pointee.offset &+ UInt64(byteCount)
    if unsafe end <= tail.pointee.softEnd { return }
    try makeMoreRoom(byteCount, purpose)
  }

  @inline(never)
  private func makeMoreRoom(_ byteCount: Int, _ purpose: SlotSpace.Purpose) throws(SedimentError) {
    if unsafe tail.pointee.room < byteCount { try openSegment(roomFor: byteCount, purpose) }
    unsafe tail.pointee.wantsUpkeep = replayByteCount > replayByteCountMax || wantsSpace
    let run = unsafe tail.pointee.identity.run.byteRange
    let end = run.upperBound - UInt64(Seal.recordByteCount)
    let offset = unsafe tail.pointee.offset
    guard unsafe tail.pointee.isMapped, space.end >= Self.aheadSlotCountMin else {
      unsafe tail.pointee.softEnd = end
      return
    }
    if file.softEnd(from: offset) < offset + UInt64(byteCount) { wantsPages?() }
    unsafe tail.pointee.softEnd = min(end, max(file.softEnd(from: offset), offset + 64 << 10))
  }

  /// The pages to touch ahead of need; to be populated without the lock.
  func pagesAhead() -> Range<UInt64>? {
    unsafe file.pagesAhead(of: tail.pointee.offset, in: tail.pointee.identity.run.byteRange)
  }

  /// The slots of a file that is worth touching pages for.
  private static let aheadSlotCountMin: UInt32 = 64

  /// Goes on in another hot segment (DESIGN.md 5, "Append").
  @inline(never)
  private func openSegment(roomFor byteCount: Int, _ purpose: SlotSpace.Purpose) throws(SedimentError) {
    let run = try takeHotRun(roomFor: byteCount, purpose)
    let (next, isMapped): (SegmentIdentity, Bool)
    do throws(DiskError) {
      next = try newIdentity(.hot, run)
      isMapped = try file.makeWritable(run.byteRange)
    } catch {
      space.give(run.first..<run.end)
      throw SedimentError(error)
    }
    try link(next, isMapped: isMapped)
  }

  /// Slots for a hot segment: as many as one should have, or as few as will do where space is short.
  private func takeHotRun(
    roomFor byteCount: Int, _ purpose: SlotSpace.Purpose
  ) throws(SedimentError) -> SlotRun {
    let whole = SegmentHeader.byteCount + byteCount + Seal.recordByteCount
    let least = UInt32((whole + Limits.slotByteCount - 1) / Limits.slotByteCount)
    let standard = SegmentSizes.hotSlotCount(liveByteCount: liveByteCount)
    if least < standard, let run = try? takeRun(standard, for: purpose) { return run }
    return try takeRun(least, for: purpose)
  }

  /// Takes slots that are free or, if there are none, gives bare ones blocks or lets the file grow.
  func takeRun(_ count: UInt32, for purpose: SlotSpace.Purpose) throws(SedimentError) -> SlotRun {
    do throws(DiskError) {
      while true {
        if let run = space.take(count, for: purpose) { return run }
        guard let bare = space.bareRun(for: count) else { break }
        try dress(bare)
      }
    } catch {
      throw SedimentError(error)
    }
    try grow(for: count, purpose)
    guard let run = space.take(count, for: purpose) else { throw .fileTooLarge(file.file.path) }
    return run
  }

  /// Gives bare slots blocks.
  func dress(_ run: Range<UInt32>) throws(DiskError) {
    let slotByteCount = UInt64(Limits.slotByteCount)
    try file.file.allocate(UInt64(run.lowerBound) * slotByteCount..<UInt64(run.upperBound) * slotByteCount)
    space.dress(run)
  }

  /// Lets the file grow until so many adjacent slots may be taken, and ahead of need where there is room for it.
  private func grow(for count: UInt32, _ purpose: SlotSpace.Purpose) throws(SedimentError) {
    guard let growth = space.growth(for: count, purpose) else {
      throw SedimentError.fileTooLarge(file.file.path)
    }
    guard growth <= slotCountLeft else {
      throw .capReached(file.file.path, UInt64(slotCountMax) << UInt64(Limits.slotByteCountLog2))
    }
    let ahead = min(growth + SegmentSizes.slotCountAhead(fileSlotCount: space.end), slotCountLeft)
    do throws(DiskError) {
      do throws(DiskError) {
        try extend(by: ahead)
      } catch {
        guard error.code.isOutOfSpace, growth < ahead else { throw error }
        try extend(by: growth)
      }
    } catch {
      throw SedimentError(error)
    }
    setWantedFreeCount()
  }

  /// The slots that the file may still grow by.
  private var slotCountLeft: UInt32 {
    slotCountMax > space.end ? slotCountMax - space.end : 0
  }

  /// Whether the file may have so many slots.
  func isWithinCap(_ slotCount: UInt32) -> Bool {
    slotCount <= slotCountMax
  }

  /// Lets the file grow by slots that have blocks and addresses.
  func extend(by count: UInt32) throws(DiskError) {
    let slotByteCount = UInt64(Limits.slotByteCount)
    let end = UInt64(space.end + count) * slotByteCount
    try file.file.allocate(UInt64(space.end) * slotByteCount..<end)
    try file.mapGrowth(upTo: end)
    space.extend(by: count)
  }

  /// An identity for a use of slots, whose seed differs from that of the use before (invariant 5).
  func newIdentity(_ kind: SegmentKind, _ run: SlotRun) throws(DiskError) -> SegmentIdentity {
    let before = run.first < freshSlot ? try lastSeed(of: run) : nil
    freshSlot = max(freshSlot, run.end)
    let generation = catalogue.numbers.nextGeneration
    catalogue.numbers.nextGeneration = generation.advanced(by: 1)!
    while true {
      let next = SegmentIdentity(run: run, kind: kind, generation: generation, salt: disk.random())
      if next.seed(in: identity) != before { return next }
    }
  }

  private func lastSeed(of run: SlotRun) throws(DiskError) -> Checksum? {
    let bytes = try file.read(SegmentHeader.byteCount, at: run.byteRange.lowerBound)
    let header = try? SegmentHeader.decodeFreed(unsafe bytes.span.bytes, in: identity, at: run.first)
    return header?.identity.seed(in: identity)
  }

  /// Writes the next segment's header, then the seal that leads to it, and goes on there.
  private func link(_ next: SegmentIdentity, isMapped: Bool) throws(SedimentError) {
    let base = unsafe SequenceNumber(tail.pointee.sequence + 1)!
    let sealEnd = unsafe tail.pointee.offset + UInt64(Seal.recordByteCount)
    let predecessor = unsafe LogPosition(tail.pointee.identity.generation, UnitOffset(byteOffset: sealEnd)!)
    let header = SegmentHeader(
      identity: next, base: base, floor: base, predecessor: predecessor,
      heir: space.next(next.run.count))
    let bytes = header.encode(in: identity)
    if isMapped {
      file.store(unsafe bytes.span.bytes, at: next.run.byteRange.lowerBound)
    } else {
      try write(unsafe bytes.span.bytes, at: next.run.byteRange.lowerBound)
    }
    let seal = unsafe Seal(recordCount: tail.pointee.entry.recordCount, next: next)
    try append(.seal(seal), .stored)
    let old = unsafe tail.pointee
    catalogue.setTail(old.entry)
    do throws(Catalogue.Contradiction) {
      try catalogue.link(next, base: base, endOfTail: UnitOffset(byteOffset: old.offset)!)
    } catch {
      preconditionFailure("the writer contradicts its own catalogue: \(error.reason)")
    }
    let segment = Segment(next, base: base, in: identity)
    slots.add(segment, next.run)
    unsafe tail.pointee = Tail(
      identity: next, segment: segment, offset: next.recordRange.lowerBound.byteOffset,
      sequence: base.rawValue, countedSequence: base.rawValue, isMapped: isMapped,
      entry: catalogue.segments[next.generation]!)
    // That a stray store is not caught is no reason to stop.
    if old.isMapped { try? file.makeReadOnly(old.identity.run.byteRange, goingOnIn: next.run.byteRange) }
    sealed?()
  }
}
