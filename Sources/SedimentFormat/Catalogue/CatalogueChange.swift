/// The control record by which the catalogue becomes different, all of it or nothing (DESIGN.md 3.5).
package struct CatalogueChange: Hashable, Sendable {
  package let entries: [CatalogueEntry]

  /// A change of sound entries that fit a record; nil for any other.
  package init?(_ entries: [CatalogueEntry]) {
    guard entries.allSatisfy(\.isSound) else { return nil }
    self.init(sound: entries)
  }

  private init?(sound entries: [CatalogueEntry]) {
    guard !entries.isEmpty, EntryList.byteCount(entries) <= EntryList.byteCountMax
    else { return nil }
    self.entries = entries
  }

  private enum Place {
    static let type = 0
    static let entryCount = 4
  }

  package func encode() -> [UInt8] {
    encoded(byteCount: EntryList.offset + EntryList.byteCount(entries)) { bytes in
      bytes.store(ControlType.catalogueChange.rawValue, at: Place.type)
      bytes.store(UInt32(truncatingIfNeeded: entries.count), at: Place.entryCount)
      EntryList.encode(entries, into: &bytes)
    }
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> CatalogueChange {
    guard bytes.byteCount >= EntryList.offset else { throw failure(.field(.length)) }
    guard bytes.isZero(Place.type + 1..<Place.entryCount) else { throw failure(.field(.reserved)) }
    let entries = try EntryList.decode(
      bytes, count: bytes.integer(at: Place.entryCount), for: .catalogueChange)
    guard let change = CatalogueChange(sound: entries) else { throw failure(.field(.tag)) }
    return change
  }

  private static func failure(_ fault: FormatError.Fault) -> FormatError {
    FormatError(.catalogueChange, fault)
  }
}

/// The entries behind the first eight bytes of a catalogue change or checkpoint part.
enum EntryList {
  static let offset = 8
  /// The bytes of entries that one record can hold.
  static let byteCountMax = Limits.inlineValueByteCountMax - offset

  static func byteCount(_ entries: [CatalogueEntry]) -> Int {
    entries.reduce(0) { $0 + $1.byteCount }
  }

  static func encode(_ entries: [CatalogueEntry], into bytes: inout MutableRawSpan) {
    var offset = Self.offset
    for entry in entries {
      entry.encode(into: &bytes, at: offset)
      offset += entry.byteCount
    }
  }

  /// Decodes `count` entries that must fill the bytes exactly.
  static func decode(
    _ bytes: RawSpan, count: UInt32, for structure: FormatError.Structure
  ) throws(FormatError) -> [CatalogueEntry] {
    guard Int(count) <= (bytes.byteCount / Limits.unitByteCount) else {
      throw FormatError(structure, .field(.count))
    }
    var entries: [CatalogueEntry] = []
    entries.reserveCapacity(Int(count))
    var offset = Self.offset
    for _ in 0..<count {
      let (entry, byteCount) = try CatalogueEntry.decode(bytes, at: offset)
      entries.append(entry)
      offset += byteCount
    }
    guard offset == bytes.byteCount else { throw FormatError(structure, .field(.length)) }
    return entries
  }
}
