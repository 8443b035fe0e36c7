import SedimentFormat

/// A generator of its own, so that a failing case can be run again from its seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}

// MARK: Making bytes

/// Encodes a whole record.
func record(
  _ header: RecordHeader, key: [UInt8], value: [UInt8], at place: RecordPlace
) -> [UInt8] {
  var bytes = [UInt8](repeating: 0xee, count: header.byteCount)
  var elements = bytes.mutableSpan
  var span = unsafe elements.mutableBytes
  header.encode(into: &span)
  span.copy(unsafe key.span.bytes, at: header.keyRange.lowerBound)
  span.copy(unsafe value.span.bytes, at: header.valueRange.lowerBound)
  RecordHeader.seal(&span, at: place)
  return bytes
}

/// Makes a record by hand, well-formed or not, with the checksum that it must carry at its place.
func handmade(
  shape: UInt8, valueByteCount: Int = 0, keyByteCount: Int = 0, sequence: UInt64 = 1,
  optional: [UInt8] = [], body: [UInt8]? = nil, padding: UInt8 = 0, at place: RecordPlace = Sample.place
) -> [UInt8] {
  var bytes = laid(
    16,
    [
      (4, 1, UInt64(shape)), (5, 3, UInt64(valueByteCount)), (8, 2, UInt64(keyByteCount)), (10, 6, sequence),
    ])
  bytes += optional
  bytes += body ?? [UInt8](repeating: 0x2e, count: keyByteCount + valueByteCount)
  while bytes.count % 8 != 0 { bytes.append(padding) }
  bytes.seal(at: place)
  return bytes
}

/// Lays out fields as DESIGN.md draws them: where each begins, how many bytes it takes, and its value.
func laid(_ byteCount: Int, _ fields: [(offset: Int, byteCount: Int, value: UInt64)]) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: byteCount)
  for field in fields {
    for index in 0..<field.byteCount {
      bytes[field.offset + index] = UInt8(truncatingIfNeeded: field.value >> (8 * UInt64(index)))
    }
  }
  return bytes
}

/// The fields of an identity block that begins at an offset.
func identityFields(
  _ identity: SegmentIdentity, at offset: Int
) -> [(offset: Int, byteCount: Int, value: UInt64)] {
  [
    (offset, 4, UInt64(identity.run.first)), (offset + 4, 4, UInt64(identity.run.count)),
    (offset + 8, 4, UInt64(identity.kind.rawValue)), (offset + 12, 8, identity.generation.rawValue),
    (offset + 20, 8, identity.salt),
  ]
}

extension Array where Element == UInt8 {
  /// Replaces the integer at an offset.
  mutating func put(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int) {
    var elements = mutableSpan
    var span = unsafe elements.mutableBytes
    span.store(value, at: offset)
  }

  /// Replaces the bytes at an offset.
  mutating func put(_ bytes: [UInt8], at offset: Int) {
    replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }

  /// Stores at offset 8 the checksum of the bytes from 12 to `end`, as all blocks but records have it.
  mutating func mend(_ end: Int) {
    guard count >= end else { return }
    put(Checksum.empty.continued(with: unsafe span.bytes.extracting(12..<end)).rawValue, at: 8)
  }

  /// Stores the checksum that these bytes, as one record, must carry at a place.
  mutating func seal(at place: RecordPlace) {
    var elements = mutableSpan
    var bytes = unsafe elements.mutableBytes
    RecordHeader.seal(&bytes, at: place)
  }
}

// MARK: Decoding arrays

extension Superblock {
  static func decode(_ bytes: [UInt8], copy: Copy = .first) throws(FormatError) -> Superblock {
    try unsafe decode(bytes.span.bytes, copy: copy)
  }
}

extension OwnerNote {
  static func decode(_ bytes: [UInt8]) throws(FormatError) -> OwnerNote {
    try unsafe decode(bytes.span.bytes)
  }
}

extension SegmentHeader {
  static func decode(
    _ bytes: [UInt8], in file: FileIdentity = Sample.file, at slot: UInt32 = Sample.run.first
  ) throws(FormatError) -> SegmentHeader {
    try unsafe decode(bytes.span.bytes, in: file, at: slot)
  }
}

extension RecordHeader {
  static func decode(
    _ bytes: [UInt8], at place: RecordPlace = Sample.place
  ) throws(FormatError) -> RecordHeader {
    try unsafe decode(bytes.span.bytes, at: place)
  }
}

extension ValuePlace {
  static func decode(_ bytes: [UInt8]) throws(FormatError) -> ValuePlace {
    try unsafe decode(bytes.span.bytes)
  }
}

extension ControlRecord {
  static func decode(_ bytes: [UInt8]) throws(FormatError) -> ControlRecord {
    try unsafe decode(bytes.span.bytes, isBatched: false)
  }
}

extension CatalogueEntry {
  func encode() -> [UInt8] {
    encoded(byteCount: byteCount) { encode(into: &$0, at: 0) }
  }

  static func decode(_ bytes: [UInt8]) throws(FormatError) -> CatalogueEntry {
    try unsafe decode(bytes.span.bytes, at: 0).entry
  }
}

// MARK: Damage

/// What decoding throws, nil where it does not.
func fault<T>(_ decode: () throws(FormatError) -> T) -> FormatError.Fault? {
  do throws(FormatError) {
    _ = try decode()
    return nil
  } catch {
    return error.fault
  }
}

/// Runs `body` with each byte string that differs from `bytes` in one bit.
func withEveryBitFlipped(_ bytes: [UInt8], _ body: ([UInt8], Int) throws -> Void) rethrows {
  for bit in 0..<bytes.count * 8 {
    var damaged = bytes
    damaged[bit / 8] ^= 1 << (bit % 8)
    try body(damaged, bit)
  }
}

/// Something written over a sound structure, and what decoding then says of it.
struct Damage: Sendable, CustomStringConvertible {
  let offset: Int
  let bytes: [UInt8]
  /// Nil where the damaged structure is still a sound one.
  let fault: FormatError.Fault?

  init(_ value: some FixedWidthInteger & BitwiseCopyable, at offset: Int, _ fault: FormatError.Fault?) {
    self.offset = offset
    bytes = encoded(byteCount: value.bitWidth / 8) { $0.store(value, at: 0) }
    self.fault = fault
  }

  var description: String {
    "\(bytes) at \(offset)"
  }
}
