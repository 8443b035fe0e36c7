extension SedimentKeyspace {
  /// Gives a key a value, and an expiry if one is said; without one the value stays until it is removed.
  @inlinable
  public func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, durability: SedimentDurability? = nil
  ) throws {
    try key.withSedimentBytes { (key) throws(SedimentError) in
      try value.withSedimentBytes { (value) throws(SedimentError) in
        _ = try engine.set(
          value, key, state, expiry: .at(0), if: .always, durability ?? engine.durability)
      }
    }
  }

  /// Gives a key a value that ceases to be there so long after now.
  @inlinable
  public func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, expiresIn duration: Duration, durability: SedimentDurability? = nil
  ) throws {
    try set(value, forKey: key, expiry: .after(duration), durability: durability)
  }

  /// Gives a key a value with an expiry, which may be the one that the value before had.
  @inlinable
  public func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, expiry: SedimentExpiry, durability: SedimentDurability? = nil
  ) throws {
    try key.withSedimentBytes { (key) throws(SedimentError) in
      try value.withSedimentBytes { (value) throws(SedimentError) in
        _ = try engine.set(
          value, key, state, expiry: engine.written(expiry), if: .always,
          durability ?? engine.durability)
      }
    }
  }

  /// Gives a key a value unless it has one; whether it did.
  @inlinable @discardableResult
  public func setIfAbsent<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, expiry: SedimentExpiry = .never, durability: SedimentDurability? = nil
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      try value.withSedimentBytes { (value) throws(SedimentError) -> Bool in
        try engine.set(
          value, key, state, expiry: engine.written(expiry), if: .absent,
          durability ?? engine.durability)
      }
    }
  }

  /// Removes a key; whether it had a value.
  @inlinable @discardableResult
  public func remove<Key: SedimentBytes & ~Escapable>(
    forKey key: Key, durability: SedimentDurability? = nil
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      try engine.remove(key, state, if: .always, durability ?? engine.durability)
    }
  }

  /// Removes all keys at once, by one small record; the space is used again by and by.
  @inlinable
  public func removeAll(durability: SedimentDurability? = nil) throws {
    try engine.clear(state, durability ?? engine.durability)
  }

  // MARK: Read and change in one step

  /// Replaces the value of a key by what a closure makes of it, as if nobody else came in between; nil removes it.
  ///
  /// The closure may run several times, if others change the key meanwhile, and may use the store. The expiry stays as
  /// it is unless another is said.
  @inlinable
  public func update<Key: SedimentBytes & ~Escapable>(
    forKey key: Key, expiry: SedimentExpiry = .unchanged, durability: SedimentDurability? = nil,
    _ body: ([UInt8]?) throws -> [UInt8]?
  ) throws {
    try key.withSedimentBytes { key in
      try engine.update(
        key, state, expiry: engine.written(expiry), durability ?? engine.durability
      ) { old in
        try body(old.map { [UInt8](sedimentBytes: unsafe RawSpan(_unsafeBytes: $0.bytes)) })
      }
    }
  }

  /// Gives a key another value, or none, if its value is the one that is expected, or it has none and nil is expected;
  /// whether it was.
  @inlinable @discardableResult
  public func compareAndSet<Key: SedimentBytes & ~Escapable>(
    forKey key: Key, expected: [UInt8]?, new: [UInt8]?, expiry: SedimentExpiry = .unchanged,
    durability: SedimentDurability? = nil
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      try engine.compareAndSet(
        key, state, expected: expected, new: new, expiry: engine.written(expiry),
        durability ?? engine.durability)
    }
  }

  // MARK: Expiry

  /// When the value of a key ceases to be there: in milliseconds since 1970, or never; nil if it has no value.
  @inlinable
  public func expiry<Key: SedimentBytes & ~Escapable>(
    forKey key: Key
  ) throws -> SedimentExpiry? {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> SedimentExpiry? in
      guard let time = try engine.expiry(key, state) else { return nil }
      return SedimentExpiry(written: time)
    }
  }

  /// Gives the value of a key another expiry; false if it has no value.
  @inlinable @discardableResult
  public func setExpiry<Key: SedimentBytes & ~Escapable>(
    _ expiry: SedimentExpiry, forKey key: Key, durability: SedimentDurability? = nil
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      guard case .at(let time) = engine.written(expiry) else {
        return try engine.keepExpiry(key, state, durability ?? engine.durability)
      }
      return try engine.setExpiry(time, key, state, durability ?? engine.durability)
    }
  }
}
