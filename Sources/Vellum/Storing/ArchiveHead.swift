internal import Sediment

/// What stands before the data of an archive in its value, and what is known of its last recording.
struct ArchiveHead: Equatable {
  /// Given when its key was first recorded; never 0.
  var number: UInt64
  /// The tick of the recording: the uses of all archives of a type are counted.
  var tick: UInt64
  /// When it was recorded, in milliseconds since 1970; 0 for all that was before.
  var milliseconds: UInt64

  private static let version: UInt8 = 1

  /// The longest head.
  static let byteCountMax = 1 + 3 * Packed.byteCountMax

  enum Failure: Error {
    case newer
    case damaged
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(Self.version)
    Packed.append(number, to: &bytes)
    Packed.append(tick, to: &bytes)
    Packed.append(milliseconds, to: &bytes)
  }

  /// Reads a head; `byteCount` is what it took, and the data follows.
  static func read(_ bytes: RawSpan) throws(Failure) -> (head: ArchiveHead, byteCount: Int) {
    guard !bytes.isEmpty else { throw .damaged }
    let version = unsafe bytes.unsafeLoad(as: UInt8.self)
    guard version == Self.version else { throw version > Self.version ? .newer : .damaged }
    var place = 1
    guard let number = Packed.read(bytes, at: &place), let tick = Packed.read(bytes, at: &place),
      let milliseconds = Packed.read(bytes, at: &place),
      number > 0, Swift.max(number, tick, milliseconds) <= Packed.limit
    else { throw .damaged }
    return (ArchiveHead(number: number, tick: tick, milliseconds: milliseconds), place)
  }
}

/// A use of an archive, as it is saved beside the archives.
struct SavedUse: Equatable {
  var tick: UInt64
  var milliseconds: UInt64

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * Packed.byteCountMax)
    Packed.append(tick, to: &bytes)
    Packed.append(milliseconds, to: &bytes)
    return bytes
  }

  init(tick: UInt64, milliseconds: UInt64) {
    self.tick = tick
    self.milliseconds = milliseconds
  }

  /// Nil if the bytes are something else.
  init?(_ bytes: RawSpan) {
    var place = 0
    guard let tick = Packed.read(bytes, at: &place), let milliseconds = Packed.read(bytes, at: &place),
      place == bytes.byteCount, Swift.max(tick, milliseconds) <= Packed.limit
    else { return nil }
    self.init(tick: tick, milliseconds: milliseconds)
  }

  /// The key that the use of an archive is saved under.
  static func key(number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  /// The number of a key; nil if it is something else.
  static func number(ofKey key: RawSpan) -> UInt64? {
    guard key.byteCount == 8 else { return nil }
    // Eight bytes are there.
    return UInt64(bigEndian: unsafe key.unsafeLoadUnaligned(as: UInt64.self))
  }
}

/// Numbers in as few bytes as they need, seven bits in each, the low ones first.
enum Packed {
  static let byteCountMax = 10

  /// The greatest number that a file may have; one more than that never overflows.
  static let limit: UInt64 = 1 << 62

  static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Nil, with `place` anywhere, if there is no whole number of 64 bits.
  static func read(_ bytes: RawSpan, at place: inout Int) -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard place < bytes.byteCount else { return nil }
      // The place was checked.
      let byte = unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)
      place += 1
      if shift == 63, byte > 1 { return nil }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }
}
