internal import SedimentFormat

/// Reads what a window has of the log behind a place where the log itself breaks off (DESIGN.md 7, step 4).
struct RingReading {
  let window: Window
  let surveyed: SurveyedFile

  /// The good records of a segment from an offset on, as long as each is the next one.
  ///
  /// Nothing but the records says what the ring holds: each is good in one place of one use of one file, in its turn.
  func records(
    of segment: SegmentIdentity, base: SequenceNumber, from start: UInt64, after last: SequenceNumber
  ) throws(SedimentError) -> [UInt8] {
    let end = min(window.end(from: start), segment.run.byteRange.upperBound, surveyed.byteCount)
    guard start < end else { return [] }
    let bytes = try surveyed.file.bytes(at: window.place(of: start), count: Int(end - start))
    let seed = segment.seed(in: surveyed.identity)
    var count = 0
    var sequence = last
    while count < bytes.count, let offset = UnitOffset(byteOffset: start + UInt64(count)),
      let header = try? RecordHeader.decode(
        unsafe bytes.span.bytes.extracting(count..<bytes.count),
        at: RecordPlace(seed: seed, base: base, offset: offset)),
      header.sequence == sequence.advanced(by: 1)
    {
      count += header.byteCount
      sequence = header.sequence
    }
    return Array(bytes[..<count])
  }
}
