internal import CSediment
internal import SedimentFormat

/// A record in memory, of which only the lengths were looked at: where its parts lie.
///
/// Everything is derived from one load of its first 16 bytes, and the lengths were compared with the bytes that
/// there are, so nothing outside them is touched. Its contents are to be believed only after `isIntact`.
@safe struct RecordView {
  let start: UnsafeRawPointer
  let shape: UInt8
  let keyByteCount: Int
  let valueByteCount: Int
  /// The low 48 bits of the sequence.
  let sequenceLow: UInt64
  /// The bytes before the key.
  let headByteCount: Int
  /// The bytes of the whole record, padding included.
  let byteCount: Int

  /// Nil if the bytes claim to be no record, or a longer one than `available`.
  @inline(__always)
  init?(_ start: UnsafeRawPointer, available: Int) {
    unsafe self.init(start, available: available, recordByteCountMax: available)
  }

  /// A record of which perhaps only the beginning is in memory; nil if the bytes claim to be no record, or a longer one
  /// than there can be.
  ///
  /// Who has only the beginning compares what is used of it with `available`.
  @inline(__always)
  init?(_ start: UnsafeRawPointer, available: Int, recordByteCountMax: Int) {
    guard available >= Limits.recordFixedByteCount else { return nil }
    let first = unsafe UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    let second = unsafe UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    unsafe self.start = start
    shape = UInt8(truncatingIfNeeded: first &>> 32)
    valueByteCount = Int(truncatingIfNeeded: first &>> 40)
    keyByteCount = Int(truncatingIfNeeded: second & 0xffff)
    sequenceLow = second &>> 16
    if shape & Self.optional == 0 {
      headByteCount = Limits.recordFixedByteCount
      byteCount = (Limits.recordFixedByteCount &+ keyByteCount &+ valueByteCount &+ 7) & ~7
    } else {
      guard let head = unsafe Self.head(start, shape, available: available) else { return nil }
      headByteCount = head.byteCount
      byteCount = (head.byteCount + keyByteCount + valueByteCount + head.trailerByteCount + 7) & ~7
    }
    guard shape & Self.kindMask != 0, byteCount <= recordByteCountMax else { return nil }
  }

  /// The bits of the shape that say which optional fields there are.
  private static let optional: UInt8 = 0b0111_1000
  private static let kindMask: UInt8 = 0b0000_0111

  private static func head(
    _ start: UnsafeRawPointer, _ shape: UInt8, available: Int
  ) -> (byteCount: Int, trailerByteCount: Int)? {
    var byteCount = Limits.recordFixedByteCount
    if shape & 0b0000_1000 != 0 { byteCount += 4 }
    if shape & 0b0001_0000 != 0 { byteCount += 6 }
    if shape & 0b0010_0000 != 0 {
      guard byteCount < available else { return nil }
      byteCount += unsafe Transform.byteCount(how: start.load(fromByteOffset: byteCount, as: UInt8.self))
    }
    var trailerByteCount = 0
    if shape & 0b0100_0000 != 0 {
      guard byteCount + 2 <= available else { return nil }
      trailerByteCount = Int(
        unsafe UInt16(littleEndian: start.loadUnaligned(fromByteOffset: byteCount, as: UInt16.self)))
      byteCount += 2
    }
    return (byteCount, trailerByteCount)
  }

  /// Whether the record's checksum is that of a record at the position, in bytes, of a segment of the seed.
  @inline(__always)
  func isIntact(at position: UInt64, seed: UInt32) -> Bool {
    let unit = UInt32(truncatingIfNeeded: position &>> 3)
    let stored = unsafe UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
    return unsafe sediment_crc32c_record(seed, unit, start, byteCount) == stored
  }

  @inline(__always) var kind: RecordKind? { RecordKind(rawValue: shape & Self.kindMask) }

  /// Whether it is a put of the default collection that does not expire and was stored as it is: most are.
  @inline(__always) var isPlainPut: Bool { shape & 0b0111_1111 == RecordKind.put.rawValue }

  /// Whether it is a put with its value in it, stored as it is.
  @inline(__always) var holdsValue: Bool { shape & 0b0010_0111 == RecordKind.put.rawValue }

  /// The number of its collection.
  @inline(__always) var collection: UInt32 {
    guard shape & 0b0000_1000 != 0 else { return 0 }
    return unsafe UInt32(
      littleEndian: start.loadUnaligned(fromByteOffset: Limits.recordFixedByteCount, as: UInt32.self))
  }

  /// When it expires, in milliseconds since 1970; 0 for never.
  var expiry: UInt64 {
    guard shape & 0b0001_0000 != 0 else { return 0 }
    let place = Limits.recordFixedByteCount + (shape & 0b0000_1000 != 0 ? 4 : 0)
    let low = unsafe UInt32(littleEndian: start.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    let high = unsafe UInt16(littleEndian: start.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self))
    return UInt64(low) | UInt64(high) << 32
  }

  /// Whether its value was transformed before it was stored.
  var isTransformed: Bool { shape & 0b0010_0000 != 0 }

  /// What was done to its value; nil if nothing was, or that makes no sense.
  var transform: Transform? {
    guard isTransformed else { return nil }
    let place =
      Limits.recordFixedByteCount + (shape & 0b0000_1000 != 0 ? 4 : 0) + (shape & 0b0001_0000 != 0 ? 6 : 0)
    return Transform.decode(unsafe RawSpan(_unsafeStart: start, byteCount: headByteCount), at: place)
  }

  /// Whether its key is these bytes.
  @inline(__always)
  func hasKey(_ key: RawSpan) -> Bool {
    guard keyByteCount == key.byteCount else { return false }
    return unsafe key.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return true }
      return unsafe sediment_bytes_equal(base, start + headByteCount, bytes.count) != 0
    }
  }

  @inline(__always) var key: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start + headByteCount, count: keyByteCount)
  }

  /// The value as it is stored.
  @inline(__always) var value: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: start + headByteCount + keyByteCount, count: valueByteCount)
  }
}
