internal import SedimentFormat

/// Reads the checkpoint that the leading superblock names (DESIGN.md 7, step 3).
struct CheckpointReading {
  /// The catalogue as the checkpoint says it.
  let catalogue: Catalogue
  /// A reader at the checkpoint, from which on changes are to be replayed.
  let replay: ChainReader

  /// What the checkpoint says of the segment that replay begins in.
  var tail: SegmentEntry {
    catalogue.segments[replay.segment.generation] ?? SegmentEntry(tail: replay.segment, base: replay.base)
  }

  /// Reads it with the base of its segment that the header tells, unless one is given.
  static func read(
    _ head: Superblock, from file: StoreFile, byteCount: UInt64, base: SequenceNumber? = nil
  ) throws(SedimentError) -> CheckpointReading {
    let surveyed = SurveyedFile(file: file, identity: head.identity, byteCount: byteCount)
    let base = if let base { base } else { try Self.base(of: head.segment, surveyed) }
    let first = ChainReader(surveyed, head.segment, base: base, from: head.checkpoint)
    let reading = CheckpointReading(catalogue: try readParts(first, head), replay: first)
    try reading.checkTail()
    return reading
  }

  /// The base of the segment that the checkpoint begins in, which only its header tells.
  private static func base(
    of segment: SegmentIdentity, _ surveyed: SurveyedFile
  ) throws(SedimentError) -> SequenceNumber {
    switch try surveyed.header(of: segment) {
    case .success(let header): return header.base
    case .failure(let error):
      throw SedimentError(error, path: surveyed.file.path, offset: segment.run.byteRange.lowerBound)
    }
  }

  private static func readParts(
    _ first: ChainReader, _ head: Superblock
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
    throw reader.surveyed.damaged(
      "the checkpoint ends early: \(reader.ending?.description ?? "")", at: reader.offset.byteOffset)
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

  /// The log must be known to go on where replay begins.
  private func checkTail() throws(SedimentError) {
    let place = replay.segment.run.byteRange.lowerBound
    guard catalogue.tail == replay.segment.generation,
      let tail = catalogue.segments[replay.segment.generation],
      tail.identity == replay.segment, tail.base == replay.base
    else {
      throw replay.surveyed.damaged(
        "a checkpoint names another segment than the one that it stands in", at: place)
    }
    for entry in catalogue.segments.values
    where entry.identity.kind == .hot && entry.identity.generation > tail.identity.generation {
      throw replay.surveyed.damaged(
        "a checkpoint knows a later segment than the one that it stands in", at: place)
    }
  }
}
