internal import SedimentFormat

extension SedimentKeyspace {
  /// Calls a closure with each key and its value, in no particular order, until the closure returns `stop`.
  ///
  /// It is not a snapshot. A key that has a value the whole time comes exactly once, whatever others write meanwhile;
  /// a key that is set first or removed meanwhile may come or not. Of a batch that is made meanwhile, some keys may
  /// come with new values and others with old ones.
  ///
  /// The bytes are valid until the closure returns. The closure may use the store. An error that it throws ends the
  /// iteration, and is thrown to the caller.
  @inlinable
  public func forEach(_ body: (RawSpan, RawSpan) throws -> SedimentIteration) throws {
    try reader.forEach(state) { key, value in try body(key, value) == .continue }
  }

  /// Calls a closure with each key that begins with a prefix, in no particular order, until the closure returns
  /// `stop`.
  ///
  /// See `forEach` for what it promises.
  @inlinable
  public func forEachKey<Prefix: SedimentBytes & ~Escapable>(
    withPrefix prefix: Prefix, _ body: (RawSpan) throws -> SedimentIteration
  ) throws {
    try prefix.withSedimentBytes { prefix in
      try reader.forEachKey(state, prefix: prefix) { key in try body(key) == .continue }
    }
  }

  /// All keys that begin with a prefix, in ascending order of their bytes.
  ///
  /// The file keeps keys in no order: this looks at every key of the collection, and sorts those that it found.
  @inlinable
  public func keys<Prefix: SedimentBytes & ~Escapable>(withPrefix prefix: Prefix) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    try forEachKey(withPrefix: prefix) { key in
      found.append([UInt8](sedimentBytes: key))
      return .continue
    }
    return found.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// All keys, in ascending order of their bytes.
  ///
  /// They are all in memory at once; `forEachKey(withPrefix:_:)` takes no memory for them.
  @inlinable
  public func keys() throws -> [[UInt8]] {
    try keys(withPrefix: "")
  }

  /// Calls a closure with each key that begins with a prefix, the size of its value and its expiry, until it says stop.
  ///
  /// The keys come in no order, and no value is read or decompressed. See `forEach`.
  package func forEachEntry(
    withPrefix prefix: [UInt8], _ body: (RawSpan, UInt64, SedimentExpiry) throws -> SedimentIteration
  ) throws {
    try reader.forEachRecord(state) { found in
      guard unsafe found.view.hasPrefix(prefix.span.bytes) else { return true }
      let byteCount = try reader.valueByteCount(of: found)
      let expiry = SedimentExpiry(written: found.view.expiry)
      return try reader.lend(found) {
        try body(unsafe RawSpan(_unsafeBytes: found.view.key), byteCount, expiry) == .continue
      }
    }
  }
}
