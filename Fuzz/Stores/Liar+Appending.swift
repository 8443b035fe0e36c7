internal import SedimentFormat

// Records behind the log's end, each of which is sound and says what is not so.

extension Liar {
  /// Appends records to the log, and lets the superblocks say that it is open or ends there.
  mutating func appendRecords() {
    guard var forger = Forger(bytes) else { return }
    // What one lie names again and again.
    let place = valuePlace()
    var checkpoint: Int?
    let usesPlaceOnly = dice.isOne(of: 6)
    for number in 0..<1 << dice.number(below: usesPlaceOnly ? 9 : 6) {
      if forger.bytes.count > Self.byteCountMax - 1 << 20 { break }
      let record = usesPlaceOnly ? putLarge(number, place) : lyingRecord(number, place, forger)
      guard let record else { continue }
      if !record.append(to: &forger) {
        // The segment is full, or nobody can say that.
        guard forger.roll(slotCount: UInt32(dice.number(below: 4)) + 1) else { break }
        guard record.append(to: &forger) else { continue }
      }
      if record.isCheckpoint { checkpoint = forger.offset - record.byteCount }
    }
    bytes = forger.bytes
    guard !dice.isOne(of: 4) else { return }
    forger.pointHead(to: dice.isOne(of: 2) ? checkpoint : nil, isClosed: dice.isOne(of: 2))
    bytes = forger.bytes
  }

  /// A record before it has a place.
  private struct Record {
    var kind: RecordKind
    var isBatched = false
    var key: [UInt8] = []
    var value: [UInt8] = []
    var collection: UInt32 = 0
    var expiry: UInt64 = 0
    var transform: Transform?

    var isCheckpoint: Bool {
      kind == .control && ControlRecord.isCheckpointPart(unsafe value.span.bytes)
    }

    /// The bytes of one that is a control record.
    var byteCount: Int { (Limits.recordFixedByteCount + value.count + 7) & ~7 }

    func append(to forger: inout Forger) -> Bool {
      forger.append(
        kind, isBatched: isBatched, key: key, value: value, collection: collection, expiry: expiry,
        transform: transform)
    }
  }

  private func lyingRecord(_ number: Int, _ place: ValuePlace?, _ forger: Forger) -> Record? {
    let isBatched = dice.isOne(of: 8)
    switch dice.number(below: 10) {
    case 0, 1: return put(number, isBatched: isBatched)
    case 2: return Record(kind: .remove, isBatched: isBatched, key: key(dice.number(below: 8)))
    case 3, 4: return putLarge(number, dice.isOne(of: 2) ? place : valuePlace())
    case 5, 6:
      let entries = (0...dice.number(below: 12)).compactMap { _ in entry() }
      return CatalogueChange(entries).map { Record(kind: .control, isBatched: isBatched, value: $0.encode()) }
    case 7: return checkpointPart().map { Record(kind: .control, value: $0.encode()) }
    case 8:
      let segments = headers.map(\.identity).filter { $0.kind == .hot }
      guard !segments.isEmpty else { return nil }
      let next = dice.element(of: segments)
      let seal = Seal(
        recordCount: UInt32(dice.number(below: 9)), next: dice.isOne(of: 2) ? next : lie(about: next) ?? next)
      return seal.next.kind == .hot ? Record(kind: .control, value: seal.encode()) : nil
    default:
      if dice.isOne(of: 2) {
        return Commit(memberCount: UInt32(dice.number(below: 9)) + 1, checksum: .empty)
          .map { Record(kind: .control, value: $0.encode()) }
      }
      let offset = UnitOffset(lie(about: forger.end.offset.rawValue)) ?? forger.end.offset
      let mark = Mark(
        clock: lie(about: 1_000), watermark: LogPosition(forger.end.generation, offset),
        salt: forger.header.identity.salt)
      return Record(kind: .control, value: mark.encode())
    }
  }

  private func key(_ number: Int) -> [UInt8] { Array("key \(number)".utf8) }

  private func put(_ number: Int, isBatched: Bool) -> Record {
    var record = Record(kind: .put, isBatched: isBatched, key: key(number))
    record.collection = dice.isOne(of: 3) ? UInt32(truncatingIfNeeded: lie(about: 1)) : 0
    record.expiry = dice.isOne(of: 4) ? min(lie(about: 1_000), Limits.clockMax) : 0
    record.value = [UInt8](repeating: 7, count: dice.number(below: dice.isOne(of: 8) ? 9_000 : 200))
    if dice.isOne(of: 2) { return record }
    let frames = Forger.frames(in: bytes)
    let frame =
      frames.isEmpty
      ? Forger.Frame(bytes: record.value, compression: 1, dictionary: 0, originalByteCount: 9)
      : dice.element(of: frames)
    record.value = frame.bytes
    record.transform = Transform(
      compression: frame.compression,
      dictionary: dice.isOne(of: 2) ? frame.dictionary : UInt32(dice.number(below: 4)),
      originalByteCount: UInt32(
        truncatingIfNeeded: min(lie(about: UInt64(frame.originalByteCount)), UInt64(Limits.valueByteCountMax))
      ))
    return record
  }

  // MARK: Large values

  private func putLarge(_ number: Int, _ place: ValuePlace?) -> Record? {
    place.map { place in
      Record(
        kind: .putLarge, key: key(number),
        value: place.encode() + [UInt8](repeating: 5, count: place.tailByteCount))
    }
  }

  /// Pieces in extents that there are, in the middle of anything, in holes, and beyond the end of the file.
  private func valuePlace() -> ValuePlace? {
    let extents = headers.map(\.identity).filter { $0.kind == .extent }
    let made = (0..<1 << dice.number(below: 5)).compactMap { _ -> ValuePlace.Piece? in
      let bytes = lie(about: 140_000) % UInt64(Limits.valueByteCountMax) + 1
      let count = ExtentLayout(storedByteCount: bytes).slotCount
      let first = UInt32(
        truncatingIfNeeded: dice.isOne(of: 3) ? lie(about: 8) : UInt64(dice.number(below: Int(slotCount))))
      guard let run = SlotRun(first: first, count: count) else { return nil }
      let extent = SegmentIdentity(
        run: run, kind: .extent, generation: Generation(lie(about: 9)) ?? .first, salt: 1)
      return ValuePlace.Piece(extent: extent, checksum: Checksum(1), storedByteCount: bytes)
    }
    let known = extents.compactMap { extent in
      ValuePlace.Piece(
        extent: extent, checksum: Checksum(1),
        storedByteCount: ExtentLayout.storedByteCountMax(slotCount: extent.run.count))
    }
    let pieces = known.isEmpty || dice.isOne(of: 2) ? made : made.map { _ in dice.element(of: known) }
    return ValuePlace(pieces: pieces, tailByteCount: dice.number(below: 100))
  }

  // MARK: The catalogue

  /// All entries that records of the file have.
  private var entries: [CatalogueEntry] {
    guard let file = FileLayout.identity(in: bytes) else { return [] }
    return headers.filter { $0.identity.kind.holdsRecords }.flatMap { header in
      let home = FileLayout.byteRange(of: header.identity, in: bytes)
      return RecordWalk(bytes, header.identity, home).flatMap { range -> [CatalogueEntry] in
        let record = unsafe bytes.span.bytes.extracting(range)
        let place = FileLayout.place(at: range.lowerBound, header, file)
        guard let header = try? RecordHeader.decode(record, at: place), header.kind == .control else {
          return []
        }
        return FileLayout.entries(record.extracting(header.valueRange)).map(\.entry)
      }
    }
  }

  /// An entry of the file with other numbers in it, or one about a segment that has a header.
  private func entry() -> CatalogueEntry? {
    if !headers.isEmpty, dice.isOne(of: 3) { return segmentEntry(dice.element(of: headers)) }
    let entries = entries
    return entries.isEmpty ? nil : lie(about: dice.element(of: entries))
  }

  private func segmentEntry(_ header: SegmentHeader) -> CatalogueEntry? {
    let segment = header.identity
    if dice.isOne(of: 2) { return .freed(slot: segment.run.first, generation: segment.generation) }
    let range = segment.recordRange
    return .segment(
      SegmentEntry(
        identity: segment, base: header.base, floor: header.floor,
        end: segment.kind.holdsRecords ? (dice.isOne(of: 2) ? range.upperBound : range.lowerBound) : .zero,
        highest: SequenceNumber(lie(about: header.base.rawValue)) ?? header.base, latestExpiry: 0,
        recordCount: UInt32(dice.number(below: 9)), tombstoneCount: 0, largeCount: 0))
  }

  /// What an entry says with other numbers, up to two; itself if no entry can have them.
  private func lie(about entry: CatalogueEntry) -> CatalogueEntry {
    let sound = encoded(byteCount: entry.byteCount) { entry.encode(into: &$0, at: 0) }
    let fields = Structure.entryFields(sound[0], sound[1])
    for _ in 0..<4 where !fields.isEmpty {
      var bytes = sound
      for _ in 0..<dice.number(below: 3) {
        let (offset, byteCount) = dice.element(of: fields)
        let old = (offset..<offset + byteCount).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64(sound[$1]) }
        Edit.store(lie(about: old, byteCount: byteCount), at: offset, byteCount: byteCount).apply(to: &bytes)
      }
      if let lie = try? CatalogueEntry.decode(unsafe bytes.span.bytes, at: 0).entry { return lie }
    }
    return entry
  }

  /// A part of a checkpoint, alone or of many of which there are no others.
  private func checkpointPart() -> CheckpointPart? {
    let entries = entries.filter(\.belongsInCheckpoint)
    let numbers = entries.filter { if case .numbers = $0 { true } else { false } }
    let others = entries.filter { if case .numbers = $0 { false } else { true } }
    guard let first = numbers.last else { return nil }
    let chosen = (0..<dice.number(below: 20)).compactMap { _ in
      others.isEmpty ? nil : dice.element(of: others)
    }
    let partCount = dice.isOne(of: 4) ? UInt16(truncatingIfNeeded: lie(about: 2)) : 1
    return CheckpointPart(
      number: 0, of: partCount, [lie(about: first)] + chosen.map { dice.isOne(of: 2) ? $0 : lie(about: $0) })
  }
}
