package import Sediment
package import SedimentDisk
package import SedimentFormat
package import SedimentTesting

/// Lays out a store by the codec, as a writer would, on a disk: what it appends goes out with the next `flush`.
package struct LogBuilder {
  package let disk: SimulatedDisk
  package let file: any DiskFile
  package let identity = FileIdentity(low: 0x1234, high: 0x5678)!
  package var catalogue: Catalogue
  /// The segment that is written to, and where.
  package var segment: SegmentIdentity
  package var base = SequenceNumber.zero
  package var offset: UnitOffset
  package var sequence: UInt64 = 0
  package var recordsInSegment: UInt32 = 0
  package var previousEnd: LogPosition?
  /// What superblocks say.
  package var checkpoint: (segment: SegmentIdentity, offset: UnitOffset)
  package var superblockGeneration: UInt64 = 0
  package var records: [Record] = []
  /// The members of the batch that is being written.
  package var batch: BatchChecksum?
  private var generation: UInt64 = 1
  private var salt: UInt64 = 1000

  package static let path = "/store"

  /// A record that was appended.
  package struct Record {
    package let start: LogPosition
    package let byteCount: Int
    /// What it says, if it is a user's.
    package let line: String?
    /// The number of the record with which it counts: its own or that of its commit.
    package var countsWith: Int

    package var byteRange: Range<Int> {
      Int(start.offset.byteOffset)..<Int(start.offset.byteOffset) + byteCount
    }
  }

  /// A new file whose first segment has so many slots, with a checkpoint, closed, and all of it durable.
  package init(
    seed: UInt64 = 1, slotCount: UInt32 = 2, fileSlotCount: Int = 16
  ) throws {
    disk = SimulatedDisk(seed: seed)
    disk.install([UInt8](repeating: 0, count: fileSlotCount * 16_384), at: Self.path)
    file = try disk.open(Self.path, .readWrite)
    segment = SegmentIdentity(
      run: SlotRun(first: 2, count: slotCount)!, kind: .hot, generation: Generation(1)!, salt: 77)
    offset = segment.recordRange.lowerBound
    checkpoint = (segment, offset)
    catalogue = Catalogue(
      numbers: StoreNumbers(
        nextGeneration: Generation(1)!, nextCollection: 1, nextDictionary: 1, slotCount: 3,
        everythingClearedAt: .zero,
        clocks: StoreNumbers.Clocks(), totals: StoreNumbers.Totals()))
    try catalogue.link(segment, base: .zero, endOfTail: nil)
    try writeHeader(SegmentHeader(identity: segment, base: .zero, floor: .zero))
    try appendCheckpoint()
    try file.sync()
    try writeSuperblock(.first, .closed)
    try writeSuperblock(.second, .closed)
    try file.sync()
  }

  package var position: LogPosition { LogPosition(segment.generation, offset) }

  // MARK: Raw parts

  package mutating func newSegment(_ kind: SegmentKind, slot: UInt32, count: UInt32 = 1) -> SegmentIdentity {
    generation += 1
    salt += 1
    return SegmentIdentity(
      run: SlotRun(first: slot, count: count)!, kind: kind, generation: Generation(generation)!, salt: salt)
  }

  package func write(_ bytes: [UInt8], at offset: UInt64) throws {
    try file.write(unsafe bytes.span.bytes, at: offset)
  }

  package func writeHeader(_ header: SegmentHeader) throws {
    try write(header.encode(in: identity), at: header.identity.run.byteRange.lowerBound)
  }

  /// The superblock that the store would have now.
  package func superblock(
    _ copy: Superblock.Copy, _ state: Superblock.State, generation: UInt64, watermark: LogPosition? = nil
  ) -> Superblock {
    Superblock(
      copy: copy, generation: Generation(generation)!, identity: identity, state: state,
      lineage: Lineage(low: 1, high: 2), session: 3, createdAt: 4, segment: checkpoint.segment,
      checkpoint: checkpoint.offset, watermark: watermark ?? position)
  }

  package mutating func writeSuperblock(
    _ copy: Superblock.Copy, _ state: Superblock.State, watermark: LogPosition? = nil
  ) throws {
    superblockGeneration += 1
    let block = superblock(copy, state, generation: superblockGeneration, watermark: watermark)
    try write(block.encode(), at: copy.byteOffset)
  }

  /// What the first write to a closed file does to its head.
  package mutating func open() throws {
    for copy in Superblock.Copy.allCases {
      try writeSuperblock(copy, .open)
      try file.sync()
    }
  }

  package mutating func close() throws {
    try file.sync()
    try writeSuperblock(.first, .closed)
    try file.sync()
  }

  // MARK: Records

  @discardableResult
  package mutating func append(
    _ kind: RecordKind, key: [UInt8] = [], value: [UInt8] = [], collection: UInt32 = 0, expiry: UInt64 = 0,
    transform: Transform? = nil, line: String? = nil
  ) throws -> LogPosition {
    let start = position
    sequence += 1
    let isMember = batch != nil && kind != .control
    let header = RecordHeader(
      kind: kind, isBatched: isMember, sequence: SequenceNumber(sequence)!, collection: collection,
      expiry: expiry, transform: transform, keyByteCount: key.count, valueByteCount: value.count)
    let place = RecordPlace(seed: segment.seed(in: identity), base: base, offset: offset)
    let bytes = encoded(byteCount: header.byteCount) { bytes in
      header.encode(into: &bytes)
      bytes.copy(unsafe key.span.bytes, at: header.keyRange.lowerBound)
      bytes.copy(unsafe value.span.bytes, at: header.valueRange.lowerBound)
      RecordHeader.seal(&bytes, at: place)
    }
    if isMember { _ = batch?.add(unsafe bytes.span.bytes) }
    try write(bytes, at: offset.byteOffset)
    catalogue.count(header)
    if kind != .control { recordsInSegment += 1 }
    offset = UnitOffset(byteOffset: offset.byteOffset + UInt64(bytes.count))!
    records.append(
      Record(
        start: start, byteCount: bytes.count, line: line, countsWith: isMember ? .max : records.count))
    return start
  }

  package mutating func put(
    _ key: String, _ value: String, collection: UInt32 = 0, expiry: UInt64 = 0
  ) throws {
    try append(
      .put, key: Array(key.utf8), value: Array(value.utf8), collection: collection, expiry: expiry,
      line: "\(key)=\(value)")
  }

  package mutating func remove(_ key: String) throws {
    try append(.remove, key: Array(key.utf8), line: "-\(key)")
  }

  @discardableResult
  package mutating func control(_ control: ControlRecord) throws -> LogPosition {
    try append(.control, value: control.encode()!)
  }

  package mutating func mark(_ watermark: LogPosition, clock: UInt64 = 5) throws {
    try control(.mark(Mark(clock: clock, watermark: watermark, salt: segment.salt)))
  }

  /// Syncs, and says so.
  package mutating func sync() throws {
    let end = position
    try file.sync()
    try mark(end)
  }

  /// A batch of puts with its commit.
  package mutating func putBatch(_ pairs: [(String, String)]) throws {
    batch = BatchChecksum()
    for (key, value) in pairs { try put(key, value) }
    try commit()
  }

  package mutating func commit() throws {
    guard let commit = batch?.commit else { return }
    batch = nil
    try control(.commit(commit))
    for number in records.indices where records[number].countsWith == .max {
      records[number].countsWith = records.count - 1
    }
  }

  package mutating func change(_ entries: [CatalogueEntry]) throws {
    try control(.catalogueChange(CatalogueChange(entries)!))
    try catalogue.apply(CatalogueChange(entries)!, at: SequenceNumber(sequence)!)
  }

  /// Goes on in another hot segment.
  package mutating func roll(slot: UInt32, count: UInt32 = 1) throws {
    let next = newSegment(.hot, slot: slot, count: count)
    let sealEnd = UnitOffset(byteOffset: offset.byteOffset + UInt64(Seal.recordByteCount))!
    let nextBase = SequenceNumber(sequence + 1)!
    try writeHeader(
      SegmentHeader(
        identity: next, base: nextBase, floor: nextBase,
        predecessor: LogPosition(segment.generation, sealEnd)))
    try control(.seal(Seal(recordCount: recordsInSegment, next: next)))
    try catalogue.link(next, base: nextBase, endOfTail: offset)
    segment = next
    base = nextBase
    offset = next.recordRange.lowerBound
    recordsInSegment = 0
  }

  package mutating func appendCheckpoint() throws {
    let parts = catalogue.checkpointParts!
    checkpoint = (segment, offset)
    for part in parts { try control(.checkpointPart(part)) }
  }

  // MARK: Large values

  /// Writes the extents, at these slots, and the put that names them.
  package mutating func putLarge(_ key: String, pieces: [(slot: UInt32, bytes: [UInt8])]) throws {
    let place = try extents(pieces)
    try append(.putLarge, key: Array(key.utf8), value: place.encode(), line: "\(key)@large")
    if batch == nil { try catalogue.adopt(place) }
  }

  package mutating func extents(_ pieces: [(slot: UInt32, bytes: [UInt8])]) throws -> ValuePlace {
    var list: [ValuePlace.Piece] = []
    for (slot, bytes) in pieces {
      let layout = ExtentLayout(storedByteCount: UInt64(bytes.count))
      let extent = newSegment(.extent, slot: slot, count: layout.slotCount)
      let start = extent.run.byteRange.lowerBound
      let seed = extent.seed(in: identity)
      try writeHeader(SegmentHeader(identity: extent, base: .zero, floor: .zero))
      try write(bytes, at: start + ExtentLayout.bytesOffset)
      let table = encoded(byteCount: layout.tableByteCount) { table in
        for number in 0..<layout.chunkCount {
          let chunk = layout.chunk(number)
          let part = unsafe bytes.span.bytes.extracting(Int(chunk.lowerBound)..<Int(chunk.upperBound))
          table.store(
            ExtentLayout.checksum(ofChunk: number, part, seed: seed).rawValue, at: number * 4)
        }
      }
      try write(table, at: start + layout.tableOffset)
      list.append(
        ValuePlace.Piece(
          extent: extent, checksum: seed.continued(with: unsafe table.span.bytes),
          storedByteCount: UInt64(bytes.count))!)
    }
    return ValuePlace(pieces: list, tailByteCount: 0)!
  }

  // MARK: Survivors

  /// Writes a segment of survivors of one collection and says its entry: puts, or removals where there is no value.
  package mutating func survivors(
    slot: UInt32, floor: UInt64, collection: UInt32 = 0,
    _ records: [(sequence: UInt64, key: String, value: String?)]
  ) throws -> SegmentEntry {
    let identity = newSegment(.survivors, slot: slot)
    let base = SequenceNumber(records.map(\.sequence).min()! - 1)!
    let floor = SequenceNumber(floor)!
    var entry = SegmentEntry(
      identity: identity, base: base, floor: floor, end: identity.recordRange.lowerBound, highest: base,
      latestExpiry: 0, recordCount: 0, tombstoneCount: 0, largeCount: 0)
    var offset = identity.recordRange.lowerBound
    for (sequence, key, value) in records {
      let header = RecordHeader(
        kind: value == nil ? .remove : .put, sequence: SequenceNumber(sequence)!, collection: collection,
        keyByteCount: key.utf8.count, valueByteCount: value?.utf8.count ?? 0)
      let bytes = encoded(byteCount: header.byteCount) { bytes in
        header.encode(into: &bytes)
        bytes.copy(unsafe Array(key.utf8).span.bytes, at: header.keyRange.lowerBound)
        bytes.copy(unsafe Array((value ?? "").utf8).span.bytes, at: header.valueRange.lowerBound)
        RecordHeader.seal(
          &bytes,
          at: RecordPlace(seed: identity.seed(in: self.identity), base: base, offset: offset))
      }
      try write(bytes, at: offset.byteOffset)
      offset = UnitOffset(byteOffset: offset.byteOffset + UInt64(bytes.count))!
      entry.highest = max(entry.highest, header.sequence)
      entry.recordCount += 1
      entry.tombstoneCount += value == nil ? 1 : 0
    }
    entry.end = offset
    try writeHeader(SegmentHeader(identity: identity, base: base, floor: floor))
    return entry
  }
}
