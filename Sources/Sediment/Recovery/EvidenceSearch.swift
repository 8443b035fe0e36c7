internal import SedimentDisk
internal import SedimentFormat

/// Looks behind the log's end for a mark which proves that the log once went on there (DESIGN.md 7, step 6).
///
/// A good record behind a bad one proves nothing, since unsynced pages reach the medium in any order; a mark
/// proves what it states. The search follows seals and heirs to segments of rising generations, so it reads no
/// byte of a use twice.
struct EvidenceSearch {
  private let file: any DiskFile
  private let identity: FileIdentity
  private let fileByteCount: UInt64
  private let end: LogPosition
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

  init(
    _ file: any DiskFile, _ identity: FileIdentity, fileByteCount: UInt64, end: LogPosition,
    lastSequence: SequenceNumber
  ) {
    self.file = file
    self.identity = identity
    self.fileByteCount = fileByteCount
    self.end = end
    highestGeneration = end.generation
    highestSequence = lastSequence
  }

  /// Where a mark with a watermark above the log's end stands, nil if there is none; `segment` is the one that the
  /// log ends in.
  mutating func run(from segment: SegmentIdentity, base: SequenceNumber) throws(SedimentError) -> UnitOffset?
  {
    var next: Candidate? = Candidate(identity: segment, base: base, start: end.offset)
    while let candidate = next {
      guard searched.insert(candidate.identity.run, candidate.identity.generation) else { return nil }
      highestGeneration = max(highestGeneration, candidate.identity.generation)
      highestSequence = max(highestSequence, candidate.base)
      switch try search(candidate) {
      case .mark(let offset): return offset
      case .seal(let seal, let sequence):
        let isLater = seal.next.generation > candidate.identity.generation
        highestGeneration = max(highestGeneration, seal.next.generation)
        next =
          isLater
          ? Candidate(identity: seal.next, base: sequence, start: seal.next.recordRange.lowerBound) : nil
      case .nothing:
        next = try heir(of: candidate)
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
    let limit = min(candidate.identity.run.byteRange.upperBound, fileByteCount)
    let seed = candidate.identity.seed(in: identity)
    var window = FileWindow(file)
    var position = candidate.start.byteOffset
    while position < limit, let data = try data(from: position, limit: limit) {
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

  private func data(from position: UInt64, limit: UInt64) throws(SedimentError) -> Range<UInt64>? {
    do throws(DiskError) {
      guard let range = try file.dataRange(from: position), range.lowerBound < limit else { return nil }
      let start = max(position, range.lowerBound & ~UInt64(Limits.unitByteCount - 1))
      return start..<max(start, min(range.upperBound, limit))
    } catch {
      throw SedimentError(error)
    }
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

  // MARK: Heirs

  /// The segment where the log was meant to go on, if it did.
  private func heir(of candidate: Candidate) throws(SedimentError) -> Candidate? {
    guard let header = try header(at: candidate.identity.run.first), header.identity == candidate.identity,
      let slot = header.heir, let next = try self.header(at: slot), next.identity.kind == .hot,
      next.identity.generation > candidate.identity.generation,
      next.predecessor?.generation == candidate.identity.generation
    else { return nil }
    return Candidate(
      identity: next.identity, base: next.base, start: next.identity.recordRange.lowerBound)
  }

  private func header(at slot: UInt32) throws(SedimentError) -> SegmentHeader? {
    let bytes = try file.bytes(
      at: UInt64(slot) * UInt64(Limits.slotByteCount), count: SegmentHeader.byteCount)
    return try? SegmentHeader.decode(unsafe bytes.span.bytes, in: identity, at: slot)
  }
}
