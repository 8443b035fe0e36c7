public import CSediment

/// A record in memory, of which only the lengths were looked at: where its parts lie.
///
/// That is derived from one load of its first 16 bytes, and the lengths were compared with the bytes that
/// there are, so nothing outside them is touched. Its contents are to be believed only after `isIntact`.
@safe @usableFromInline package struct RecordView {
  @usableFromInline package let start: UnsafeRawPointer
  @usableFromInline package let shape: UInt8
  @usableFromInline package let keyByteCount: Int
  @usableFromInline package let valueByteCount: Int
  @usableFromInline package let keyStart: UnsafeRawPointer
  /// The bytes of the whole record, padding included.
  @usableFromInline package let byteCount: Int

  /// Nil if the bytes claim to be no record, or a longer one than `available`.
  @inlinable @inline(__always)
  package init?(_ start: UnsafeRawPointer, available: Int) {
    unsafe self.init(start, available: available, recordByteCountMax: available)
  }

  /// A record of which perhaps only the beginning is in memory; nil if the bytes claim to be no record, or a longer one
  /// than there can be.
  ///
  /// Who has only the beginning compares what is used of it with `available`.
  @inlinable @inline(__always)
  package init?(_ start: UnsafeRawPointer, available: Int, recordByteCountMax: Int) {
    guard available >= Limits.recordFixedByteCount else { return nil }
    let first = unsafe UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    let second = unsafe UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    unsafe self.start = start
    shape = UInt8(truncatingIfNeeded: first &>> 32)
    valueByteCount = Int(truncatingIfNeeded: first &>> 40)
    keyByteCount = Int(truncatingIfNeeded: second & 0xffff)
    if shape & Shape.optional == 0 {
      unsafe keyStart = start + Limits.recordFixedByteCount
      byteCount = (Limits.recordFixedByteCount &+ keyByteCount &+ valueByteCount &+ 7) & ~7
    } else {
      guard let head = unsafe Self.head(start, shape, available: available) else { return nil }
      unsafe keyStart = start + head
      byteCount = (head + keyByteCount + valueByteCount + 7) & ~7
    }
    guard shape & Shape.kindNumber != 0, byteCount <= recordByteCountMax else { return nil }
  }

  /// The low 48 bits of the sequence.
  @inlinable @inline(__always) package var sequenceLow: UInt64 {
    unsafe UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) &>> 16
  }

  /// The bytes before the key.
  @inlinable @inline(__always) package var headByteCount: Int { unsafe keyStart - start }

  @usableFromInline typealias Shape = RecordHeader.Shape
  @usableFromInline typealias Field = RecordHeader.Field

  /// The bytes before the key of a record that has optional fields; nil if not enough of them are there to tell.
  @inlinable static func head(_ start: UnsafeRawPointer, _ shape: UInt8, available: Int) -> Int? {
    var byteCount = Limits.recordFixedByteCount
    if shape & Shape.collection != 0 { byteCount += Field.collectionByteCount }
    if shape & Shape.expiry != 0 { byteCount += Field.expiryByteCount }
    if shape & Shape.transform != 0 {
      guard byteCount < available else { return nil }
      byteCount += unsafe Transform.byteCount(how: start.load(fromByteOffset: byteCount, as: UInt8.self))
    }
    return byteCount
  }

  /// Whether the record's checksum is that of a record at the position, in bytes, of a segment of the seed.
  @inlinable @inline(__always)
  package func isIntact(at position: UInt64, seed: UInt32) -> Bool {
    let unit = UInt32(truncatingIfNeeded: position &>> 3)
    let stored = unsafe UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
    return unsafe sediment_crc32c_record(seed, unit, start, byteCount) == stored
  }

  /// Whether nothing but zeros lies between its end and the next multiple of 8.
  @inlinable @inline(__always)
  package var isPaddedWithZeros: Bool {
    let last = unsafe UInt64(
      littleEndian: start.loadUnaligned(fromByteOffset: byteCount &- 8, as: UInt64.self))
    let used = headByteCount &+ keyByteCount &+ valueByteCount
    return last >> UInt64(truncatingIfNeeded: 64 &- 8 &* (byteCount &- used)) == 0
  }

  /// Its kind; nil for one of a newer version.
  @inlinable @inline(__always) package var kind: RecordKind? { RecordKind(rawValue: shape & Shape.kind) }

  /// Whether it is a put of the default collection that does not expire and was stored as it is: most are.
  @inlinable @inline(__always) package var isPlainPut: Bool {
    shape & ~Shape.batched == RecordKind.put.rawValue
  }

  /// Whether it is a put with its value in it, stored as it is.
  @inlinable @inline(__always) package var holdsValue: Bool {
    shape & (Shape.kind | Shape.transform) == RecordKind.put.rawValue
  }

  /// The number of its collection.
  @inlinable @inline(__always) package var collection: UInt32 {
    guard shape & Shape.collection != 0 else { return 0 }
    return unsafe UInt32(
      littleEndian: start.loadUnaligned(fromByteOffset: Limits.recordFixedByteCount, as: UInt32.self))
  }

  /// When it expires, in milliseconds since 1970; 0 for never.
  @inlinable package var expiry: UInt64 {
    guard shape & Shape.expiry != 0 else { return 0 }
    let place =
      Limits.recordFixedByteCount + (shape & Shape.collection != 0 ? Field.collectionByteCount : 0)
    let low = unsafe UInt32(littleEndian: start.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    let high = unsafe UInt16(littleEndian: start.loadUnaligned(fromByteOffset: place + 4, as: UInt16.self))
    return UInt64(low) | UInt64(high) << 32
  }

  /// Whether its value was transformed before it was stored.
  @inlinable package var isTransformed: Bool { shape & Shape.transform != 0 }

  /// What was done to its value; nil if nothing was, or that makes no sense.
  @inlinable package var transform: Transform? {
    guard isTransformed else { return nil }
    let place =
      Limits.recordFixedByteCount + (shape & Shape.collection != 0 ? Field.collectionByteCount : 0)
      + (shape & Shape.expiry != 0 ? Field.expiryByteCount : 0)
    return Transform.decode(unsafe RawSpan(_unsafeStart: start, byteCount: headByteCount), at: place)
  }

  /// Whether its key is these bytes.
  @inlinable @inline(__always)
  package func hasKey(_ key: RawSpan) -> Bool {
    guard keyByteCount == key.byteCount else { return false }
    return unsafe key.withUnsafeBytes { bytes in
      unsafe sediment_bytes_equal(bytes.baseAddress, keyStart, bytes.count) != 0
    }
  }

  /// Whether its key begins with these bytes.
  @inlinable package func hasPrefix(_ prefix: RawSpan) -> Bool {
    guard keyByteCount >= prefix.byteCount else { return false }
    return unsafe prefix.withUnsafeBytes { bytes in
      unsafe sediment_bytes_equal(bytes.baseAddress, keyStart, bytes.count) != 0
    }
  }

  @inlinable @inline(__always) package var key: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: keyStart, count: keyByteCount)
  }

  /// The value as it is stored.
  @inlinable @inline(__always) package var value: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: keyStart + keyByteCount, count: valueByteCount)
  }
}
