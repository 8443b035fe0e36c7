internal import SedimentFormat

/// A set of collections, as far as entries of the index tell collections apart.
struct CollectionTags {
  /// A bit for each tag that an entry may have.
  private var bits: UInt64

  private init(bits: UInt64) { self.bits = bits }

  static let none = CollectionTags(bits: 0)
  static let all = CollectionTags(bits: .max)

  init(_ collection: UInt32) {
    // Those of the default collection are even.
    bits = collection == 0 ? 0x5555_5555_5555_5555 : 1 << CollectionTag.named(collection)
  }

  var isEmpty: Bool { bits == 0 }

  /// Whether an entry may be one of a key in these collections.
  @inline(__always)
  func mayHold(_ entry: IndexEntry) -> Bool { bits &>> entry.collectionTag & 1 != 0 }

  mutating func formUnion(_ other: CollectionTags) { bits |= other.bits }
}
