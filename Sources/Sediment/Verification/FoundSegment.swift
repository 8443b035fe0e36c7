internal import SedimentFormat

/// A segment whose header was found in a slot, and what the headers around it say of it.
struct FoundSegment {
  let header: SegmentHeader
  /// Where what may be its own ends: its slots, or those that another one found behind it begins with.
  fileprivate(set) var end: UInt64
  /// Whether a later segment uses some of its slots.
  fileprivate(set) var isSuperseded: Bool

  var identity: SegmentIdentity { header.identity }

  var isLog: Bool { identity.kind == .hot || identity.kind == .survivors }

  /// The segments of some headers in ascending order, but for those that lie inside good records, and so are parts
  /// of values.
  ///
  /// However the segments that the headers claim overlap, what is between their beginnings and ends is no more than
  /// twice the file.
  static func judge(
    _ headers: [SegmentHeader], _ surveyed: SurveyedFile
  ) throws(SedimentError) -> [FoundSegment] {
    var found: [FoundSegment] = []
    // The segment that the slot lies in so far, its number among those found, and its records up to there.
    var outer: (number: Int, sweep: RecordSweep)?
    for header in headers {
      let place = header.identity.run.byteRange.lowerBound
      var isSuperseded = false
      if let (number, _) = outer, found[number].identity.run.byteRange.contains(place) {
        if found[number].isLog, try outer?.sweep.covers(place) ?? false { continue }
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
      found.append(FoundSegment(header: header, end: end, isSuperseded: isSuperseded))
      if isSuperseded { continue }
      let sweep = RecordSweep(surveyed, header.identity, base: header.base, upTo: end)
      outer = (found.count - 1, sweep)
    }
    return found
  }
}

extension RecordSweep {
  /// Whether a place lies inside a good record; asked of places in ascending order.
  fileprivate mutating func covers(_ place: UInt64) throws(SedimentError) -> Bool {
    while position <= place {
      guard let step = try next() else { return false }
      if case .record(_, let start) = step, start < place, place < position { return true }
    }
    // The record that covers the place before may be a long one.
    return lastRecordStart < place && place < position
  }
}
