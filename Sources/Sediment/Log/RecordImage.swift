internal import CSediment
internal import SedimentFormat

/// How a record of a user is laid out in memory before it goes to the file (DESIGN.md 3.4).
///
/// First all that is known of it wherever it will stand, then what its place in the log decides.
enum RecordImage {
  /// Lays out a record but for its sequence and its checksum, in as many bytes as its form says.
  @inline(__always)
  static func make(
    _ form: RecordForm, key: RawSpan, value: RawSpan, byteCount: Int, at start: UnsafeMutableRawPointer
  ) {
    // The padding, of which the rest is overwritten below; a record has at least 16 bytes.
    unsafe start.storeBytes(of: 0 as UInt64, toByteOffset: byteCount - 8, as: UInt64.self)
    let lengths = UInt32(form.shape) | UInt32(truncatingIfNeeded: value.byteCount) &<< 8
    unsafe start.storeBytes(of: lengths.littleEndian, toByteOffset: 4, as: UInt32.self)
    let keyLength = UInt64(UInt16(truncatingIfNeeded: key.byteCount))
    unsafe start.storeBytes(of: keyLength.littleEndian, toByteOffset: 8, as: UInt64.self)
    var place = Limits.recordFixedByteCount
    if form.hasOptionalFields { unsafe place = form.encodeOptionalFields(into: start) }
    unsafe copy(key, to: start + place)
    unsafe copy(value, to: start + place + key.byteCount)
  }

  /// Gives a record its sequence and the checksum that it has at an offset of the file, in a segment of the seed.
  ///
  /// Also one that had others, because it was to stand elsewhere.
  @inline(__always)
  static func finish(
    at start: UnsafeMutableRawPointer, byteCount: Int, sequence: UInt64, offset: UInt64, seed: UInt32
  ) {
    let numbers = unsafe UInt64(littleEndian: start.load(fromByteOffset: 8, as: UInt64.self))
    unsafe start.storeBytes(
      of: (numbers & 0xffff | sequence &<< 16).littleEndian, toByteOffset: 8, as: UInt64.self)
    let unit = UInt32(truncatingIfNeeded: offset / UInt64(Limits.unitByteCount))
    let checksum = unsafe sediment_crc32c_record(seed, unit, start, byteCount)
    unsafe start.storeBytes(of: checksum.littleEndian, as: UInt32.self)
  }

  @inline(__always)
  private static func copy(_ bytes: RawSpan, to target: UnsafeMutableRawPointer) {
    unsafe bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe target.copyMemory(from: start, byteCount: source.count)
    }
  }
}

/// Records that were laid out one behind the other, and have no place in the log yet.
@safe
final class RecordImages {
  private let memory: GrowingMemory

  /// Room for so many bytes of records, which more is made of where there are more.
  init(byteCount: Int = 1024) {
    memory = GrowingMemory(room: byteCount)
  }

  /// The bytes of all records.
  var byteCount: Int { memory.byteCount }

  /// The same records, of which no change is seen here, with room for more.
  func copy() -> RecordImages {
    let copy = RecordImages(byteCount: 2 * byteCount)
    unsafe copy.memory.add(byteCount).copyMemory(from: memory.start, byteCount: byteCount)
    return copy
  }

  /// Adds a record; the result is where its bytes are among all.
  @inline(__always)
  @discardableResult
  func append(_ form: RecordForm, key: RawSpan, value: RawSpan) -> Range<Int> {
    let count = form.byteCount(keyByteCount: key.byteCount, valueByteCount: value.byteCount)
    let offset = byteCount
    unsafe RecordImage.make(form, key: key, value: value, byteCount: count, at: memory.add(count))
    return offset..<offset &+ count
  }

  /// Takes out what was added last, from a byte on.
  func removeAll(from offset: Int) {
    memory.removeAll(from: offset)
  }

  /// Where some of the bytes are, until a record is added.
  @inline(__always)
  func address(_ range: Range<Int>) -> UnsafeMutableRawPointer {
    precondition(range.lowerBound >= 0 && range.upperBound <= byteCount)
    return unsafe memory.start + range.lowerBound
  }
}
