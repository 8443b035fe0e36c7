internal import CSediment
package import SedimentFormat

/// Reads again what a record says of itself, for records that were verified before: from mapped memory or by `read`.
///
/// The bytes may have changed since, so everything is checked against the file's length; what is read then may be
/// wrong, but harms nothing.
@safe
package struct RecordSource {
  private let file: StoreFile
  private let byteCount: UInt64
  private let mapped: UnsafeRawPointer
  private let mappedByteCount: UInt64
  private var buffer: [UInt8]

  /// The bytes before the key at the most.
  private static let headByteCountMax = 36

  /// A source that reads the file.
  package init(_ file: StoreFile, byteCount: UInt64) {
    unsafe self.init(file, byteCount: byteCount, mapped: UnsafeRawPointer(bitPattern: 1)!, mappedByteCount: 0)
  }

  /// A source that reads the memory where the first bytes of the file are mapped, and exposed for as long as the
  /// source is used, and the file behind them.
  package init(
    _ file: StoreFile, byteCount: UInt64, mapped: UnsafeRawPointer, mappedByteCount: UInt64
  ) {
    self.file = file
    self.byteCount = byteCount
    unsafe self.mapped = mapped
    self.mappedByteCount = mappedByteCount
    let isMapped = mappedByteCount >= byteCount
    buffer = [UInt8](repeating: 0, count: isMapped ? 0 : Self.headByteCountMax + Limits.keyByteCountMax)
  }

  /// What a record says of itself.
  package struct Claim {
    /// The low 48 bits of its sequence.
    package let lowSequence: UInt64
    package let expiry: UInt64
    package let byteCount: Int
    package let kind: RecordKind?
  }

  /// Begins to bring a record near.
  @inline(__always)
  func prefetch(_ position: UInt64) {
    let offset = position &* UInt64(Limits.unitByteCount)
    if offset < mappedByteCount { unsafe sediment_prefetch(mapped + Int(offset)) }
  }

  /// What the record at a position claims, if it is of a key in a collection; else nil.
  package mutating func claim(
    at position: UInt64, ifKeyIs key: RawSpan, in collection: UInt32
  ) throws(SedimentError) -> Claim? {
    let offset = position * UInt64(Limits.unitByteCount)
    guard offset < byteCount else { return nil }
    let needed = Self.headByteCountMax + key.byteCount
    let rest = byteCount - offset
    let count = Int(min(rest, UInt64(needed)))
    if offset + UInt64(count) <= mappedByteCount {
      return unsafe Self.claim(
        mapped + Int(offset), available: count, recordByteCountMax: rest, key, collection)
    }
    let found = try file.read(into: &buffer, 0..<count, at: offset)
    // Taken for another key, it would be in the index twice.
    guard found == count else { throw shortened(to: offset + UInt64(found)) }
    return unsafe buffer.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return nil }
      return unsafe Self.claim(start, available: found, recordByteCountMax: rest, key, collection)
    }
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

  private static func claim(
    _ start: UnsafeRawPointer, available: Int, recordByteCountMax: UInt64, _ key: RawSpan,
    _ collection: UInt32
  ) -> Claim? {
    let longest = Int(clamping: recordByteCountMax)
    guard let view = unsafe RecordView(start, available: available, recordByteCountMax: longest),
      view.headByteCount + view.keyByteCount <= available, view.collection == collection,
      view.hasKey(key)
    else { return nil }
    return Claim(
      lowSequence: view.sequenceLow, expiry: view.expiry, byteCount: view.byteCount,
      kind: view.kind)
  }
}
