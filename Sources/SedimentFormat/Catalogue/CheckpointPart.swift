/// A control record with some of the entries that say the catalogue whole (DESIGN.md 3.5).
///
/// The parts follow one another with nothing but seals between. The first begins with the numbers, and no other
/// has any.
package struct CheckpointPart: Hashable, Sendable {
  package let number: UInt16
  package let partCount: UInt16
  package let entries: [CatalogueEntry]

  /// A part of sound entries that may stand in it and that fit a record; nil for any other.
  package init?(number: UInt16, of partCount: UInt16, _ entries: [CatalogueEntry]) {
    guard entries.allSatisfy(\.isSound) else { return nil }
    self.init(number: number, of: partCount, sound: entries)
  }

  private init?(number: UInt16, of partCount: UInt16, sound entries: [CatalogueEntry]) {
    guard number < partCount, entries.count <= Int(UInt16.max),
      entries.allSatisfy(\.belongsInCheckpoint),
      EntryList.byteCount(entries) <= EntryList.byteCountMax
    else { return nil }
    for (place, entry) in entries.enumerated() {
      guard case .numbers = entry else { continue }
      guard number == 0, place == 0 else { return nil }
    }
    if number == 0 {
      guard case .numbers? = entries.first else { return nil }
    }
    self.number = number
    self.partCount = partCount
    self.entries = entries
  }

  private enum Place {
    static let type = 0
    static let reserved = 1
    static let number = 2
    static let partCount = 4
    static let entryCount = 6
  }

  package func encode() -> [UInt8] {
    encoded(byteCount: EntryList.offset + EntryList.byteCount(entries)) { bytes in
      bytes.store(ControlType.checkpointPart.rawValue, at: Place.type)
      bytes.store(number, at: Place.number)
      bytes.store(partCount, at: Place.partCount)
      bytes.store(UInt16(truncatingIfNeeded: entries.count), at: Place.entryCount)
      EntryList.encode(entries, into: &bytes)
    }
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> CheckpointPart {
    guard bytes.byteCount >= EntryList.offset else { throw failure(.field(.length)) }
    guard bytes.isZero(Place.reserved..<Place.number) else { throw failure(.field(.reserved)) }
    let entryCount = UInt32(bytes.integer(UInt16.self, at: Place.entryCount))
    let entries = try EntryList.decode(bytes, count: entryCount, for: .checkpointPart)
    guard
      let part = CheckpointPart(
        number: bytes.integer(at: Place.number), of: bytes.integer(at: Place.partCount), sound: entries)
    else { throw failure(.field(.part)) }
    return part
  }

  private static func failure(_ fault: FormatError.Fault) -> FormatError {
    FormatError(.checkpointPart, fault)
  }
}
