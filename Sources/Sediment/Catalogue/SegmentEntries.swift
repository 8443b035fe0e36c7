package import SedimentFormat

/// The entries of segments in the order of their generations.
package struct SegmentEntries: Sendable {
  package private(set) var ordered = OrderedRows<SegmentEntry>(rowCountMax: 128)

  package init() {}

  package var count: Int { ordered.count }
  package var last: SegmentEntry? { ordered.last }

  package subscript(generation: Generation) -> SegmentEntry? {
    guard let entry = ordered[place(of: generation)], entry.identity.generation == generation else {
      return nil
    }
    return entry
  }

  /// Adds the entry of a segment that has none.
  package mutating func insert(_ entry: SegmentEntry) {
    let place = place(of: entry.identity.generation)
    precondition(ordered[place]?.identity.generation != entry.identity.generation, "a segment is there twice")
    ordered.insert(entry, at: place)
  }

  package mutating func remove(_ generation: Generation) {
    let place = place(of: generation)
    if ordered[place]?.identity.generation == generation { ordered.remove(at: place) }
  }

  /// Changes what is said of a segment, if it is there.
  package mutating func update(_ generation: Generation, _ change: (inout SegmentEntry) -> Void) {
    let place = place(of: generation)
    guard ordered[place]?.identity.generation == generation else { return }
    ordered.update(at: place, change)
  }

  private func place(of generation: Generation) -> OrderedRows<SegmentEntry>.Place {
    ordered.firstPlace { $0.identity.generation >= generation }
  }
}

extension SegmentEntries: Sequence {
  package func makeIterator() -> OrderedRows<SegmentEntry>.Iterator { ordered.makeIterator() }
  package var underestimatedCount: Int { count }
}

extension SegmentEntries: Equatable {
  package static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }
}
