internal import SedimentFormat

/// Looks behind the log's end for a mark which proves that the log once went on there (DESIGN.md 7, step 6).
///
/// A good record behind a bad one proves nothing, since unsynced pages reach the medium in any order; a mark
/// proves what it states. Where a segment has no good seal, the search goes on in those of which a header, in slots
/// that the catalogue calls free, names it as the one before. What it searches are disjoint runs, so it reads no byte
/// of a segment twice.
struct EvidenceSearch: Sendable {
  private let surveyed: SurveyedFile
  private let end: LogPosition
  /// Why the log ends there.
  private let ending: FormatError?
  /// The segment that the log ends in.
  private let tail: SegmentEntry
  /// The slots in use.
  private let slots: SlotMap
  /// The headers of hot segments in free slots, by the generation of the one before; nil until they are asked for.
  private var headers: [Generation: [SegmentHeader]]?
  /// The highest numbers that anything found here names.
  private(set) var highestGeneration: Generation
  private(set) var highestSequence: SequenceNumber
  private var searched = SlotMap()
  /// What was read last; at first what the replay has read, which mostly reaches to the end of the segment.
  private var window: FileWindow

  /// A segment that the log may have gone on in, and where the search begins in it.
  private typealias Candidate = (header: SegmentHeader, start: UnitOffset)

  /// A search behind the end that a replay came to.
  init(behind replay: LogReplay) {
    surveyed = replay.reader.surveyed
    window = replay.reader.window
    end = replay.progress.end
    ending = replay.reader.ending
    tail = replay.progress.tail
    slots = replay.catalogue.slots
    highestGeneration = end.generation
    highestSequence = replay.progress.lastSequence ?? tail.base
  }

  /// The same search behind a closed log, to be made later: nothing is kept until then of what was read, and no headers
  /// are looked for in free slots, since the log's end is the one that the superblock names.
  var postponed: EvidenceSearch {
    var later = self
    later.window = FileWindow(surveyed.file)
    later.headers = [:]
    return later
  }

  /// Throws if there is evidence.
  mutating func check() throws(SedimentError) {
    if try run() == nil { return }
    throw surveyed.damaged(
      "the log breaks off before its known end: \(ending?.description ?? "")", at: end.offset.byteOffset)
  }

  /// Where a mark with a watermark above the log's end stands, nil if there is none.
  mutating func run() throws(SedimentError) -> UnitOffset? {
    let first = SegmentHeader(identity: tail.identity, base: tail.base, floor: tail.base)
    var candidates: [Candidate] = [(first, end.offset)]
    while let (header, start) = candidates.popLast() {
      let identity = header.identity
      guard searched.insert(identity.run, identity.generation) else { continue }
      highestGeneration = max(highestGeneration, identity.generation)
      highestSequence = max(highestSequence, header.base)
      var followers: [SegmentHeader] = []
      if let (control, sequence, offset) = try search(header, from: start) {
        guard case .seal(let seal) = control else { return offset }
        highestGeneration = max(highestGeneration, seal.next.generation)
        if seal.next.generation > identity.generation {
          followers = [SegmentHeader(identity: seal.next, base: sequence, floor: sequence)]
        }
      } else {
        followers = try takeHeaders(behind: identity, from: start)
      }
      candidates += followers.map { ($0, $0.identity.recordRange.lowerBound) }
    }
    return nil
  }

  // MARK: One segment

  /// A mark with a watermark above the log's end, or a seal.
  private typealias Finding = (control: ControlRecord, sequence: SequenceNumber, offset: UnitOffset)

  /// Searches a segment for such a mark up to its first good seal; holes are not read.
  private mutating func search(
    _ header: SegmentHeader, from start: UnitOffset
  ) throws(SedimentError) -> Finding? {
    let limit = min(header.identity.run.byteRange.upperBound, surveyed.byteCount)
    let seed = header.identity.seed(in: surveyed.identity)
    var position = start.byteOffset
    while position < limit, let data = try data(from: position, limit: limit) {
      position = data.lowerBound
      while position < data.upperBound {
        if !hasAll(from: position, limit: limit) { try window.load(from: position, limit: limit) }
        var offset = window.range(from: position).lowerBound
        guard window.byteCount >= offset + Mark.recordByteCount else { break }
        while let place = shaped(window, from: offset) {
          if let finding = judge(window, at: place, header, seed) { return finding }
          offset = place + Limits.unitByteCount
        }
        // What begins too near the window's end to be seen whole is at the next one's beginning.
        let next = window.end - UInt64(Seal.recordByteCount - Limits.unitByteCount)
        // No further than before, if somebody shortens the file meanwhile.
        position = window.end >= limit || next <= position ? limit : next
      }
      position = max(position, data.upperBound)
    }
    return nil
  }

  /// Whether the window has what lies between two positions, and ends there.
  private func hasAll(from position: UInt64, limit: UInt64) -> Bool {
    window.start <= position && window.end == limit
  }

  /// The next run of data from a position on; what was read is not asked for holes.
  private func data(from position: UInt64, limit: UInt64) throws(SedimentError) -> Range<UInt64>? {
    if hasAll(from: position, limit: limit) { return position..<limit }
    return try surveyed.file.data(from: position, limit: limit)
  }

  /// The next place in the window, at a multiple of 8, where the bytes have the shape of a mark or seal.
  private func shaped(_ window: FileWindow, from offset: Int) -> Int? {
    let bytes = unsafe window.buffer.span.bytes.extracting(0..<window.byteCount)
    var offset = offset
    let last = bytes.byteCount - Mark.recordByteCount
    let (mark, seal) = (UInt32(Mark.byteCount) << 8 | 4, UInt32(Seal.byteCount) << 8 | 4)
    while offset <= last {
      // Kind control and the value's bytes, in one word.
      let shape: UInt32 = bytes.integer(at: offset + 4)
      // Mostly there is nothing at all.
      if shape == 0, offset <= bytes.byteCount - Self.skippedByteCount, Self.isZero(bytes, at: offset) {
        offset += Self.skippedByteCount
        continue
      }
      if shape == mark || shape == seal { return offset }
      offset += Limits.unitByteCount
    }
    return nil
  }

  /// How many zeros are passed over at once.
  private static let skippedByteCount = 64

  @inline(__always)
  private static func isZero(_ bytes: RawSpan, at offset: Int) -> Bool {
    var all: UInt64 = 0
    for place in stride(from: offset, to: offset + skippedByteCount, by: 8) {
      all |= bytes.integer(UInt64.self, at: place)
    }
    return all == 0
  }

  private mutating func judge(
    _ window: FileWindow, at place: Int, _ segment: SegmentHeader, _ seed: Checksum
  ) -> Finding? {
    let bytes = unsafe window.buffer.span.bytes.extracting(place..<window.byteCount)
    guard let offset = UnitOffset(byteOffset: window.start + UInt64(place)),
      let header = try? RecordHeader.decode(
        bytes, at: RecordPlace(seed: seed, base: segment.base, offset: offset)),
      let control = try? ControlRecord.decode(bytes.extracting(header.valueRange))
    else { return nil }
    highestSequence = max(highestSequence, header.sequence)
    switch control {
    case .mark(let mark) where mark.salt == segment.identity.salt && mark.watermark > end: break
    case .seal: break
    default: return nil
    }
    return (control, header.sequence, offset)
  }

  // MARK: Free slots

  /// Takes out the headers of segments that were begun behind a seal of another one, which stood at `start` or behind
  /// it, in the order of their generations.
  ///
  /// What was taken once does not come again, so a file full of them costs no more than its length.
  private mutating func takeHeaders(
    behind segment: SegmentIdentity, from start: UnitOffset
  ) throws(SedimentError) -> [SegmentHeader] {
    if headers == nil { headers = try readHeaders() }
    let followers = headers?.removeValue(forKey: segment.generation) ?? []
    return followers.filter { header in
      guard let sealEnd = header.predecessor?.offset.byteOffset else { return false }
      return sealEnd >= start.byteOffset + UInt64(Seal.recordByteCount)
        && sealEnd <= segment.run.byteRange.upperBound
    }.sorted { $0.identity.generation < $1.identity.generation }
  }

  /// Reads all free slots, as far as the file has data there.
  private func readHeaders() throws(SedimentError) -> [Generation: [SegmentHeader]] {
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
