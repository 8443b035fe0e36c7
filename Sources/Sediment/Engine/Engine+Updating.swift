internal import SedimentDisk
internal import SedimentFormat

extension Engine {
  /// Replaces a value by what a closure makes of it, as if nobody else came in between.
  ///
  /// The closure runs without the lock and may use the store; it runs again whenever somebody else changed the key
  /// meanwhile. Nil from it removes the key.
  @usableFromInline
  func update(
    _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry, _ durability: SedimentDurability,
    _ body: (FoundValue?) throws -> [UInt8]?
  ) throws {
    while true {
      Readers.enter(domain)
      defer { Readers.leave() }
      // The scope lasts until the change was made, so the position cannot come to be another record's.
      let found = try findForUpdate(key, state)
      let position = found?.position ?? 0
      var new: [UInt8]?
      if let found {
        let value = try value(of: found)
        defer { if let owner = unsafe value.owner { unsafe owner.deallocate() } }
        new = try body(value)
      } else {
        new = try body(nil)
      }
      if try replace(key, state, with: new, at: position, expiry, durability) { return }
    }
  }

  private func findForUpdate(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> FoundRecord? {
    try checkReadable()
    return try findRecord(key, state)
  }

  /// Makes a change if the key's newest record is still at a position, 0 for none.
  private func replace(
    _ key: RawSpan, _ state: CollectionState, with new: [UInt8]?, at position: UInt64,
    _ expiry: WrittenExpiry, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    if let new {
      return try set(
        unsafe new.span.bytes, key, state, expiry: expiry, if: .unchanged(position), durability)
    }
    if position == 0 {
      if try contains(key, state) { return false }
      try nothingChanged(durability)
      return true
    }
    return try remove(key, state, if: .unchanged(position), durability)
  }

  /// Sets or, with nil, removes a key if its value is what is expected, nil for none.
  @usableFromInline
  func compareAndSet(
    _ key: RawSpan, _ state: CollectionState, expected: [UInt8]?, new: [UInt8]?, expiry: WrittenExpiry,
    _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    while true {
      Readers.enter(domain)
      defer { Readers.leave() }
      let found = try findForUpdate(key, state)
      let position = found?.position ?? 0
      guard try isValue(of: found, expected) else {
        try nothingChanged(durability)
        return false
      }
      if new == nil, position == 0 {
        try nothingChanged(durability)
        return true
      }
      if try replace(key, state, with: new, at: position, expiry, durability) { return true }
    }
  }

  /// Ends a call that had nothing to change: a synced one waits for the changes that it went by, and a store that
  /// is only read refuses it all the same.
  private func nothingChanged(_ durability: SedimentDurability) throws(SedimentError) {
    if writer == nil { throw .readOnly(path) }
    if durability == .synced { try sync() }
  }

  /// Whether a record's value is what is expected; takes over the record.
  private func isValue(of found: FoundRecord?, _ expected: [UInt8]?) throws(SedimentError) -> Bool {
    guard let found else { return expected == nil }
    let value = try value(of: found)
    defer { if let owner = unsafe value.owner { unsafe owner.deallocate() } }
    guard let expected else { return false }
    return unsafe value.bytes.elementsEqual(expected)
  }

  /// Gives a key that has a value another expiry; false if it has none.
  @usableFromInline
  func setExpiry(
    _ time: UInt64, _ key: RawSpan, _ state: CollectionState, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    while true {
      Readers.enter(domain)
      defer { Readers.leave() }
      guard let found = try findForUpdate(key, state) else {
        try nothingChanged(durability)
        return false
      }
      let position = found.position
      let value = try value(of: found)
      defer { if let owner = unsafe value.owner { unsafe owner.deallocate() } }
      let isSet = try set(
        unsafe RawSpan(_unsafeBytes: value.bytes), key, state, expiry: .at(time), if: .unchanged(position),
        durability)
      if isSet { return true }
    }
  }

  /// Leaves the expiry of a key as it is; false if the key has no value.
  @usableFromInline
  func keepExpiry(
    _ key: RawSpan, _ state: CollectionState, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    let isThere = try contains(key, state)
    try nothingChanged(durability)
    return isThere
  }

  /// The time so long after now, in milliseconds since 1970.
  @usableFromInline
  func time(after duration: Duration) -> UInt64 {
    let (sum, overflow) = disk.wallClock().addingReportingOverflow(duration.millisecondsClamped)
    return overflow ? Limits.clockMax : min(max(sum, 1), Limits.clockMax)
  }
}
