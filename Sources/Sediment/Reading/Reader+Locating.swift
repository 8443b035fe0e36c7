internal import CSediment
internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Reader {
  /// The record that a key is there by if it is found as most are: the search's first entry leads to it, it is in mapped
  /// memory, holds the value as it was set, and nothing that happens meanwhile asks for a closer look.
  ///
  /// Whether it is whole, `isWhole` tells. Nil says nothing about the key: `findRecord` then searches anew. In the reader's
  /// scope that the search was begun in.
  // `@inline(__always)` leaves what is as long as this to the compiler.
  @inline(always)
  func recordInPlace(
    _ key: RawSpan, _ place: IndexPlace?, _ state: CollectionState, isNear: Bool = false
  ) -> FoundRecord? {
    guard let place,
      let found = keyRecordInPlace(
        key, place.entry, state.number, bringingNear: options.verifiesReads && !isNear, holdingValue: true)
    else { return nil }
    // Whoever sees an entry of a batch that is being told to the index sees this, too.
    SchedulePoint.reach(.reading)
    guard publishedBatch.load(ordering: .acquiring) == 0 else { return nil }
    SchedulePoint.reach(.reading)
    guard isVisible(found.view, in: found.segment, state) else { return nil }
    if evicts { place.setReference() }
    return found
  }

  /// Whether a record has its checksum, if readers are to ask for that.
  ///
  /// A call, so it comes last, and what is to be done if it has not begins anew: little has to be kept meanwhile.
  @inline(__always)
  func isWhole(_ found: FoundRecord) -> Bool {
    !options.verifiesReads || found.view.isIntact(at: found.position, seed: found.segment.seed)
  }

  /// The record that an entry leads to, if it is one of the key in mapped memory, as most are.
  ///
  /// In the reader's scope that the entry was found in, or with the writer, from which `window` comes: what is in the
  /// window alone is found by it, too, and may be read until something is appended. With `bringingNear`, all of the
  /// record comes near that is about to be read, beside its beginning.
  @inline(always)
  func keyRecordInPlace(
    _ key: RawSpan, _ entry: IndexEntry, _ collection: UInt32, inWindow window: RecordsInWindow? = nil,
    bringingNear: Bool = false, holdingValue: Bool = false
  ) -> FoundRecord? {
    let position = entry.position &<< 3
    let mappedEnd = volume.mappedByteCount
    guard position < mappedEnd else { return nil }
    var start = unsafe volume.base + Int(truncatingIfNeeded: position)
    if bringingNear { unsafe prefetch(from: start) }
    guard let segment = slots.segment(at: position &>> UInt64(Limits.slotByteCountLog2)) else { return nil }
    let readableEnd = segment.readableEnd
    var end = min(readableEnd, mappedEnd)
    if let window, position >= readableEnd {
      unsafe start += Int(truncatingIfNeeded: window.shift)
      end = window.end
    }
    // Both are offsets of a file, far from where signed numbers end.
    let available = Int(truncatingIfNeeded: end) &- Int(truncatingIfNeeded: position)
    guard let view = unsafe RecordView(start, available: available),
      !holdingValue || view.holdsValue, view.collection == collection, view.hasKey(key)
    else { return nil }
    return unsafe FoundRecord(view: view, position: position, segment: segment, owner: nil)
  }

  /// Whether a key has certainly no record: the search found no entry, and nothing asks for a closer look.
  @inline(__always)
  func isMissing(_ search: KeySearch, _ state: CollectionState) -> Bool {
    search.place == nil && !search.mayBeUnfilled && publishedBatch.load(ordering: .acquiring) == 0
      && !state.isDropped.load(ordering: .relaxed)
  }
}

extension Reader {
  /// The newest record of a key, whatever it says; nil if the index has none.
  ///
  /// Inside a reader's scope or with the writer; see `record(at:forChange:inWindow:)`. With `verifying`, entries that lead to
  /// a damaged record are passed over as long as there are others, so that a key which was set again is well again.
  @inline(__always)
  func locate(
    _ key: RawSpan, in collection: UInt32, verifying: Bool, forChange: Bool = false,
    inWindow: RecordsInWindow? = nil, probe: inout IndexProbe
  ) throws(SedimentError) -> FoundRecord? {
    var damage: UInt64?
    while let entry = probe.next() {
      let position = entry.position &<< 3
      if verifying { prefetch(entry) }
      guard let found = try record(at: position, forChange: forChange, inWindow: inWindow) else {
        damage = position
        continue
      }
      if verifying, !found.view.isIntact(at: position, seed: found.segment.seed) {
        found.release()
        damage = position
        continue
      }
      if found.view.collection == collection, found.view.hasKey(key) { return found }
      found.release()
    }
    if let damage, verifying { throw damaged(at: damage) }
    return nil
  }

  /// The record at a position that the index named; nil if there is none that makes sense.
  ///
  /// A record in the window is copied, but for whoever has the writer, from which `inWindow` comes: the record may be
  /// read where it lies until something is appended.
  /// With `forChange`, the value is not asked for: fewer bytes are read where the record is read by a call.
  @inline(__always)
  func record(
    at position: UInt64, forChange: Bool = false, inWindow: RecordsInWindow? = nil
  ) throws(SedimentError) -> FoundRecord? {
    guard let segment = slots.segment(at: position &>> UInt64(Limits.slotByteCountLog2)) else { return nil }
    let end = min(segment.readableEnd, volume.mappedByteCount)
    if let found = mappedRecord(at: position, in: segment, before: end) { return found }
    if position >= end, position < segment.readableEnd {
      return try readRecord(at: position, in: segment, forChange: forChange)
    }
    if let inWindow, position >= segment.readableEnd { return record(at: position, in: segment, inWindow) }
    return try recordElsewhere(at: position, in: segment)
  }

  /// A record where it lies in the window; nil if there is none that makes sense.
  @inline(never)
  private func record(at position: UInt64, in segment: Segment, _ window: RecordsInWindow) -> FoundRecord? {
    // The segment is the one that the log ends in.
    let start = unsafe volume.base + Int(position &+ window.shift)
    guard let view = unsafe RecordView(start, available: Int(window.end &- position)) else { return nil }
    return unsafe FoundRecord(view: view, position: position, segment: segment, owner: nil)
  }

  /// The record at a position in the mapping, which may be read up to an end; nil if there is none that makes sense.
  @inline(__always)
  private func mappedRecord(at position: UInt64, in segment: Segment, before end: UInt64) -> FoundRecord? {
    guard position < end,
      let view = unsafe RecordView(volume.base + Int(position), available: Int(end - position))
    else { return nil }
    return unsafe FoundRecord(view: view, position: position, segment: segment, owner: nil)
  }

  /// A record that is not in mapped memory, or not in its place yet; nil if there is none that makes sense.
  @inline(never)
  private func recordElsewhere(at position: UInt64, in segment: Segment) throws(SedimentError) -> FoundRecord?
  {
    if position >= segment.readableEnd {
      switch try recordInWindow(at: position, in: segment) {
      case .record(let record): return record
      case .nothing: return nil
      case .isInPlace: break
      }
    }
    let end = min(segment.readableEnd, volume.mappedByteCount)
    if let found = mappedRecord(at: position, in: segment, before: end) { return found }
    // It makes no sense, or not all of it is mapped.
    return segment.end > volume.mappedByteCount ? try readRecord(at: position, in: segment) : nil
  }

  private enum WindowSearch {
    case record(FoundRecord)
    /// The window has no record there that makes sense.
    case nothing
    /// The record went to its place meanwhile.
    case isInPlace
  }

  /// Copies a record from the window (DESIGN.md 5.1, "Readers").
  ///
  /// Nothing of the copy is believed, not even that it is no record, before it is known that nobody stored over it.
  private func recordInWindow(at position: UInt64, in segment: Segment) throws(SedimentError) -> WindowSearch
  {
    // A child shares the window with its parent, which goes on storing there.
    try lifetime.checkNotForked()
    guard let window = volume.window else { return .isInPlace }
    let end = min(window.end(from: position), segment.end)
    // As much as most records of small values take.
    let firstEnd = min(position + 192, end)
    var byteCount = Int(firstEnd - position)
    var memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
    SchedulePoint.reach(.reading)
    unsafe volume.copy(position..<firstEnd, of: window, into: memory)
    var view = unsafe RecordView(memory, available: byteCount, recordByteCountMax: Int(end - position))
    if let whole = view?.byteCount, whole > byteCount {
      unsafe memory.deallocate()
      byteCount = whole
      unsafe memory = .allocate(byteCount: byteCount, alignment: 8)
      SchedulePoint.reach(.reading)
      unsafe volume.copy(position..<position + UInt64(byteCount), of: window, into: memory)
      view = unsafe RecordView(memory, available: byteCount)
    }
    SchedulePoint.reach(.reading)
    sediment_acquire_fence()
    guard position >= segment.readableEnd else {
      unsafe memory.deallocate()
      return .isInPlace
    }
    noteReadFromWindow()
    guard let view else {
      unsafe memory.deallocate()
      return .nothing
    }
    return .record(unsafe FoundRecord(view: view, position: position, segment: segment, owner: memory))
  }

  /// Lets the window be flushed soon if much is read from it: what is in its place is read without a copy.
  private func noteReadFromWindow() {
    if windowReads.wrappingAdd(1, ordering: .relaxed).newValue % Self.windowReadCountMax == 0 {
      background.schedule(.window)
    }
  }

  private static let windowReadCountMax = 64

  /// Reads a record that is not mapped into memory of its own.
  @inline(never)
  func readRecord(
    at position: UInt64, in segment: Segment, forChange: Bool = false
  ) throws(SedimentError) -> FoundRecord? {
    guard position < segment.end else { return nil }
    let available = Int(min(segment.end - position, UInt64(Limits.inlineValueByteCountMax) * 2))
    let guessed = callByteCount.load(ordering: .relaxed)
    // A few long values raise the average far above what most records take, and a change needs no value.
    let isShort = forChange && guessed > Self.changeByteCountMax
    let firstByteCount = min(available, isShort ? Self.callByteCountMin : guessed)
    var memory = UnsafeMutableRawPointer.allocate(byteCount: firstByteCount, alignment: 8)
    do throws(SedimentError) {
      var count = unsafe try readBytes(into: memory, firstByteCount, at: position)
      if unsafe RecordView(memory, available: count) == nil {
        try expectWhole(count, of: firstByteCount, at: position)
        if let whole = unsafe RecordView(memory, available: available), whole.byteCount > count {
          unsafe memory.deallocate()
          unsafe memory = .allocate(byteCount: whole.byteCount, alignment: 8)
          unsafe count = try readBytes(into: memory, whole.byteCount, at: position)
          try expectWhole(count, of: whole.byteCount, at: position)
        }
      }
      guard let view = unsafe RecordView(memory, available: count) else {
        unsafe memory.deallocate()
        return nil
      }
      return unsafe FoundRecord(view: view, position: position, segment: segment, owner: memory)
    } catch {
      unsafe memory.deallocate()
      throw error
    }
  }

  /// The file may end behind a record, but not in it.
  ///
  /// The record would else pass for one of another key, and a removal of its key for one that finds nothing to do.
  private func expectWhole(_ found: Int, of count: Int, at offset: UInt64) throws(SedimentError) {
    guard found == count else { throw damaged(at: offset + UInt64(found)) }
  }

  /// Fills memory from the file; the result is how much there was.
  func readBytes(
    into memory: UnsafeMutableRawPointer, _ count: Int, at offset: UInt64
  ) throws(SedimentError) -> Int {
    var span = unsafe MutableRawSpan(_unsafeStart: memory, byteCount: count)
    do throws(SedimentError) {
      return try volume.file.read(into: &span, at: offset)
    } catch {
      throw lifetime.seenByCaller(error)
    }
  }

  func damaged(at position: UInt64) -> SedimentError {
    let error = SedimentError.damagedRecord(path, offset: position)
    background.tell(.failed(error))
    return error
  }
}
