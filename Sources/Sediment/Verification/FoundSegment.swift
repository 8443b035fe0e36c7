internal import SedimentFormat

/// A segment whose header was found in a slot, and what the headers around it say of it.
struct FoundSegment {
  let header: SegmentHeader
  /// Where its records end at the latest: with its slots, or where another segment was found behind it.
  private(set) var end: UInt64
  /// Whether a later segment uses some of its slots.
  private(set) var isSuperseded: Bool

  var identity: SegmentIdentity { header.identity }

  func sweep(_ surveyed: SurveyedFile) -> RecordSweep {
    RecordSweep(surveyed, identity, base: header.base, upTo: end)
  }

  /// The segments of some headers in ascending order, but for those that lie inside good records, and so are parts
  /// of values.
  ///
  /// However the segments that the headers claim overlap, what is between their beginnings and ends is no more than
  /// twice the file.
  static func judge(
    _ headers: [SegmentHeader], _ surveyed: SurveyedFile
  ) throws(SedimentError) -> [FoundSegment] {
    var found: [FoundSegment] = []
    var outer: Outer?
    for header in headers {
      let place = header.identity.run.byteRange.lowerBound
      var isSuperseded = false
      if let number = outer?.number, found[number].identity.run.byteRange.contains(place) {
        if found[number].identity.kind.holdsRecords, try outer?.covers(place) ?? false { continue }
        isSuperseded = found[number].identity.generation > header.identity.generation
        if !isSuperseded {
          found[number].isSuperseded = true
          found[number].end = place
        }
      }
      if let last = found.indices.last, found[last].isSuperseded {
        found[last].end = min(found[last].end, place)
      }
      let end = min(header.identity.run.byteRange.upperBound, surveyed.byteCount)
      let segment = FoundSegment(header: header, end: end, isSuperseded: isSuperseded)
      found.append(segment)
      if !isSuperseded { outer = Outer(number: found.count - 1, sweep: segment.sweep(surveyed)) }
    }
    return found
  }

  /// The segment that a slot lies in, by its number among those found, and how far its records were read.
  private struct Outer {
    let number: Int
    var sweep: RecordSweep
    /// Where the good record lies that was read last.
    var record: Range<UInt64> = 0..<0

    /// Whether a place lies inside a good record; asked of places in ascending order.
    mutating func covers(_ place: UInt64) throws(SedimentError) -> Bool {
      while sweep.position <= place, let step = try sweep.next() {
        if case .record(_, let start) = step { record = start..<sweep.position }
      }
      return record.lowerBound < place && place < record.upperBound
    }
  }
}
