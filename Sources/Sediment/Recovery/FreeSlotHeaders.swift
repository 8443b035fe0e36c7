internal import SedimentDisk
internal import SedimentFormat

/// The headers of hot segments that lie in free slots, by the segment that each names as the one before it.
///
/// The slots are read when the first of them is asked for, once and only where the file has data.
struct FreeSlotHeaders {
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
      let limit = min(SlotSpace.byteRange(of: run).upperBound, surveyed.byteCount)
      var position = SlotSpace.byteRange(of: run).lowerBound
      while position < limit, let data = try surveyed.file.data(from: position, limit: limit),
        !data.isEmpty
      {
        // Of a slot that begins in a hole nothing is left.
        position = (data.lowerBound + slotByteCount - 1) / slotByteCount * slotByteCount
        while position < data.upperBound {
          if let header = try header(at: position, limit: data.upperBound, &window),
            let predecessor = header.predecessor
          {
            found[predecessor.generation, default: []].append(header)
          }
          position += slotByteCount
        }
      }
    }
    return found
  }

  /// The header that lies at the beginning of a slot; nil if there is no good one.
  private func header(
    at position: UInt64, limit: UInt64, _ window: inout FileWindow
  ) throws(SedimentError) -> SegmentHeader? {
    if window.range(from: position).count < SegmentHeader.byteCount {
      do throws(SedimentError) {
        try window.load(from: position, limit: limit)
      } catch {
        // What else lies in free slots need not be readable.
        try window.load(from: position, limit: min(limit, position + UInt64(SegmentHeader.byteCount)))
      }
    }
    let bytes = unsafe window.buffer.span.bytes.extracting(window.range(from: position))
    let slot = UInt32(truncatingIfNeeded: position / UInt64(Limits.slotByteCount))
    return try? SegmentHeader.decode(bytes, in: surveyed.identity, at: slot)
  }
}
