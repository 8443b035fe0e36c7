extension SedimentKeyspace {
  /// The values of several keys, nil for each that has none, in the order of the keys.
  ///
  /// Quicker than one by one, because their waits for memory overlap. The keys are looked up one after the other, not
  /// at one moment.
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

  /// Calls a closure with the value of each of several keys in place, nil for each that has none, in the order of the
  /// keys, with the number of the key among them.
  ///
  /// The bytes are valid until the closure returns. See `retrieve(forKeys:)`.
  @inlinable
  public func withValues<Key: SedimentBytes>(
    forKeys keys: some Sequence<Key>, _ body: (Int, RawSpan?) throws -> Void
  ) throws {
    try withExpiringValues(forKeys: keys) { number, value, _ in try body(number, value) }
  }

  /// Calls a closure with the value of each of several keys in place and when that ceases to be there, in the order of
  /// the keys, with the number of the key among them.
  ///
  /// Without a value, the closure is given nil and `never`. See `withValues(forKeys:_:)`.
  @inlinable
  public func withExpiringValues<Key: SedimentBytes>(
    forKeys keys: some Sequence<Key>, _ body: (Int, RawSpan?, SedimentExpiry) throws -> Void
  ) throws {
    let group = KeyGroup()
    var first = 0
    for key in keys where key.withSedimentBytes({ group.append($0) }) {
      try read(group, from: first, body)
      first += group.removeAll()
    }
    if !group.isEmpty { try read(group, from: first, body) }
  }
}

extension SedimentKeyspace {
  @usableFromInline
  func read(
    _ group: KeyGroup, from first: Int, _ body: (Int, RawSpan?, SedimentExpiry) throws -> Void
  ) throws {
    unsafe try engine.read(group, state) { number, bytes, expiry in
      if let bytes = unsafe bytes {
        unsafe try body(first + number, RawSpan(_unsafeBytes: bytes), SedimentExpiry(written: expiry))
      } else {
        try body(first + number, nil, .never)
      }
    }
  }
}
