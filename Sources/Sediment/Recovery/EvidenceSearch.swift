internal import SedimentFormat

/// Looks behind the log's end for a mark which proves that the log once went on there (DESIGN.md 7, step 6).
///
/// A good record behind a bad one proves nothing, since unsynced pages reach the medium in any order; a mark
/// proves what it states. Where a segment has no good seal, the search goes on in those of which a header, in slots
/// that the catalogue calls free, names it as the one before. What it searches are disjoint runs, so it reads no byte
/// of a segment twice.
struct EvidenceSearch {
  private let surveyed: SurveyedFile
  private let end: LogPosition
  /// The segment that the log ends in.
  private let tail: SegmentEntry
  private var headers: FreeSlotHeaders
  /// The highest numbers that anything found here names.
  private(set) var highestGeneration: Generation
  private(set) var highestSequence: SequenceNumber
  private var searched = SlotMap()

  /// A segment that the log may have gone on in.
  private struct Candidate {
    let identity: SegmentIdentity
    let base: SequenceNumber
    let start: UnitOffset
  }

  /// A search behind the end that a replay came to.
  ///
  /// Headers in free slots are not looked for behind a log that was closed: its end is the one that the superblock names.
  init(behind replay: LogReplay, isClosed: Bool) {
    surveyed = replay.reader.surveyed
    end = replay.progress.end
    tail = replay.progress.tail
    headers = FreeSlotHeaders(beside: isClosed ? nil : replay.catalogue.slots, in: surveyed)
    highestGeneration = end.generation
    highestSequence = replay.progress.lastSequence ?? tail.base
  }

  /// Where a mark with a watermark above the log's end stands, nil if there is none.
  mutating func run() throws(SedimentError) -> UnitOffset? {
    var candidates = [Candidate(identity: tail.identity, base: tail.base, start: end.offset)]
    while let candidate = candidates.popLast() {
      guard searched.insert(candidate.identity.run, candidate.identity.generation) else { continue }
      highestGeneration = max(highestGeneration, candidate.identity.generation)
      highestSequence = max(highestSequence, candidate.base)
      switch try search(candidate) {
      case .mark(let offset): return offset
      case .seal(let seal, let sequence):
        highestGeneration = max(highestGeneration, seal.next.generation)
        guard seal.next.generation > candidate.identity.generation else { continue }
        candidates.append(
          Candidate(identity: seal.next, base: sequence, start: seal.next.recordRange.lowerBound))
      case .nothing:
        candidates += try headers.take(behind: candidate.identity, from: candidate.start).map {
          Candidate(identity: $0.identity, base: $0.base, start: $0.identity.recordRange.lowerBound)
        }
      }
    }
    return nil
  }

  // MARK: One segment

  private enum Finding {
    case nothing
    case mark(UnitOffset)
    case seal(Seal, SequenceNumber)
  }

  /// Searches a segment up to its first good seal; holes are not read.
  private mutating func search(_ candidate: Candidate) throws(SedimentError) -> Finding {
    let limit = min(candidate.identity.run.byteRange.upperBound, surveyed.byteCount)
    let seed = candidate.identity.seed(in: surveyed.identity)
    var window = FileWindow(surveyed.file)
    var position = candidate.start.byteOffset
    while position < limit, let data = try surveyed.file.data(from: position, limit: limit) {
      position = data.lowerBound
      while position < data.upperBound {
        try window.load(from: position, limit: limit)
        guard window.byteCount >= Mark.recordByteCount else { break }
        var offset = 0
        while let place = shaped(window, from: offset) {
          let finding = judge(window, at: place, candidate, seed)
          if case .nothing = finding {} else { return finding }
          offset = place + Limits.unitByteCount
        }
        // What begins too near the window's end to be seen whole is at the next one's beginning.
        let next = window.end - UInt64(Seal.recordByteCount - Limits.unitByteCount)
        // No further than before, if somebody shortens the file meanwhile.
        position = window.end >= limit || next <= position ? limit : next
      }
      position = max(position, data.upperBound)
    }
    return .nothing
  }

  /// The next place in the window, at a multiple of 8, where the bytes have the shape of a mark or seal.
  private func shaped(_ window: FileWindow, from offset: Int) -> Int? {
    let bytes = unsafe window.buffer.span.bytes.extracting(0..<window.byteCount)
    var offset = offset
    while offset <= bytes.byteCount - Mark.recordByteCount {
      // Kind control and the value's bytes, in one word.
      let shape: UInt32 = bytes.integer(at: offset + 4)
      if shape == UInt32(Mark.byteCount) << 8 | 4 || shape == UInt32(Seal.byteCount) << 8 | 4 {
        return offset
      }
      offset += Limits.unitByteCount
    }
    return nil
  }

  private mutating func judge(
    _ window: FileWindow, at place: Int, _ candidate: Candidate, _ seed: Checksum
  ) -> Finding {
    let bytes = unsafe window.buffer.span.bytes.extracting(place..<window.byteCount)
    guard let offset = UnitOffset(byteOffset: window.start + UInt64(place)),
      let header = try? RecordHeader.decode(
        bytes, at: RecordPlace(seed: seed, base: candidate.base, offset: offset)),
      let control = try? ControlRecord.decode(bytes.extracting(header.valueRange))
    else { return .nothing }
    highestSequence = max(highestSequence, header.sequence)
    switch control {
    case .mark(let mark) where mark.salt == candidate.identity.salt && mark.watermark > end:
      return .mark(offset)
    case .seal(let seal): return .seal(seal, header.sequence)
    default: return .nothing
    }
  }
}

/// The headers of hot segments that lie in free slots, by the segment that each names as the one before it.
///
/// The slots are read when the first of them is asked for, once and only where the file has data.
private struct FreeSlotHeaders {
  private let slots: SlotMap?
  private let surveyed: SurveyedFile
  /// By the generation before; nil until they were read.
  private var found: [Generation: [SegmentHeader]]?

  /// The headers beside the segments that have slots; none at all for nil.
  init(beside slots: SlotMap?, in surveyed: SurveyedFile) {
    self.slots = slots
    self.surveyed = surveyed
  }

  /// Takes out those of segments that were begun behind a seal of another one, which stood at `start` or behind it.
  ///
  /// In the order of their generations. What was taken once does not come again, so a file full of them costs no more
  /// than its length.
  mutating func take(
    behind segment: SegmentIdentity, from start: UnitOffset
  ) throws(SedimentError) -> [SegmentHeader] {
    if found == nil { found = try read() }
    let followers = found?.removeValue(forKey: segment.generation) ?? []
    return followers.filter { header in
      guard let sealEnd = header.predecessor?.offset.byteOffset else { return false }
      return sealEnd >= start.byteOffset + UInt64(Seal.recordByteCount)
        && sealEnd <= segment.run.byteRange.upperBound
    }.sorted { $0.identity.generation < $1.identity.generation }
  }

  private func read() throws(SedimentError) -> [Generation: [SegmentHeader]] {
    guard let slots else { return [:] }
    let slotByteCount = UInt64(Limits.slotByteCount)
    let slotCount = min(
      (surveyed.byteCount + slotByteCount - 1) / slotByteCount, UInt64(Limits.fileSlotCountMax))
    var found: [Generation: [SegmentHeader]] = [:]
    var window = FileWindow(surveyed.file)
    for run in slots.freeRuns(before: UInt32(truncatingIfNeeded: slotCount)) {
      let range = SlotSpace.byteRange(of: run).clamped(to: 0..<surveyed.byteCount)
      for (file, header) in try window.headers(in: range) where file == surveyed.identity {
        guard let predecessor = header.predecessor else { continue }
        found[predecessor.generation, default: []].append(header)
      }
    }
    return found
  }
}
