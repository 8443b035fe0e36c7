package import SedimentFormat

/// Below which sequences nothing that a tombstone would have to hide can be left (invariant 14).
///
/// A tombstone is needed while a segment of a lower floor holds superseded records; so the lowest such floor counts,
/// and for the records of that segment itself the next one.
package struct GuardFloor: Sendable {
  /// Segments that hold superseded records, by their floors: of all there are those of the lowest.
  private var rows: [SegmentOrder.Row]

  /// The rows of the lowest floors: at least two more than are ever removed, unless these are all.
  package init(_ rows: [SegmentOrder.Row]) {
    self.rows = rows
  }

  /// Whether a tombstone of this sequence may be left out when that segment is emptied.
  package func allowsDropping(_ sequence: SequenceNumber, of segment: Generation) -> Bool {
    guard let row = rows.first(where: { $0.generation != segment }) else { return true }
    return sequence.rawValue <= row.key
  }

  /// The segment that holds up tombstones the most.
  package var owner: Generation? { rows.first?.generation }

  /// The same among all others than a segment.
  package func owner(besides segment: Generation) -> Generation? {
    rows.first { $0.generation != segment }?.generation
  }

  /// Leaves a segment out that is being emptied: what goes with it can bring nothing back.
  package mutating func remove(_ segment: Generation) {
    rows.removeAll { $0.generation == segment }
  }
}
