package import SedimentFormat

/// What building the index needs to know of a good record that is no control record.
@safe
package struct ScannedRecord {
  /// Where the record begins, in units of the file.
  package var position: UInt64
  package var sequence: UInt64
  /// When it expires, 0 for never.
  package var expiry: UInt64
  /// Where its key lies in memory, until the visitor returns.
  package var keyStart: UnsafeRawPointer
  package var keyByteCount: Int32
  /// The bytes that the record stores as its value; of a large one, the bytes of its place.
  package var valueByteCount: Int32
  package var collection: UInt32
  /// The length of the whole record, padding included.
  package var byteCount: Int32
  package var kind: RecordKind
  /// The bytes of the record before its key.
  package var headByteCount: UInt8
  /// The slots of the extents of a large value, as far as whoever keeps records without their values has counted them.
  package var extentSlotCount: UInt32 = 0
}

extension ScannedRecord {
  /// The record of a header that begins at an offset of the file, and at an address until the visitor returns.
  init(_ header: RecordHeader, at offset: UInt64, in memory: UnsafeRawPointer) {
    unsafe self.init(
      position: offset / UInt64(Limits.unitByteCount), sequence: header.sequence.rawValue,
      expiry: header.expiry, keyStart: memory + header.keyRange.lowerBound,
      keyByteCount: Int32(header.keyByteCount), valueByteCount: Int32(header.valueByteCount),
      collection: header.collection, byteCount: Int32(header.byteCount), kind: header.kind,
      headByteCount: UInt8(truncatingIfNeeded: header.keyRange.lowerBound))
  }

  /// Calls `body` with its key, as long as the scan keeps it.
  @inline(__always)
  func withKey<Value, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Value) throws(Failure) -> Value {
    try body(unsafe RawSpan(_unsafeStart: keyStart, byteCount: Int(keyByteCount)))
  }
}

/// Takes the records of a scan, some at a time.
package protocol RecordVisitor {
  /// Takes records in the order of the file; they and their keys are gone when it returns.
  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError)
}
