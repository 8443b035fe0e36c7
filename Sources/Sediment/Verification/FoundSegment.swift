internal import SedimentFormat

/// A segment whose header was found in a slot, and what the headers around it say of it.
struct FoundSegment {
  let header: SegmentHeader
  /// Where its records end at the latest: with its slots, or where another segment was found behind it.
  private(set) var end: UInt64
  /// Whether a later segment uses some of its slots.
  private(set) var isSuperseded: Bool

  var identity: SegmentIdentity { header.identity }

  func sweep(_ surveyed: SurveyedFile, patience: UInt64? = nil) -> RecordSweep {
    RecordSweep(surveyed, identity, base: header.base, upTo: end, patience: patience)
  }

  /// The segments of some headers in ascending order, but for those that lie inside good records, and so are parts
  /// of values.
  ///
  /// However the segments that the headers claim overlap, what is between their beginnings and ends is no more than
  /// twice the file. Each byte is searched once: the sweep of one segment goes no further than to the next header, and
  /// all sweeps share the work that they may do in vain.
  static func judge(
    _ headers: [SegmentHeader], _ surveyed: SurveyedFile
  ) throws(SedimentError) -> [FoundSegment] {
    var found: [FoundSegment] = []
    // The segment that a slot lies in, by its number among those found, and how far its records were read.
    var outer: (number: Int, sweep: RecordSweep)?
    let patience = RecordSweep.patience(for: 0..<surveyed.byteCount, of: surveyed.file)
    for header in headers {
      let place = header.identity.run.byteRange.lowerBound
      var isSuperseded = false
      if let number = outer?.number, found[number].identity.run.byteRange.contains(place) {
        if found[number].identity.kind.holdsRecords, try outer?.sweep.covers(place) ?? false { continue }
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
      if isSuperseded { continue }
      outer = (found.count - 1, segment.sweep(surveyed, patience: outer?.sweep.patience ?? patience))
    }
    return found
  }
}
