extension SedimentKeyspace {
  /// Gives a key a value, which stays until it is replaced or removed.
  ///
  /// A value above 128 KiB gets a place of its own in the file. See `SedimentKeyspace` for the errors.
  @inlinable
  public func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, durability: SedimentDurability? = nil
  ) throws {
    try key.withSedimentBytes { (key) throws(SedimentError) in
      try value.withSedimentBytes { (value) throws(SedimentError) in
        try changes.set(value, key, state, changes.written(durability))
      }
    }
  }

  /// Gives a key a value that expires so long after now, by the wall clock.
  ///
  /// From then on the key has no value. The space of the value is won back later.
  @inlinable
  public func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, expiresIn duration: Duration, durability: SedimentDurability? = nil
  ) throws {
    try set(value, forKey: key, expiry: .after(duration), durability: durability)
  }

  /// Gives a key a value with an expiry; `unchanged` is the expiry of the value that the key has now.
  ///
  /// A time that has passed is no error: the key then has no value.
  @inlinable
  public func set<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, expiry: SedimentExpiry, durability: SedimentDurability? = nil
  ) throws {
    try key.withSedimentBytes { (key) throws(SedimentError) in
      try value.withSedimentBytes { (value) throws(SedimentError) in
        _ = try changes.set(
          value, key, state, expiry: changes.written(expiry), if: .always,
          changes.written(durability))
      }
    }
  }

  /// Gives a key a value only if it has none, in one step, and returns whether it had none.
  ///
  /// With the durability `synced`, also a value that was there already is on the disk when the call returns.
  @inlinable @discardableResult
  public func setIfAbsent<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    _ value: Value, forKey key: Key, expiry: SedimentExpiry = .never, durability: SedimentDurability? = nil
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      try value.withSedimentBytes { (value) throws(SedimentError) -> Bool in
        try changes.set(
          value, key, state, expiry: changes.written(expiry), if: .absent,
          changes.written(durability))
      }
    }
  }

  /// Removes the value of a key, and returns whether it had one.
  ///
  /// It works in a full store, too: some room is kept back for it.
  @inlinable @discardableResult
  public func remove<Key: SedimentBytes & ~Escapable>(
    forKey key: Key, durability: SedimentDurability? = nil
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      try changes.remove(key, state, if: .always, changes.written(durability))
    }
  }

  /// Removes all keys at once, by one small record.
  ///
  /// Their space is won back later.
  ///
  /// A store removes only the keys that are in no named collection; `SedimentStore.removeEverything` removes all. A
  /// reader meanwhile finds the value that a key had, or none.
  @inlinable
  public func removeAll(durability: SedimentDurability? = nil) throws {
    try changes.clear(state, changes.written(durability))
  }

  // MARK: Read and change in one step

  /// Replaces the value of a key by the result of a closure, in one step; the closure is given nil if there is no
  /// value, and returns nil to remove it.
  ///
  /// If somebody else changes the key meanwhile, the closure is called again, with the new value. It may use the
  /// store. If it throws, nothing is changed, and the caller gets its error. The expiry stays as it was unless
  /// `expiry` says otherwise.
  @inlinable
  public func update<Key: SedimentBytes & ~Escapable>(
    forKey key: Key, expiry: SedimentExpiry = .unchanged, durability: SedimentDurability? = nil,
    _ body: ([UInt8]?) throws -> [UInt8]?
  ) throws {
    try key.withSedimentBytes { key in
      try changes.update(
        key, state, expiry: changes.written(expiry), changes.written(durability)
      ) { old in
        try body(old.map { [UInt8](sedimentBytes: unsafe RawSpan(_unsafeBytes: $0.bytes)) })
      }
    }
  }

  /// Replaces the value of a key by the result of a closure, as text or another type; see `update(forKey:)` for bytes.
  ///
  /// Throws `undecodable`, and changes nothing, if the type cannot be made of the value.
  @inlinable
  public func update<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & SedimentDecodable>(
    forKey key: Key, as type: Value.Type, expiry: SedimentExpiry = .unchanged,
    durability: SedimentDurability? = nil, _ body: (Value?) throws -> Value?
  ) throws {
    let reader = reader
    try update(forKey: key, expiry: expiry, durability: durability) { old in
      var value: Value?
      if let old {
        value = Value(sedimentBytes: unsafe old.span.bytes)
        if value == nil { throw reader.undecodable(Value.self) }
      }
      return try body(value)?.withSedimentBytes { new in [UInt8](sedimentBytes: new) }
    }
  }

  /// Replaces the value of a key by `new` only if it is `expected`, in one step, and returns whether it was; nil
  /// stands for no value.
  ///
  /// The expiry stays as it was unless `expiry` says otherwise.
  @inlinable @discardableResult
  public func compareAndSet<Key: SedimentBytes & ~Escapable, Value: SedimentBytes & ~Escapable>(
    forKey key: Key, expected: Value?, new: Value?, expiry: SedimentExpiry = .unchanged,
    durability: SedimentDurability? = nil
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      try expected.withBytesIfAny { (expected) throws(SedimentError) -> Bool in
        try new.withBytesIfAny { (new) throws(SedimentError) -> Bool in
          try changes.compareAndSet(
            key, state, expected: expected, new: new, expiry: changes.written(expiry),
            changes.written(durability))
        }
      }
    }
  }

  // MARK: Expiry

  /// When the value of a key expires, as `at` or `never`; nil if it has no value.
  @inlinable
  public func expiry<Key: SedimentBytes & ~Escapable>(
    forKey key: Key
  ) throws -> SedimentExpiry? {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> SedimentExpiry? in
      guard let time = try reader.expiry(key, state) else { return nil }
      return SedimentExpiry(written: time)
    }
  }

  /// Gives the value of a key another expiry, and returns whether it has a value.
  ///
  /// The value is written again with it, whatever its size.
  @inlinable @discardableResult
  public func setExpiry<Key: SedimentBytes & ~Escapable>(
    _ expiry: SedimentExpiry, forKey key: Key, durability: SedimentDurability? = nil
  ) throws -> Bool {
    return try key.withSedimentBytes { (key) throws(SedimentError) -> Bool in
      guard case .at(let time) = changes.written(expiry) else {
        return try changes.keepExpiry(key, state, changes.written(durability))
      }
      return try changes.setExpiry(time, key, state, changes.written(durability))
    }
  }
}
