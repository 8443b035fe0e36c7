/// Who has a file open, for the message to the second one who tries (DESIGN.md 3.8).
///
/// Only a help for people: the lock decides, and the note may be stale or missing.
package struct OwnerNote: Hashable, Sendable {
  package let processNumber: UInt64
  /// When the owner opened the file, in milliseconds since 1970.
  package let openedAt: UInt64

  package init(processNumber: UInt64, openedAt: UInt64) {
    self.processNumber = processNumber
    self.openedAt = openedAt
  }

  package static let byteOffset: UInt64 = 4096
  package static let byteCount = 64

  private enum Place {
    static let magic = 0
    static let checksum = 8
    static let processNumber = 16
    static let openedAt = 24
    static let reserved = 32
    static let covered = 12
  }

  private static let magic = 0x5245_4e57_4f44_4553 as UInt64  // "SEDOWNER"

  package func encode() -> [UInt8] {
    encoded(byteCount: Self.byteCount) { bytes in
      bytes.store(Self.magic, at: Place.magic)
      bytes.store(processNumber, at: Place.processNumber)
      bytes.store(openedAt, at: Place.openedAt)
      bytes.store(Self.checksum(bytes.bytes).rawValue, at: Place.checksum)
    }
  }

  package static func decode(_ bytes: RawSpan) throws(FormatError) -> OwnerNote {
    guard bytes.byteCount >= byteCount else { throw FormatError(.ownerNote, .truncated) }
    guard bytes.integer(at: Place.magic) == magic else { throw FormatError(.ownerNote, .absent) }
    guard bytes.integer(at: Place.checksum) == checksum(bytes).rawValue else {
      throw FormatError(.ownerNote, .checksum)
    }
    guard bytes.isZero(Place.covered..<Place.processNumber), bytes.isZero(Place.reserved..<byteCount) else {
      throw FormatError(.ownerNote, .field(.reserved))
    }
    return OwnerNote(
      processNumber: bytes.integer(at: Place.processNumber), openedAt: bytes.integer(at: Place.openedAt))
  }

  private static func checksum(_ bytes: RawSpan) -> Checksum {
    Checksum.empty.continued(with: bytes.extracting(Place.covered..<byteCount))
  }
}
