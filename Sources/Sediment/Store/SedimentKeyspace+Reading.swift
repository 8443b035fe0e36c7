extension SedimentKeyspace {
  /// The value of a key as bytes; nil if it has none.
  ///
  /// The array is a copy. See `SedimentKeyspace` for the errors.
  @inlinable
  public func retrieve<Key: SedimentBytes & ~Escapable>(forKey key: Key) throws -> [UInt8]? {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> [UInt8]? in
      try reader.bytes(key, state)
    }
  }

  /// The value of a key as text or another type; nil if it has none.
  ///
  /// Throws `undecodable` if the type cannot be made of the bytes.
  @inlinable
  public func retrieve<Key: SedimentBytes & ~Escapable, Value: SedimentDecodable>(
    forKey key: Key, as type: Value.Type
  ) throws -> Value? {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Value? in
      // Code of a user may take any time, so it runs as a closure of `withValue` does.
      let lends = !copiesBytes(type)
      guard let value = try lends ? reader.beginLending(key, state) : reader.beginReading(key, state) else {
        return nil
      }
      defer { if lends { reader.endLending(value) } else { reader.endReading(value) } }
      guard let decoded = Value(sedimentBytes: unsafe RawSpan(_unsafeBytes: value.bytes)) else {
        throw reader.undecodable(Value.self)
      }
      return decoded
    }
  }

  /// The value of a key as text or another type, with its expiry; nil if it has none.
  ///
  /// Both are of the same change. Throws `undecodable` if the type cannot be made of the bytes.
  @inlinable
  public func retrieveExpiring<Key: SedimentBytes & ~Escapable, Value: SedimentDecodable>(
    forKey key: Key, as type: Value.Type
  ) throws -> (value: Value, expiry: SedimentExpiry)? {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> (Value, SedimentExpiry)? in
      var expiry: UInt64 = 0
      let lends = !copiesBytes(type)
      let value =
        try lends
        ? reader.beginLending(key, state, expiry: &expiry) : reader.beginReading(key, state, expiry: &expiry)
      guard let value else { return nil }
      defer { if lends { reader.endLending(value) } else { reader.endReading(value) } }
      guard let decoded = Value(sedimentBytes: unsafe RawSpan(_unsafeBytes: value.bytes)) else {
        throw reader.undecodable(Value.self)
      }
      return (decoded, SedimentExpiry(written: expiry))
    }
  }

  /// Replaces the contents of a buffer by the value of a key; if it has none, empties the buffer and returns false.
  ///
  /// A buffer that is used again keeps its memory, so nothing is allocated once it is large enough. A call that throws
  /// leaves it as it was.
  @inlinable
  public func retrieve<Key: SedimentBytes & ~Escapable>(
    forKey key: Key, into buffer: inout [UInt8]
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      guard let value = try reader.beginReading(key, state) else {
        buffer.removeAll(keepingCapacity: true)
        return false
      }
      defer { reader.endReading(value) }
      unsafe buffer.replaceAll(by: value.bytes)
      return true
    }
  }

  /// Calls a closure with the value of a key where it lies, without a copy, and returns its result; nil if the key has
  /// no value.
  ///
  /// The bytes are valid until the closure returns, even if the key is set or the store is closed meanwhile; a closed
  /// store gives up its file only then. A compressed value lies in memory of the thread instead of the file.
  ///
  /// The closure may use the store, and may take its time: only the segment in which the value lies is kept from being
  /// used again until it returns. A change that the closure makes does not wait for other closures to return; in a full
  /// store the change may therefore throw `outOfSpace` where another one would have waited.
  @inlinable
  public func withValue<Key: SedimentBytes & ~Escapable, Result>(
    forKey key: Key, _ body: (RawSpan) throws -> Result
  ) throws -> Result? {
    return try key.withSedimentBytes { key in
      guard let value = try reader.beginLending(key, state) else { return nil }
      defer { reader.endLending(value) }
      return try body(unsafe RawSpan(_unsafeBytes: value.bytes))
    }
  }

  /// Calls a closure of a user as `withValue` does, also with when the value expires: 0 for never, else milliseconds since
  /// 1970.
  @inlinable
  package func withExpiringValue<Key: SedimentBytes & ~Escapable, Result>(
    forKey key: Key, _ body: (UnsafeRawBufferPointer, UInt64) throws -> Result
  ) throws -> Result? {
    return try key.withSedimentBytes { key in
      var expiry: UInt64 = 0
      guard let value = try reader.beginLending(key, state, expiry: &expiry) else { return nil }
      defer { reader.endLending(value) }
      return try unsafe body(value.bytes, expiry)
    }
  }

  /// Calls a closure that copies the value of a key: it must be short, and use no store.
  @inlinable
  package func copyValue<Key: SedimentBytes & ~Escapable, Result>(
    forKey key: Key, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result? {
    return try key.withSedimentBytes { key in
      guard let value = try reader.beginReading(key, state) else { return nil }
      defer { reader.endReading(value) }
      return try unsafe body(value.bytes)
    }
  }

  /// Whether a key has a value.
  ///
  /// It takes about as long as finding the value; the value itself is not decompressed.
  @inlinable
  public func contains<Key: SedimentBytes & ~Escapable>(_ key: Key) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      try reader.contains(key, state)
    }
  }

  /// How many keys have a value.
  ///
  /// Takes no time, unless some values expire. If they do, it looks at every key after one of them has expired, was set
  /// or was removed since the last count.
  @inlinable
  public func count() throws -> Int {
    return try reader.count(state)
  }

  // MARK: Many keys

  /// The values of several keys, in the order of the keys, with nil for each key that has none.
  ///
  /// This is quicker than one call for each key, because the waits for memory overlap. Changes that others make
  /// meanwhile may be seen for some of the keys and not for others.
  @inlinable
  public func retrieve<Key: SedimentBytes>(forKeys keys: some Sequence<Key>) throws -> [[UInt8]?] {
    var values: [[UInt8]?] = []
    values.reserveCapacity(keys.underestimatedCount)
    do {
      try readEach(of: keys, lending: false) { _, value, _ in
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
    try readEach(of: keys, lending: true, body)
  }

  /// Calls a closure as `withExpiringValues` does; without `lending` it must be short, and use no store.
  @inlinable
  func readEach<Key: SedimentBytes>(
    of keys: some Sequence<Key>, lending: Bool, _ body: (Int, RawSpan?, SedimentExpiry) throws -> Void
  ) throws {
    let group = KeyGroup()
    var first = 0
    for key in keys where key.withSedimentBytes({ group.append($0) }) {
      try reader.read(group, from: first, state, lending: lending, body)
      first += group.removeAll()
    }
    if !group.isEmpty { try reader.read(group, from: first, state, lending: lending, body) }
  }
}
