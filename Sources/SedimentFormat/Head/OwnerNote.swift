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
    static let fields = 12
    static let processNumber = 16
    static let openedAt = 24
    static let reserved = 32
  }

  private static let magic = 0x5245_4e57_4f44_4553 as UInt64  // "SEDOWNER"

  package func encode() -> [UInt8] {
    MagicBlock.encode(Self.magic, byteCount: Self.byteCount) { bytes in
      bytes.store(processNumber, at: Place.processNumber)
      bytes.store(openedAt, at: Place.openedAt)
    }
  }

  package static func decode(_ bytes: RawSpan) throws(FormatError) -> OwnerNote {
    try MagicBlock.check(bytes, magic, byteCount: byteCount, for: .ownerNote)
    guard bytes.isZero(Place.fields..<Place.processNumber), bytes.isZero(Place.reserved..<byteCount) else {
      throw FormatError(.ownerNote, .field(.reserved))
    }
    return OwnerNote(
      processNumber: bytes.integer(at: Place.processNumber), openedAt: bytes.integer(at: Place.openedAt))
  }
}
