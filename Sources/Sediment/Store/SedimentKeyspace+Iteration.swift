extension SedimentKeyspace {
  /// Calls a closure with each key and its value, in no order, until it returns `stop`.
  ///
  /// Keys that are there the whole time come exactly once, whatever others write meanwhile; those that come or go may
  /// come or not. It is no snapshot: of a batch that is made meanwhile some keys may have their new values and others
  /// their old ones. The bytes are valid until the closure returns. It may use the store; what it throws ends the
  /// iteration and is thrown on.
  @inlinable
  public func forEach(_ body: (RawSpan, RawSpan) throws -> SedimentIteration) throws {
    try engine.forEach(state) { key, value in try body(key, value) == .continue }
  }

  /// Calls a closure with each key that begins with a prefix, in no order, until it returns `stop`; see `forEach`.
  @inlinable
  public func forEachKey<Prefix: SedimentBytes & ~Escapable>(
    withPrefix prefix: Prefix, _ body: (RawSpan) throws -> SedimentIteration
  ) throws {
    try prefix.withSedimentBytes { prefix in
      try engine.forEachKey(state, prefix: prefix) { key in try body(key) == .continue }
    }
  }

  /// All keys that begin with a prefix, in ascending order of their bytes.
  ///
  /// There is no order in the file: this goes through all keys of the store, and sorts what it finds.
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
  /// They are collected in memory, and sorted; `forEachKey(withPrefix:_:)` collects nothing.
  @inlinable
  public func keys() throws -> [[UInt8]] {
    try keys(withPrefix: "")
  }
}
