package import SedimentFormat

/// Segments in the order of a number that does not change while they are in it, the lowest first.
package struct SegmentOrder: Sendable {
  package struct Row: Hashable, Sendable, Comparable {
    package let key: UInt64
    package let generation: Generation

    package init(_ key: UInt64, _ generation: Generation) {
      self.key = key
      self.generation = generation
    }

    package static func < (left: Self, right: Self) -> Bool {
      left.key != right.key ? left.key < right.key : left.generation < right.generation
    }
  }

  package private(set) var rows: [Row] = []

  package init() {}

  /// Takes a row out that is there, and adds another that is not; nil stands for none.
  package mutating func replace(_ old: Row?, by new: Row?) {
    if old == new { return }
    if let old {
      let place = place(of: old)
      precondition(place < rows.count && rows[place] == old, "a segment stands elsewhere")
      rows.remove(at: place)
    }
    if let new {
      // Mostly in an order of their own, where many come at once.
      guard let last = rows.last, new <= last else { return rows.append(new) }
      let place = place(of: new)
      precondition(place == rows.count || rows[place] != new, "a segment stands twice in one order")
      rows.insert(new, at: place)
    }
  }

  package func contains(_ row: Row) -> Bool {
    let place = place(of: row)
    return place < rows.count && rows[place] == row
  }

  /// How many rows have a lower number or this one.
  package func count(upTo key: UInt64) -> Int {
    rows.firstIndexByHalving { $0.key > key }
  }

  /// The first key above one; the highest number if there is none.
  package func first(behind key: UInt64) -> UInt64 {
    let place = count(upTo: key)
    return place < rows.count ? rows[place].key : .max
  }

  private func place(of row: Row) -> Int {
    rows.firstIndexByHalving { $0 >= row }
  }
}

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
