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

    /// The bytes of an entry of the tag, or the fewest where entries of it differ.
    var byteCountMin: Int {
      switch self {
      case .numbers: 128
      case .segment: SegmentEntry.byteCountMin
      case .freed, .collection: 16
      case .dictionary: 24
      case .collectionDropped, .collectionCleared, .dictionaryGone: 8
      case .indexPart: 112
      }
    }
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

extension CatalogueEntry {
  /// Where the fields of the entries lie, each counted from the entry's beginning.
  enum Place {
    static let tag = 0
    static let unitCount = 1
    static let second = 2
    static let number = 4
    static let fields = 8
  }

  /// The bytes of the encoded entry: a multiple of 8.
  package var byteCount: Int {
    switch self {
    case .segment(let entry): entry.byteCount
    case .collection(let entry): Tag.collection.byteCountMin + (entry.name.count + 7) & ~7
    case .ignorable(let bytes): max(bytes.count, Limits.unitByteCount)
    default: tag?.byteCountMin ?? 0
    }
  }

  private var tag: Tag? {
    switch self {
    case .numbers: .numbers
    case .segment: .segment
    case .freed: .freed
    case .collection: .collection
    case .collectionDropped: .collectionDropped
    case .collectionCleared, .everythingCleared: .collectionCleared
    case .dictionary: .dictionary
    case .dictionaryGone: .dictionaryGone
    case .indexPart: .indexPart
    case .ignorable: nil
    }
  }

  /// Writes the entry at an offset where `byteCount` zero bytes lie.
  package func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    if let tag { bytes.store(tag.rawValue, at: offset + Place.tag) }
    bytes.store(UInt8(truncatingIfNeeded: byteCount / Limits.unitByteCount), at: offset + Place.unitCount)
    switch self {
    case .numbers(let numbers): numbers.encode(into: &bytes, at: offset)
    case .segment(let entry): entry.encode(into: &bytes, at: offset)
    case .freed(let slot, let generation):
      bytes.store(slot, at: offset + Place.number)
      bytes.store(generation.rawValue, at: offset + Place.fields)
    case .collection(let entry): entry.encode(into: &bytes, at: offset)
    case .collectionDropped(let number), .collectionCleared(let number), .dictionaryGone(let number):
      bytes.store(number, at: offset + Place.number)
    case .everythingCleared:
      bytes.store(CollectionEntry.all, at: offset + Place.number)
    case .dictionary(let entry): entry.encode(into: &bytes, at: offset)
    case .indexPart(let entry): entry.encode(into: &bytes, at: offset)
    case .ignorable(let entry): bytes.copy(unsafe entry.span.bytes, at: offset)
    }
  }

  /// Decodes the entry at an offset and says how long it is.
  package static func decode(
    _ bytes: RawSpan, at offset: Int
  ) throws(FormatError) -> (entry: CatalogueEntry, byteCount: Int) {
    guard offset >= 0, bytes.byteCount - Limits.unitByteCount >= offset else {
      throw failure(.field(.length))
    }
    let byteCount =
      Int(bytes.integer(UInt8.self, at: offset + Place.unitCount)) * Limits.unitByteCount
    guard byteCount >= Limits.unitByteCount else { throw failure(.field(.length)) }
    guard byteCount <= bytes.byteCount - offset else { throw failure(.field(.length)) }
    let tag: UInt8 = bytes.integer(at: offset + Place.tag)
    guard let known = Tag(rawValue: tag) else {
      guard tag >= Tag.ignorable else { throw failure(tag == 0 ? .field(.tag) : .newer(.tag)) }
      return (.ignorable(bytes.array(offset..<offset + byteCount)), byteCount)
    }
    let given = bytes.extracting(offset..<offset + byteCount)
    let entry = try decode(known, given)
    // The canonical form is the only one: what is read is what would be written.
    guard entry.byteCount == byteCount else { throw failure(.field(.length)) }
    guard given.isMade(by: { entry.encode(into: &$0, at: 0) }) else { throw failure(.field(.reserved)) }
    return (entry, byteCount)
  }

  /// Decodes an entry of exactly these bytes.
  private static func decode(_ tag: Tag, _ bytes: RawSpan) throws(FormatError) -> CatalogueEntry {
    guard bytes.byteCount >= tag.byteCountMin else { throw failure(.field(.length)) }
    let number: UInt32 = bytes.integer(at: Place.number)
    switch tag {
    case .numbers: return .numbers(try StoreNumbers.decode(bytes))
    case .segment: return .segment(try SegmentEntry.decode(bytes))
    case .freed:
      guard let generation = Generation(bytes.integer(at: Place.fields)) else {
        throw failure(.field(.generation))
      }
      guard SlotRun(first: number, count: 1) != nil else { throw failure(.field(.slots)) }
      return .freed(slot: number, generation: generation)
    case .collection: return .collection(try CollectionEntry.decode(bytes))
    case .collectionDropped:
      guard number >= 1, number < CollectionEntry.systemNumberMin else { throw failure(.field(.collection)) }
      return .collectionDropped(number: number)
    case .collectionCleared:
      if number == CollectionEntry.all { return .everythingCleared }
      guard number < CollectionEntry.systemNumberMin else { throw failure(.field(.collection)) }
      return .collectionCleared(number: number)
    case .dictionary: return .dictionary(try DictionaryEntry.decode(bytes))
    case .dictionaryGone:
      guard number >= 1, number <= Limits.dictionaryNumberMax else { throw failure(.field(.dictionary)) }
      return .dictionaryGone(number: number)
    case .indexPart: return .indexPart(try IndexPartEntry.decode(bytes))
    }
  }

  static func failure(_ fault: FormatError.Fault) -> FormatError {
    FormatError(.catalogueEntry, fault)
  }
}
