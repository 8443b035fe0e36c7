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

  package mutating func insert(_ row: Row) {
    let place = place(of: row)
    precondition(place == rows.count || rows[place] != row, "a segment stands twice in one order")
    rows.insert(row, at: place)
  }

  /// Takes a row out that is there.
  package mutating func remove(_ row: Row) {
    let place = place(of: row)
    precondition(place < rows.count && rows[place] == row, "a segment stands elsewhere")
    rows.remove(at: place)
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
