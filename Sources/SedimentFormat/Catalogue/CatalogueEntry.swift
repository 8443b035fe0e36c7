/// A sentence about the catalogue (DESIGN.md 3.6).
///
/// Checkpoints say all of it, catalogue changes what becomes different. Each entry begins with its tag and its
/// length in units, so that later versions can add some that this one passes over.
package enum CatalogueEntry: Hashable, Sendable {
  case numbers(StoreNumbers)
  case segment(SegmentEntry)
  /// The segment of that generation that begins at the slot is no more.
  case freed(slot: UInt32, generation: Generation)
  case collection(CollectionEntry)
  /// The collection is no more, nor any of its records.
  case collectionDropped(number: UInt32)
  /// All records of the collection before this one are dead.
  case collectionCleared(number: UInt32)
  /// All records of all collections before this one are dead.
  case everythingCleared
  case dictionary(DictionaryEntry)
  /// No record names the dictionary any more.
  case dictionaryGone(number: UInt32)
  case indexPart(IndexPartEntry)
  /// An entry of a newer version that this one may pass over; it is said again in the next checkpoint.
  case ignorable([UInt8])

  enum Tag: UInt8, Sendable {
    case numbers = 1
    case segment = 2
    case freed = 3
    case collection = 4
    case collectionDropped = 5
    case collectionCleared = 6
    case dictionary = 7
    case dictionaryGone = 8
    case indexPart = 9

    /// Unknown tags from here on may be passed over; lower ones are of a newer version.
    static let ignorable: UInt8 = 0x80
  }

  /// Whether all its fields are in their ranges, so that it decodes to itself.
  package var isSound: Bool {
    let bytes = encoded(byteCount: byteCount) { encode(into: &$0, at: 0) }
    do throws(FormatError) {
      return try CatalogueEntry.decode(unsafe bytes.span.bytes, at: 0).entry == self
    } catch {
      return false
    }
  }

  /// Whether the entry describes what is, as a checkpoint does; each may describe what becomes different.
  package var belongsInCheckpoint: Bool {
    switch self {
    case .numbers, .segment, .collection, .dictionary, .indexPart, .ignorable: true
    case .freed, .collectionDropped, .collectionCleared, .everythingCleared, .dictionaryGone: false
    }
  }
}
