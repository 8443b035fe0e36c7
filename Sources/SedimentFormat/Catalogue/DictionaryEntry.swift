/// A dictionary and the record that holds it.
package struct DictionaryEntry: Hashable, Sendable {
  /// 1 and up; never used again.
  package let number: UInt32
  /// The collection whose values it was trained for.
  package let collection: UInt32
  /// The checksum of its bytes.
  package let checksum: Checksum
  /// Where the record begins.
  package let offset: UnitOffset

  /// A dictionary within the limits; nil for any other.
  package init?(number: UInt32, collection: UInt32, checksum: Checksum, offset: UnitOffset) {
    guard number >= 1, number <= Limits.dictionaryNumberMax,
      offset.slot >= Limits.headSlotCount
    else { return nil }
    self.number = number
    self.collection = collection
    self.checksum = checksum
    self.offset = offset
  }
}

extension DictionaryEntry {
  /// The key of the record that holds a dictionary.
  package static func key(_ number: UInt32) -> [UInt8] {
    encoded(byteCount: keyByteCount) { $0.store(number, at: 0) }
  }

  package static let keyByteCount = 4

  private enum Place {
    static let number = 4
    static let collection = 8
    static let checksum = 12
    static let offset = 16
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(number, at: offset + Place.number)
    bytes.store(collection, at: offset + Place.collection)
    bytes.store(checksum.rawValue, at: offset + Place.checksum)
    bytes.store(self.offset.rawValue, at: offset + Place.offset)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> DictionaryEntry {
    guard let offset = UnitOffset(bytes.integer(at: Place.offset)),
      let entry = DictionaryEntry(
        number: bytes.integer(at: Place.number), collection: bytes.integer(at: Place.collection),
        checksum: Checksum(bytes.integer(at: Place.checksum)), offset: offset)
    else { throw CatalogueEntry.failure(.field(.dictionary)) }
    return entry
  }
}
