internal import CSediment
package import SedimentDisk
internal import SedimentFormat

/// Reads again what a record says of itself, for records that were verified before: from mapped memory or by `read`.
///
/// The bytes may have changed since, so everything is checked against the file's length; what is read then may be
/// wrong, but harms nothing.
@safe
package struct RecordSource {
  private let file: any DiskFile
  private let byteCount: UInt64
  private let mapped: UnsafeRawPointer
  private let mappedByteCount: UInt64
  private var buffer: [UInt8]

  /// The bytes before the key at the most.
  private static let headByteCountMax = 36

  /// A source that reads the file.
  package init(_ file: any DiskFile, byteCount: UInt64) {
    unsafe self.init(file, byteCount: byteCount, mapped: UnsafeRawPointer(bitPattern: 1)!, mappedByteCount: 0)
  }

  /// A source that reads the memory where the first bytes of the file are mapped, and exposed for as long as the
  /// source is used, and the file behind them.
  package init(
    _ file: any DiskFile, byteCount: UInt64, mapped: UnsafeRawPointer, mappedByteCount: UInt64
  ) {
    self.file = file
    self.byteCount = byteCount
    unsafe self.mapped = mapped
    self.mappedByteCount = mappedByteCount
    let isMapped = mappedByteCount >= byteCount
    buffer = [UInt8](repeating: 0, count: isMapped ? 0 : Self.headByteCountMax + Limits.keyByteCountMax)
  }

  /// Where the fields of a record lie (DESIGN.md 3.4), and the bits of its shape.
  private enum Place {
    static let shape = 4
    static let valueByteCount = 5
    static let keyByteCount = 8
    static let sequence = 10

    static let kind: UInt8 = 0b0000_0111
    static let collection: UInt8 = 0b0000_1000
    static let expiry: UInt8 = 0b0001_0000
    static let transform: UInt8 = 0b0010_0000
    static let trailer: UInt8 = 0b0100_0000
    static let optional = collection | expiry | transform | trailer
    /// The bit of the transform's first byte that says that it takes 8 bytes, not 4.
    static let longTransform: UInt8 = 0b0000_1000
  }

  /// What a record says of itself.
  struct Claim {
    /// The low 48 bits of its sequence.
    let lowSequence: UInt64
    let expiry: UInt64
    let byteCount: Int
    let kind: UInt8
  }

  /// Begins to bring a record near.
  @inline(__always)
  func prefetch(_ position: UInt64) {
    let offset = position &* UInt64(Limits.unitByteCount)
    if offset < mappedByteCount { unsafe sediment_prefetch(mapped + Int(offset)) }
  }

  /// What the record at a position claims, if its collection and key are those of the other one; else nil.
  mutating func claim(
    at position: UInt64, ifKeyOf other: ScannedRecord
  ) throws(SedimentError) -> Claim? {
    let offset = position * UInt64(Limits.unitByteCount)
    guard offset < byteCount else { return nil }
    let needed = Self.headByteCountMax + Int(other.keyByteCount)
    let count = Int(min(byteCount - offset, UInt64(needed)))
    if offset + UInt64(count) <= mappedByteCount {
      return unsafe Self.claim(RawSpan(_unsafeStart: mapped + Int(offset), byteCount: count), other)
    }
    let found = try file.read(into: &buffer, at: offset, count: count)
    // Taken for another key, it would be in the index twice.
    guard found == count else { throw shortened(to: offset + UInt64(found)) }
    return Self.claim(unsafe buffer.span.bytes.extracting(0..<found), other)
  }

  /// The slots of the extents that a put large says its value has; 0 if it does not make sense.
  func extentSlotCount(at position: UInt64, _ claim: Claim) throws(SedimentError) -> UInt32 {
    let offset = position * UInt64(Limits.unitByteCount)
    if offset + UInt64(claim.byteCount) <= mappedByteCount {
      return unsafe Self.extentSlotCount(mapped + Int(offset), claim.byteCount)
    }
    let bytes = try file.bytes(at: offset, count: claim.byteCount)
    // Taken for a value without extents, they would count for ever.
    guard bytes.count == claim.byteCount else { throw shortened(to: offset + UInt64(bytes.count)) }
    return unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return unsafe Self.extentSlotCount(start, bytes.count)
    }
  }

  private func shortened(to offset: UInt64) -> SedimentError {
    .damaged("the file has become shorter while it was opened", path: file.path, offset: offset)
  }

  private static func extentSlotCount(_ start: UnsafeRawPointer, _ available: Int) -> UInt32 {
    guard let view = unsafe RecordView(start, available: available),
      let place = try? ValuePlace.decode(unsafe RawSpan(_unsafeBytes: view.value))
    else { return 0 }
    return place.slotCount
  }

  private static func claim(_ bytes: RawSpan, _ other: ScannedRecord) -> Claim? {
    guard bytes.byteCount >= Limits.recordFixedByteCount,
      bytes.integer(UInt16.self, at: Place.keyByteCount) == UInt16(truncatingIfNeeded: other.keyByteCount)
    else { return nil }
    let shape: UInt8 = bytes.integer(at: Place.shape)
    var head = Limits.recordFixedByteCount
    var (collection, expiry, trailer): (UInt32, UInt64, Int) = (0, 0, 0)
    if shape & Place.optional != 0 {
      guard bytes.byteCount >= headByteCountMax else { return nil }
      if shape & Place.collection != 0 {
        collection = bytes.integer(at: head)
        head += 4
      }
      if shape & Place.expiry != 0 {
        expiry = bytes.uint48(at: head)
        head += 6
      }
      if shape & Place.transform != 0 {
        head += bytes.integer(UInt8.self, at: head) & Place.longTransform == 0 ? 4 : 8
      }
      if shape & Place.trailer != 0 {
        trailer = Int(bytes.integer(UInt16.self, at: head))
        head += 2
      }
    }
    let keyByteCount = Int(other.keyByteCount)
    guard collection == other.collection, bytes.byteCount >= head + keyByteCount else { return nil }
    let key = unsafe RawSpan(_unsafeStart: other.keyStart, byteCount: keyByteCount)
    guard isEqual(bytes.extracting(head..<head + keyByteCount), key) else { return nil }
    let total = head + keyByteCount + Int(bytes.uint24(at: Place.valueByteCount)) + trailer
    return Claim(
      lowSequence: bytes.uint48(at: Place.sequence), expiry: expiry, byteCount: (total + 7) & ~7,
      kind: shape & Place.kind)
  }

  /// Compares two spans of one length.
  private static func isEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
    var offset = 0
    while offset + 8 <= left.byteCount {
      if left.integer(UInt64.self, at: offset) != right.integer(UInt64.self, at: offset) { return false }
      offset += 8
    }
    while offset < left.byteCount {
      if left.integer(UInt8.self, at: offset) != right.integer(UInt8.self, at: offset) { return false }
      offset += 1
    }
    return true
  }
}
