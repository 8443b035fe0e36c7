extension SedimentKeyspace {
  /// The values of several keys, in the order of the keys, with nil for each key that has none.
  ///
  /// This is quicker than one call for each key, because the waits for memory overlap. Changes that others make
  /// meanwhile may be seen for some of the keys and not for others.
  @inlinable
  public func retrieve<Key: SedimentBytes>(forKeys keys: some Sequence<Key>) throws -> [[UInt8]?] {
    var values: [[UInt8]?] = []
    values.reserveCapacity(keys.underestimatedCount)
    do {
      try withValues(forKeys: keys) { _, value in
        if let value { values.append([UInt8](sedimentBytes: value)) } else { values.append(nil) }
      }
    } catch {
      throw error as! SedimentError
    }
    return values
  }

  /// Calls a closure for each of several keys, in their order, with the position of the key among them, from 0 on, and
  /// its value where it lies, or nil if it has none.
  ///
  /// The bytes are valid until the closure returns. See `retrieve(forKeys:)`.
  @inlinable
  public func withValues<Key: SedimentBytes>(
    forKeys keys: some Sequence<Key>, _ body: (Int, RawSpan?) throws -> Void
  ) throws {
    try withExpiringValues(forKeys: keys) { number, value, _ in try body(number, value) }
  }

  /// Calls a closure for each of several keys, in their order, with the position of the key among them, from 0 on, its
  /// value where it lies, and its expiry.
  ///
  /// For a key without a value they are nil and `never`. See `withValues(forKeys:_:)`.
  @inlinable
  public func withExpiringValues<Key: SedimentBytes>(
    forKeys keys: some Sequence<Key>, _ body: (Int, RawSpan?, SedimentExpiry) throws -> Void
  ) throws {
    let group = KeyGroup()
    var first = 0
    for key in keys where key.withSedimentBytes({ group.append($0) }) {
      try defaultCollection.read(group, from: first, body)
      first += group.removeAll()
    }
    if !group.isEmpty { try defaultCollection.read(group, from: first, body) }
  }
}

extension SedimentCollection {
  @usableFromInline
  func read(
    _ group: KeyGroup, from first: Int, _ body: (Int, RawSpan?, SedimentExpiry) throws -> Void
  ) throws {
    unsafe try reader.read(group, state) { number, bytes, expiry in
      if let bytes = unsafe bytes {
        unsafe try body(first + number, RawSpan(_unsafeBytes: bytes), SedimentExpiry(written: expiry))
      } else {
        try body(first + number, nil, .never)
      }
    }
  }
}
