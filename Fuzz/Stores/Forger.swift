internal import SedimentFormat

/// Appends records that are sound, whatever they say, to the log of a file that was left open.
package struct Forger {
  package private(set) var bytes: [UInt8]
  private let file: FileIdentity
  private(set) var header: SegmentHeader
  private(set) var offset: Int
  private var sequence: UInt64

  /// Goes on behind the last record of the log; nil for a file that has none.
  package init?(_ bytes: [UInt8]) {
    guard let file = FileLayout.identity(in: bytes),
      let header = FileLayout.headers(in: bytes, of: file).filter({ $0.identity.kind == .hot })
        .max(by: { $0.identity.generation < $1.identity.generation })
    else { return nil }
    (self.bytes, self.file, self.header) = (bytes, file, header)
    offset = Int(header.identity.recordRange.lowerBound.byteOffset)
    sequence = header.base.rawValue
    for record in RecordWalk(bytes, header.identity, FileLayout.byteRange(of: header.identity, in: bytes)) {
      offset = record.upperBound
      sequence += 1
    }
  }

  /// How a value says that it was compressed.
  package struct Frame {
    package var bytes: [UInt8]
    package var compression: UInt8
    package var dictionary: UInt32
    package var originalByteCount: UInt32

    package init(bytes: [UInt8], compression: UInt8, dictionary: UInt32, originalByteCount: UInt32) {
      self.bytes = bytes
      self.compression = compression
      self.dictionary = dictionary
      self.originalByteCount = originalByteCount
    }
  }

  /// Appends a put; false if no record can say that, or there is no room left.
  package mutating func put(_ key: [UInt8], _ frame: Frame) -> Bool {
    guard
      let transform = Transform(
        compression: frame.compression, dictionary: frame.dictionary,
        originalByteCount: frame.originalByteCount)
    else { return false }
    return append(.put, key: key, value: frame.bytes, transform: transform)
  }

  /// Appends a record with the next sequence; false if no record can say that, or there is no room left.
  mutating func append(
    _ kind: RecordKind, isBatched: Bool = false, key: [UInt8] = [], value: [UInt8] = [],
    collection: UInt32 = 0,
    expiry: UInt64 = 0, transform: Transform? = nil
  ) -> Bool {
    guard let sequence = SequenceNumber(sequence + 1) else { return false }
    let record = RecordHeader(
      kind: kind, isBatched: isBatched, sequence: sequence, collection: collection, expiry: expiry,
      transform: transform, keyByteCount: key.count, valueByteCount: value.count)
    let home = FileLayout.byteRange(of: header.identity, in: bytes)
    // A seal is the last record, and takes the room that every other one leaves.
    let kept = Self.isSeal(kind, value) ? 0 : Seal.recordByteCount
    guard record.violation == nil, record.byteCount <= home.upperBound - offset - kept else { return false }
    let place = FileLayout.place(at: offset, header, file)
    let made = encoded(byteCount: record.byteCount) { bytes in
      record.encode(into: &bytes)
      bytes.copy(unsafe key.span.bytes, at: record.keyRange.lowerBound)
      bytes.copy(unsafe value.span.bytes, at: record.valueRange.lowerBound)
      RecordHeader.seal(&bytes, at: place)
    }
    bytes.replaceSubrange(offset..<offset + made.count, with: made)
    offset += made.count
    self.sequence += 1
    return true
  }

  private static func isSeal(_ kind: RecordKind, _ value: [UInt8]) -> Bool {
    guard kind == .control, case .seal? = try? ControlRecord.decode(unsafe value.span.bytes) else {
      return false
    }
    return true
  }

  /// Seals the log's segment, and goes on in another one behind the file's last slot; false if there is no room for a
  /// seal.
  mutating func roll(slotCount: UInt32) -> Bool {
    let slot = UInt32((bytes.count + Limits.slotByteCount - 1) / Limits.slotByteCount)
    guard let run = SlotRun(first: slot, count: slotCount),
      let generation = Generation(header.identity.generation.rawValue + 1_000),
      let end = UnitOffset(byteOffset: UInt64(offset + Seal.recordByteCount)),
      let base = SequenceNumber(sequence + 1)
    else { return false }
    let next = SegmentIdentity(run: run, kind: .hot, generation: generation, salt: UInt64(slot))
    let seal = ControlRecord.seal(Seal(recordCount: recordCount, next: next))
    guard append(.control, value: seal.encode() ?? []) else { return false }
    bytes += [UInt8](repeating: 0, count: Int(run.byteRange.upperBound) - bytes.count)
    header = SegmentHeader(
      identity: next, base: base, floor: base,
      predecessor: LogPosition(header.identity.generation, end))
    bytes.replaceSubrange(
      Int(run.byteRange.lowerBound)..<Int(run.byteRange.lowerBound) + SegmentHeader.byteCount,
      with: header.encode(in: file))
    offset = Int(next.recordRange.lowerBound.byteOffset)
    return true
  }

  /// Lets both superblocks lead to a checkpoint at a place of the log's last segment, and say that the log is open
  /// or, if it `isClosed`, ends where it does.
  mutating func pointHead(to checkpoint: Int? = nil, isClosed: Bool) {
    for copy in Superblock.Copy.allCases {
      let range = Int(copy.byteOffset)..<Int(copy.byteOffset) + Superblock.byteCount
      guard bytes.count >= range.upperBound,
        var block = try? Superblock.decode(unsafe bytes.span.bytes.extracting(range), copy: copy)
      else { continue }
      block.state = isClosed ? .closed : .open
      if let checkpoint, let place = UnitOffset(byteOffset: UInt64(checkpoint)) {
        (block.segment, block.checkpoint) = (header.identity, place)
      }
      if isClosed || checkpoint != nil { block.watermark = end }
      bytes.replaceSubrange(range, with: block.encode())
    }
  }

  /// Where the log ends.
  var end: LogPosition {
    // Records end at whole units within the file.
    LogPosition(header.identity.generation, UnitOffset(byteOffset: UInt64(offset))!)
  }

  /// The records of the log's last segment that are no control records.
  private var recordCount: UInt32 {
    RecordWalk(bytes, header.identity, FileLayout.byteRange(of: header.identity, in: bytes)).reduce(into: 0) {
      $0 += bytes[$1.lowerBound + RecordHeader.Field.shape] & 7 == RecordKind.control.rawValue ? 0 : 1
    }
  }

  /// The compressed values in a sound file's records, as they are stored.
  package static func frames(in bytes: [UInt8]) -> [Frame] {
    guard let file = FileLayout.identity(in: bytes) else { return [] }
    return FileLayout.headers(in: bytes, of: file).flatMap { header in
      guard header.identity.kind == .hot || header.identity.kind == .survivors else { return [] as [Frame] }
      let home = FileLayout.byteRange(of: header.identity, in: bytes)
      return RecordWalk(bytes, header.identity, home).compactMap { range in
        let place = FileLayout.place(at: range.lowerBound, header, file)
        guard
          let record = try? RecordHeader.decode(unsafe bytes.span.bytes.extracting(range), at: place),
          let transform = record.transform, record.kind == .put
        else { return nil }
        return Frame(
          bytes: Array(
            bytes[range][(range.lowerBound + record.valueRange.lowerBound)...].prefix(record.valueByteCount)),
          compression: transform.compression, dictionary: transform.dictionary,
          originalByteCount: transform.originalByteCount)
      }
    }
  }
}
