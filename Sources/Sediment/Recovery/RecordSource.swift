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
  /// Nil where nothing is mapped.
  private let mapped: UnsafeRawPointer?
  private let mappedByteCount: UInt64
  private var buffer: [UInt8] = []

  /// The bytes before the key at the most.
  private static let headByteCountMax = 36

  /// A source that reads the file.
  package init(_ file: StoreFile, byteCount: UInt64) {
    unsafe self.init(file, byteCount: byteCount, mapped: nil, mappedByteCount: 0)
  }

  /// A source that reads the memory where the first bytes of the file are mapped, and exposed for as long as the
  /// source is used, and the file behind them.
  package init(
    _ file: StoreFile, byteCount: UInt64, mapped: UnsafeRawPointer?, mappedByteCount: UInt64
  ) {
    self.file = file
    self.byteCount = byteCount
    unsafe self.mapped = mapped
    self.mappedByteCount = mappedByteCount
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
    if let mapped = unsafe mapped, offset < mappedByteCount {
      unsafe sediment_prefetch(mapped + Int(offset))
    }
  }

  /// What the record at a position claims, if it is of a key in a collection; else nil.
  package mutating func claim(
    at position: UInt64, ifKeyIs key: RawSpan, in collection: UInt32
  ) throws(SedimentError) -> Claim? {
    let offset = position * UInt64(Limits.unitByteCount)
    guard offset < byteCount else { return nil }
    let rest = byteCount - offset
    let count = Int(min(rest, UInt64(Self.headByteCountMax + key.byteCount)))
    return unsafe try read(at: offset, count) { bytes in
      let longest = Int(clamping: rest)
      guard let view = unsafe RecordView(bytes, available: count, recordByteCountMax: longest),
        view.headByteCount + view.keyByteCount <= count, view.collection == collection, view.hasKey(key)
      else { return nil }
      return Claim(
        lowSequence: view.sequenceLow, expiry: view.expiry, byteCount: view.byteCount, kind: view.kind)
    }
  }

  /// The slots of the extents that a put large says its value has; 0 if it does not make sense.
  mutating func extentSlotCount(at position: UInt64, _ claim: Claim) throws(SedimentError) -> UInt32 {
    unsafe try read(at: position * UInt64(Limits.unitByteCount), claim.byteCount) { bytes in
      guard let view = unsafe RecordView(bytes, available: claim.byteCount),
        let place = try? ValuePlace.decode(unsafe RawSpan(_unsafeBytes: view.value))
      else { return nil }
      return place.slotCount
    } ?? 0
  }

  /// Shows some bytes of the file.
  private mutating func read<Found>(
    at offset: UInt64, _ count: Int, _ body: (UnsafeRawPointer) -> Found?
  ) throws(SedimentError) -> Found? {
    if let mapped = unsafe mapped, offset + UInt64(count) <= mappedByteCount {
      return unsafe body(mapped + Int(offset))
    }
    if buffer.count < count { buffer = [UInt8](repeating: 0, count: max(count, 2 * buffer.count)) }
    let found = try file.read(into: &buffer, 0..<count, at: offset)
    // Taken for another key, it would be in the index twice; for a value without extents, they would count for ever.
    guard found == count else {
      throw .damaged(
        "the file has become shorter while it was opened", path: file.path, offset: offset + UInt64(found))
    }
    return unsafe buffer.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return nil }
      return unsafe body(start)
    }
  }
}
