internal import SedimentFormat

/// Reads the checkpoint that the leading superblock names (DESIGN.md 7, step 3).
struct CheckpointReading {
  /// The catalogue as the checkpoint says it.
  let catalogue: Catalogue
  /// A reader at the checkpoint, from which on changes are to be replayed.
  let replay: ChainReader
  /// Where the checkpoint ends.
  let end: LogPosition

  /// What the checkpoint says of the segment that replay begins in.
  var tail: SegmentEntry {
    catalogue.segments[replay.segment.generation] ?? SegmentEntry(tail: replay.segment, base: replay.base)
  }

  /// Reads it with the base of its segment that the header tells, unless one is given.
  static func read(
    _ head: Superblock, from file: StoreFile, byteCount: UInt64, base: SequenceNumber? = nil
  ) throws(SedimentError) -> CheckpointReading {
    let surveyed = SurveyedFile(file: file, identity: head.identity, byteCount: byteCount)
    var known = base ?? .zero
    if base == nil {
      switch try surveyed.header(of: head.segment) {
      case .success(let header): known = header.base
      case .failure(let error):
        throw SedimentError(error, path: file.path, offset: head.segment.run.byteRange.lowerBound)
      }
    }
    var first = ChainReader(surveyed, head.segment, base: known, from: head.checkpoint)
    // The replay begins at the checkpoint as well.
    try first.load()
    let (catalogue, end) = try readParts(first, head)
    let reading = CheckpointReading(catalogue: catalogue, replay: first, end: end)
    try reading.checkTail()
    return reading
  }

  private static func readParts(
    _ first: ChainReader, _ head: Superblock
  ) throws(SedimentError) -> (Catalogue, end: LogPosition) {
    var reader = first
    var catalogue: Catalogue?
    var count = 0
    while let record = try reader.next() {
      switch record.control {
      case .checkpointPart(let part)? where Int(part.number) == count:
        do throws(Catalogue.Contradiction) {
          try add(part, to: &catalogue)
        } catch {
          throw reader.damaged("a checkpoint contradicts itself: \(error.reason)", record)
        }
        count += 1
        guard count == Int(part.partCount), let catalogue else { continue }
        guard reader.position <= head.watermark else {
          throw reader.damaged("the superblock names a checkpoint beyond what it knows to be there", record)
        }
        return (catalogue, reader.position)
      case .seal(let seal)? where count > 0:
        _ = try reader.follow(seal, of: record)
      default:
        throw reader.damaged("the superblock names a checkpoint that is not there", record)
      }
    }
    throw reader.surveyed.damaged(
      "the checkpoint ends early: \(reader.ending?.description ?? "")", at: reader.offset.byteOffset)
  }

  /// Adds the entries of a part, of which the first begins with the numbers.
  private static func add(
    _ part: CheckpointPart, to catalogue: inout Catalogue?
  ) throws(Catalogue.Contradiction) {
    var entries = part.entries[...]
    if catalogue == nil {
      guard case .numbers(let numbers)? = entries.popFirst() else {
        throw Catalogue.Contradiction("it begins without numbers")
      }
      catalogue = Catalogue(numbers: numbers)
    }
    for entry in entries { try catalogue?.add(entry) }
  }

  /// The log must be known to go on where replay begins.
  private func checkTail() throws(SedimentError) {
    let tail = catalogue.segments[replay.segment.generation]
    let isHere =
      catalogue.tail == replay.segment.generation && tail?.identity == replay.segment
      && tail?.base == replay.base
    let isLast = catalogue.segments.allSatisfy {
      $0.identity.kind != .hot || $0.identity.generation <= replay.segment.generation
    }
    guard isHere, isLast else {
      throw replay.surveyed.damaged(
        "a checkpoint names another segment than the one that it stands in",
        at: replay.segment.run.byteRange.lowerBound)
    }
  }
}
