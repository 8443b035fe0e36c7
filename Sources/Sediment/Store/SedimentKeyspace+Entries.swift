internal import SedimentFormat

extension SedimentKeyspace {
  /// Calls a closure with each key that begins with a prefix, the size of its value and its expiry, until it says stop.
  ///
  /// The keys come in no order, and no value is read or decompressed. See `forEach`.
  package func forEachEntry(
    withPrefix prefix: [UInt8], _ body: (RawSpan, UInt64, SedimentExpiry) throws -> SedimentIteration
  ) throws {
    try reader.forEachRecord(state) { found in
      guard unsafe found.view.key.starts(with: prefix) else { return true }
      let byteCount = try reader.valueByteCount(of: found)
      let expiry = SedimentExpiry(written: found.view.expiry)
      return try body(unsafe RawSpan(_unsafeBytes: found.view.key), byteCount, expiry) == .continue
    }
  }
}

extension Reader {
  /// How many bytes the value of a record has for its user.
  fileprivate func valueByteCount(of found: FoundRecord) throws(SedimentError) -> UInt64 {
    if found.view.isTransformed { return UInt64(try transform(of: found).originalByteCount) }
    return found.place?.storedByteCount ?? UInt64(found.view.valueByteCount)
  }
}
