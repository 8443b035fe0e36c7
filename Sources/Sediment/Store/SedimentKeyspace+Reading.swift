extension SedimentKeyspace {
  /// The value of a key as bytes; nil if it has none.
  ///
  /// The array is a copy of its own. See `SedimentKeyspace` for what is thrown.
  @inlinable
  public func retrieve<Key: SedimentBytes & ~Escapable>(forKey key: Key) throws -> [UInt8]? {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> [UInt8]? in
      try engine.bytes(key, state)
    }
  }

  /// The value of a key as text or another type; nil if it has none.
  ///
  /// Fails with `undecodable` if the bytes are not of that kind.
  @inlinable
  public func retrieve<Key: SedimentBytes & ~Escapable, Value: SedimentDecodable>(
    forKey key: Key, as type: Value.Type
  ) throws -> Value? {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Value? in
      guard let value = try engine.beginReading(key, state) else { return nil }
      defer { engine.endReading(value) }
      guard let decoded = Value(sedimentBytes: unsafe RawSpan(_unsafeBytes: value.bytes)) else {
        throw engine.undecodable(Value.self)
      }
      return decoded
    }
  }

  /// The value of a key as text or another type and when it ceases to be there; nil if it has none.
  ///
  /// Both are of the same record. Fails with `undecodable` if the bytes are not of that kind.
  @inlinable
  public func retrieveExpiring<Key: SedimentBytes & ~Escapable, Value: SedimentDecodable>(
    forKey key: Key, as type: Value.Type
  ) throws -> (value: Value, expiry: SedimentExpiry)? {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> (Value, SedimentExpiry)? in
      var expiry: UInt64 = 0
      guard let value = try engine.beginReading(key, state, expiry: &expiry) else { return nil }
      defer { engine.endReading(value) }
      guard let decoded = Value(sedimentBytes: unsafe RawSpan(_unsafeBytes: value.bytes)) else {
        throw engine.undecodable(Value.self)
      }
      return (decoded, SedimentExpiry(written: expiry))
    }
  }

  /// Copies the value of a key into a buffer, whose contents it replaces; false, with the buffer empty, if there is
  /// none.
  ///
  /// A buffer that is used again is not allocated again once it is large enough.
  @inlinable
  public func retrieve<Key: SedimentBytes & ~Escapable>(
    forKey key: Key, into buffer: inout [UInt8]
  ) throws -> Bool {
    buffer.removeAll(keepingCapacity: true)
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      guard let value = try engine.beginReading(key, state) else { return false }
      defer { engine.endReading(value) }
      unsafe buffer.append(contentsOf: value.bytes)
      return true
    }
  }

  /// Calls a closure with the value of a key in place, without a copy; nil if it has none.
  ///
  /// The bytes are valid until the closure returns, even if the key is set or the store closed meanwhile: the file is
  /// let go of afterwards. What was compressed lies in memory of the thread instead of the file.
  ///
  /// The closure may use the store. A change inside it cannot wait for readers, of which it is one, so it may fail with
  /// `outOfSpace` where a full store could make room otherwise; and space that is freed is used again only once the
  /// closure has returned, so it should do so soon.
  @inlinable
  public func withValue<Key: SedimentBytes & ~Escapable, Result>(
    forKey key: Key, _ body: (RawSpan) throws -> Result
  ) throws -> Result? {
    return try key.withSedimentBytes { key in
      guard let value = try engine.beginReading(key, state) else { return nil }
      defer { engine.endReading(value) }
      return try body(unsafe RawSpan(_unsafeBytes: value.bytes))
    }
  }

  /// Whether a key has a value.
  ///
  /// It takes about as long as finding the value; the value itself is not decompressed.
  @inlinable
  public func contains<Key: SedimentBytes & ~Escapable>(_ key: Key) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      try engine.contains(key, state)
    }
  }

  /// How many keys have a value.
  ///
  /// It takes time in proportion to them if some expire, and none else.
  @inlinable
  public func count() throws -> Int {
    return try engine.count(state)
  }
}
