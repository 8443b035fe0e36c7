internal import CSediment
internal import SedimentFormat

/// What a record says besides its key and value, and how the writer lays it out in memory (DESIGN.md 3.4).
///
/// First comes all that is known of it wherever it will stand, then what its place in the log decides.
struct RecordForm {
  var kind = RecordKind.put
  var isBatched = false
  var collection: UInt32 = 0
  var expiry: UInt64 = 0
  var transform: Transform?

  /// The bytes of the whole record.
  @inline(__always) func byteCount(keyByteCount: Int, valueByteCount: Int) -> Int {
    (headByteCount &+ keyByteCount &+ valueByteCount &+ 7) & ~7
  }

  /// The bytes before the key.
  @inline(__always) var headByteCount: Int {
    Limits.recordFixedByteCount + (hasOptionalFields ? optionalByteCount : 0)
  }

  /// Whether it has fields that only some records have.
  @inline(__always) private var hasOptionalFields: Bool {
    UInt64(collection) | expiry != 0 || transform != nil
  }

  private var optionalByteCount: Int {
    (collection == 0 ? 0 : 4) + (expiry == 0 ? 0 : 6) + (transform?.byteCount ?? 0)
  }

  /// The bytes of a control record whose value has so many.
  static func byteCount(ofControl valueByteCount: Int) -> Int {
    RecordForm(kind: .control).byteCount(keyByteCount: 0, valueByteCount: valueByteCount)
  }

  // MARK: Encoding

  /// Lays out a record but for its checksum, in as many bytes as its form says; with the sequence 0 where that is not
  /// known yet.
  @inline(__always)
  func encode(
    key: RawSpan, value: RawSpan, byteCount: Int, sequence: UInt64 = 0, at start: UnsafeMutableRawPointer
  ) {
    // The padding, of which the rest is overwritten below; a record has at least 16 bytes.
    unsafe start.storeBytes(of: 0 as UInt64, toByteOffset: byteCount - 8, as: UInt64.self)
    let hasOptionalFields = hasOptionalFields
    let shape =
      kind.rawValue | (isBatched ? RecordHeader.Shape.batched : 0) | (hasOptionalFields ? optionalShape : 0)
    let lengths = UInt32(shape) | UInt32(truncatingIfNeeded: value.byteCount) &<< 8
    unsafe start.storeBytes(of: lengths.littleEndian, toByteOffset: 4, as: UInt32.self)
    let numbers = UInt64(UInt16(truncatingIfNeeded: key.byteCount)) | sequence &<< 16
    unsafe start.storeBytes(of: numbers.littleEndian, toByteOffset: 8, as: UInt64.self)
    var place = Limits.recordFixedByteCount
    if hasOptionalFields { unsafe place = encodeOptionalFields(into: start) }
    let (keyStart, valueStart) = unsafe (start + place, start + place + key.byteCount)
    unsafe key.withUnsafeBytes { unsafe sediment_copy_short(keyStart, $0.baseAddress, $0.count) }
    unsafe value.withUnsafeBytes { unsafe sediment_copy(valueStart, $0.baseAddress, $0.count) }
  }

  /// What the byte for its shape says of the fields that only some records have (DESIGN.md 3.4).
  private var optionalShape: UInt8 {
    (collection == 0 ? 0 : RecordHeader.Shape.collection) | (expiry == 0 ? 0 : RecordHeader.Shape.expiry)
      | (transform == nil ? 0 : RecordHeader.Shape.transform)
  }

  /// Writes the fields that only some records have, and returns where the key begins.
  private func encodeOptionalFields(into start: UnsafeMutableRawPointer) -> Int {
    var place = Limits.recordFixedByteCount
    if collection != 0 {
      unsafe start.storeBytes(of: collection.littleEndian, toByteOffset: place, as: UInt32.self)
      place += 4
    }
    if expiry != 0 {
      let low = UInt32(truncatingIfNeeded: expiry).littleEndian
      unsafe start.storeBytes(of: low, toByteOffset: place, as: UInt32.self)
      let high = UInt16(truncatingIfNeeded: expiry >> 32).littleEndian
      unsafe start.storeBytes(of: high, toByteOffset: place + 4, as: UInt16.self)
      place += 6
    }
    if let transform {
      var bytes = unsafe MutableRawSpan(
        _unsafeStart: start, byteCount: place + transform.byteCount)
      transform.encode(into: &bytes, at: place)
      place += transform.byteCount
    }
    return place
  }

  /// Gives a record that was laid out its sequence.
  @inline(__always)
  static func number(at start: UnsafeMutableRawPointer, sequence: UInt64) {
    let numbers = unsafe UInt64(littleEndian: start.load(fromByteOffset: 8, as: UInt64.self))
    unsafe start.storeBytes(
      of: (numbers & 0xffff | sequence &<< 16).littleEndian, toByteOffset: 8, as: UInt64.self)
  }

  /// Gives a record that was laid out the checksum that it has at a unit of the file, in a segment of the seed.
  @inline(__always)
  static func seal(at start: UnsafeMutableRawPointer, byteCount: Int, unit: UInt32, seed: UInt32) {
    let checksum = unsafe sediment_crc32c_record(seed, unit, start, byteCount)
    unsafe start.storeBytes(of: checksum.littleEndian, as: UInt32.self)
  }

  /// The unit of the file that begins at an offset.
  @inline(__always)
  static func unit(at offset: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: offset / UInt64(Limits.unitByteCount))
  }
}
