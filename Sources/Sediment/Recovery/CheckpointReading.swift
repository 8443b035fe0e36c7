internal import SedimentDisk
internal import SedimentFormat

/// Reads the checkpoint that the leading superblock names, with what of it lies elsewhere (DESIGN.md 7, step 3).
struct CheckpointReading {
  /// The catalogue as the checkpoint says it.
  private(set) var catalogue: Catalogue
  /// A reader at the place from which on changes are to be replayed.
  private(set) var replay: ChainReader

  /// What the checkpoint says of the segment that replay begins in.
  var tail: SegmentEntry {
    catalogue.segments[replay.segment.generation] ?? SegmentEntry(tail: replay.segment, base: replay.base)
  }

  private let file: StoreFile
  private let head: Superblock

  /// Reads it with the base of its segment that the header tells, unless one is given.
  static func read(
    _ head: Superblock, from file: StoreFile, fileByteCount: UInt64, base: SequenceNumber? = nil
  ) throws(SedimentError) -> CheckpointReading {
    let base = if let base { base } else { try Self.base(of: head, file) }
    let first = ChainReader(
      file, head.identity, fileByteCount: fileByteCount, segment: head.segment, base: base,
      from: head.checkpoint)
    var reading = CheckpointReading(
      catalogue: try readParts(first, head, file), replay: first, file: file, head: head)
    if let elsewhere = reading.catalogue.elsewhere { try reading.readElsewhere(elsewhere) }
    try reading.checkTail()
    return reading
  }

  private init(catalogue: Catalogue, replay: ChainReader, file: StoreFile, head: Superblock) {
    self.catalogue = catalogue
    self.replay = replay
    self.file = file
    self.head = head
  }

  /// The base of the segment that the checkpoint begins in, which only its header tells.
  private static func base(of head: Superblock, _ file: StoreFile) throws(SedimentError) -> SequenceNumber {
    let start = head.segment.run.byteRange.lowerBound
    let bytes = try file.bytes(at: start, count: SegmentHeader.byteCount)
    do throws(FormatError) {
      let header = try SegmentHeader.decode(
        unsafe bytes.span.bytes, in: head.identity, at: head.segment.run.first)
      guard header.identity == head.segment else { throw FormatError(.segmentHeader, .field(.identity)) }
      return header.base
    } catch {
      throw SedimentError(error, path: file.path, offset: start)
    }
  }

  private static func readParts(
    _ first: ChainReader, _ head: Superblock, _ file: StoreFile
  ) throws(SedimentError) -> Catalogue {
    var reader = first
    var catalogue: Catalogue?
    var count = 0
    while let record = try reader.next() {
      switch record.control {
      case .checkpointPart(let part)? where Int(part.number) == count:
        catalogue = try add(part, to: catalogue) { reason in reader.damaged(reason, record) }
        count += 1
        guard count == Int(part.partCount), let catalogue else { continue }
        guard reader.position <= head.watermark else {
          throw reader.damaged("the superblock names a checkpoint beyond what it knows to be there", record)
        }
        return catalogue
      case .seal(let seal)? where count > 0:
        _ = try reader.follow(seal, of: record)
      default:
        throw reader.damaged("the superblock names a checkpoint that is not there", record)
      }
    }
    throw .damaged(
      "the checkpoint ends early: \(reader.ending?.description ?? "")", path: file.path,
      offset: reader.offset.byteOffset)
  }

  private static func add(
    _ part: CheckpointPart, to catalogue: Catalogue?, _ damaged: (String) -> SedimentError
  ) throws(SedimentError) -> Catalogue {
    var entries = part.entries[...]
    var result: Catalogue
    if let catalogue {
      result = catalogue
    } else {
      guard case .numbers(let numbers)? = entries.popFirst() else {
        throw damaged("a checkpoint begins without numbers")
      }
      result = Catalogue(numbers: numbers)
    }
    do throws(Catalogue.Contradiction) {
      for entry in entries { try result.add(entry) }
    } catch {
      throw damaged("a checkpoint contradicts itself: \(error.reason)")
    }
    return result
  }

  // MARK: Elsewhere

  /// Adds the entries that lie in a segment of their own, and lets replay begin where they were as of.
  private mutating func readElsewhere(_ entry: ElsewhereEntry) throws(SedimentError) {
    let start = entry.segment.run.byteRange.lowerBound + UInt64(SegmentHeader.byteCount)
    var window = FileWindow(file)
    var checksum = entry.segment.seed(in: head.identity)
    var position = start
    let end = start + entry.byteCount
    var count: UInt32 = 0
    while position < end {
      try window.load(from: position, limit: end)
      let entries = try decodeEntries(window, isLast: window.end == end)
      guard entries.byteCount > 0 else { throw damaged("entries of a checkpoint are cut short", position) }
      checksum = checksum.continued(
        with: unsafe window.buffer.span.bytes.extracting(0..<entries.byteCount))
      do throws(Catalogue.Contradiction) {
        for entry in entries.list { try catalogue.add(entry) }
      } catch {
        throw damaged("a checkpoint contradicts itself: \(error.reason)", position)
      }
      count += UInt32(truncatingIfNeeded: entries.list.count)
      position += UInt64(entries.byteCount)
    }
    guard checksum == entry.checksum, count == entry.entryCount else {
      throw damaged("entries of a checkpoint are not what it says", start)
    }
    try beginReplay(asOf: entry.asOf)
  }

  /// The whole entries in a window; an entry has at most 2,040 bytes.
  private func decodeEntries(
    _ window: FileWindow, isLast: Bool
  ) throws(SedimentError) -> (list: [CatalogueEntry], byteCount: Int) {
    let bytes = unsafe window.buffer.span.bytes.extracting(0..<window.byteCount)
    var list: [CatalogueEntry] = []
    var offset = 0
    while offset < bytes.byteCount, isLast || bytes.byteCount - offset >= 256 * Limits.unitByteCount {
      do throws(FormatError) {
        let (entry, byteCount) = try CatalogueEntry.decode(bytes, at: offset)
        if case .elsewhere = entry { throw FormatError(.catalogueEntry, .field(.tag)) }
        list.append(entry)
        offset += byteCount
      } catch {
        throw SedimentError(error, path: file.path, offset: window.start + UInt64(offset))
      }
    }
    return (list, offset)
  }

  private mutating func beginReplay(asOf position: LogPosition) throws(SedimentError) {
    let offset = position.offset
    guard position <= LogPosition(head.segment.generation, head.checkpoint),
      let entry = catalogue.segments[position.generation], entry.identity.kind == .hot,
      entry.identity.recordRange.contains(offset)
    else { throw damaged("a checkpoint is as of a place that is not in the log", offset.byteOffset) }
    replay = ChainReader(
      file, head.identity, fileByteCount: replay.fileByteCount, segment: entry.identity, base: entry.base,
      from: offset)
  }

  // MARK: Checks

  /// The log must be known to go on where replay begins.
  private func checkTail() throws(SedimentError) {
    let place = replay.segment.run.byteRange.lowerBound
    guard catalogue.tail == replay.segment.generation,
      let tail = catalogue.segments[replay.segment.generation],
      tail.identity == replay.segment, tail.base == replay.base
    else { throw damaged("a checkpoint names another segment than the one that it stands in", place) }
    for entry in catalogue.segments.values
    where entry.identity.kind == .hot && entry.identity.generation > tail.identity.generation {
      throw damaged("a checkpoint knows a later segment than the one that it stands in", place)
    }
  }

  private func damaged(_ reason: String, _ offset: UInt64) -> SedimentError {
    .damaged(reason, path: file.path, offset: offset)
  }
}
