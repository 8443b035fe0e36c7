extension SedimentKeyspace {
  /// Gives a key a value, which stays until it is replaced or removed.
  ///
  /// A value above 128 KiB gets a place of its own in the file. See `SedimentKeyspace` for what is thrown.
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

  /// Gives a key a value that ceases to be there so long after now, by the wall clock.
  ///
  /// From then on the key has no value; its space is won back later.
  @inlinable
  public func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, expiresIn duration: Duration, durability: SedimentDurability? = nil
  ) throws {
    try set(value, forKey: key, expiry: .after(duration), durability: durability)
  }

  /// Gives a key a value with an expiry, which may be the one that the value before had.
  ///
  /// A time that has passed already is allowed: the key has no value then.
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

  /// Gives a key a value unless it has one, in one step; whether it did.
  ///
  /// With `synced` the value that was there is on the disk, too, when the call returns.
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
  ///
  /// There is room for that in a full store, too: some is kept back for it.
  @inlinable @discardableResult
  public func remove<Key: SedimentBytes & ~Escapable>(
    forKey key: Key, durability: SedimentDurability? = nil
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      try engine.remove(key, state, if: .always, durability ?? engine.durability)
    }
  }

  /// Removes all keys at once, by one small record; the space is used again by and by.
  ///
  /// Of a store it removes the keys that are in no collection; `removeEverything` removes all. Who reads meanwhile finds
  /// a key as it was, or no value.
  @inlinable
  public func removeAll(durability: SedimentDurability? = nil) throws {
    try engine.clear(state, durability ?? engine.durability)
  }

  // MARK: Read and change in one step

  /// Replaces the value of a key by what a closure makes of it, as if nobody else came in between; nil removes it.
  ///
  /// The closure may run several times, if others change the key meanwhile, and may use the store. What it throws is
  /// thrown on, and nothing is changed then. The expiry stays as it is unless another is said.
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
  ///
  /// Comparing and changing are one step. The expiry stays as it is unless another is said.
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
  ///
  /// The value is written again, a large one as a copy.
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
