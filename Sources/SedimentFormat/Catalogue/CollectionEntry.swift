/// A named collection.
package struct CollectionEntry: Hashable, Sendable {
  /// 1 and up, and never used again; 0 for the default collection.
  package let number: UInt32
  /// Its records up to this sequence are dead.
  package let clearedAt: SequenceNumber
  /// Its name in UTF-8, without a zero byte, or nothing for the default one; names are the same if their bytes are.
  package let name: [UInt8]

  /// A collection within the limits; nil for any other.
  package init?(number: UInt32, clearedAt: SequenceNumber, name: [UInt8]) {
    guard number < Self.systemNumberMin, number == 0 ? name.isEmpty : Self.isName(name) else { return nil }
    self.number = number
    self.clearedAt = clearedAt
    self.name = name
  }

  /// Whether the bytes may be the name of a collection.
  package static func isName(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 1 && bytes.count <= Limits.collectionNameByteCountMax && !bytes.contains(0)
      && String(validating: bytes, as: UTF8.self) != nil
  }

  /// Collections from this number on belong to the system; clearing everything spares them.
  package static let systemNumberMin: UInt32 = 0xffff_fffe
  /// The collection of the dictionaries' own records.
  package static let dictionaries: UInt32 = 0xffff_fffe
  /// The number that stands for all collections in a clearing.
  package static let all: UInt32 = 0xffff_ffff
}

extension CollectionEntry {
  private enum Place {
    static let nameByteCount = 2
    static let number = 4
    static let clearedAt = 8
    static let name = 16
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(UInt8(truncatingIfNeeded: name.count), at: offset + Place.nameByteCount)
    bytes.store(number, at: offset + Place.number)
    bytes.store(clearedAt.rawValue, at: offset + Place.clearedAt)
    bytes.copy(unsafe name.span.bytes, at: offset + Place.name)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> CollectionEntry {
    let nameByteCount = Int(bytes.integer(UInt8.self, at: Place.nameByteCount))
    guard nameByteCount <= bytes.byteCount - Place.name else { throw CatalogueEntry.failure(.field(.name)) }
    guard let clearedAt = SequenceNumber(bytes.integer(at: Place.clearedAt)) else {
      throw CatalogueEntry.failure(.field(.sequence))
    }
    guard
      let entry = CollectionEntry(
        number: bytes.integer(at: Place.number), clearedAt: clearedAt,
        name: bytes.array(Place.name..<Place.name + nameByteCount))
    else { throw CatalogueEntry.failure(.field(.collection)) }
    return entry
  }
}
