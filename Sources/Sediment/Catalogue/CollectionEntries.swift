package import SedimentFormat

/// The entries of collections in the order of their numbers, and the names that these have.
package struct CollectionEntries: Sendable {
  private var ordered = OrderedRows<CollectionEntry>(rowCountMax: 256)
  private var names: Set<[UInt8]> = []
  /// The bytes of all entries.
  package private(set) var byteCount = 0

  package init() {}

  package var count: Int { ordered.count }

  package subscript(number: UInt32) -> CollectionEntry? {
    guard let entry = ordered[place(of: number)], entry.number == number else { return nil }
    return entry
  }

  package func contains(name: [UInt8]) -> Bool { names.contains(name) }

  /// Adds the entry of a collection, in place of the one that it has.
  package mutating func set(_ entry: CollectionEntry) {
    remove(entry.number)
    ordered.insert(entry, at: place(of: entry.number))
    if entry.number != 0 { names.insert(entry.name) }
    byteCount += CatalogueEntry.collection(entry).byteCount
  }

  /// Removes the entry of a collection; nil if it has none.
  @discardableResult
  package mutating func remove(_ number: UInt32) -> CollectionEntry? {
    let place = place(of: number)
    guard let entry = ordered[place], entry.number == number else { return nil }
    ordered.remove(at: place)
    names.remove(entry.name)
    byteCount -= CatalogueEntry.collection(entry).byteCount
    return entry
  }

  private func place(of number: UInt32) -> OrderedRows<CollectionEntry>.Place {
    ordered.firstPlace { $0.number >= number }
  }
}

extension CollectionEntries: Sequence {
  package func makeIterator() -> OrderedRows<CollectionEntry>.Iterator { ordered.makeIterator() }
  package var underestimatedCount: Int { count }
}
