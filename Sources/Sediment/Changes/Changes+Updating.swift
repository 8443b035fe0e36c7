internal import SedimentDisk
internal import SedimentFormat

extension Changes {
  /// Replaces a value by what a closure makes of it, as if nobody else came in between.
  ///
  /// The closure runs without the lock and may use the store; it runs again whenever somebody else changed the key
  /// meanwhile. Nil from it removes the key.
  @usableFromInline
  func update(
    _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry, _ durability: WrittenDurability,
    _ body: (FoundValue?) throws -> [UInt8]?
  ) throws {
    while true {
      // The hold ends before the change is made: a full store may have to wait until readers have left.
      let (new, sequence) = try updated(key, state, body)
      if unsafe try replace(key, state, with: new?.span.bytes, after: sequence, expiry, durability) { return }
    }
  }

  /// What a closure makes of the value of a key, and the sequence of the value's record; 0 if it has none.
  private func updated(
    _ key: RawSpan, _ state: CollectionState, _ body: (FoundValue?) throws -> [UInt8]?
  ) throws -> (new: [UInt8]?, sequence: UInt64) {
    Readers.enter(domain)
    let (value, sequence): (FoundValue?, UInt64)
    do throws(SedimentError) {
      (value, sequence) = try look(key, state)
    } catch {
      Readers.leave()
      throw error
    }
    guard let value else {
      Readers.exchangeScope(domain, forHoldOn: nil)
      defer { Readers.letGo() }
      return (try body(nil), sequence)
    }
    reader.lend(value)
    defer { reader.endLending(value) }
    return (try body(value), sequence)
  }

  /// The value of a key, to be released in the reader's scope, and the sequence of its record; nil and 0 if it has none.
  private func look(
    _ key: RawSpan, _ state: CollectionState
  ) throws(SedimentError) -> (value: FoundValue?, sequence: UInt64) {
    try lifetime.check()
    guard let found = try reader.findRecord(key, state) else { return (nil, 0) }
    let sequence = found.sequence
    return (try reader.value(of: found), sequence)
  }

  /// Makes a change if the key's newest record is still the one of a sequence, 0 for none.
  private func replace(
    _ key: RawSpan, _ state: CollectionState, with new: RawSpan?, after sequence: UInt64,
    _ expiry: WrittenExpiry, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    if let new {
      return try set(new, key, state, expiry: expiry, if: .unchanged(sequence), durability)
    }
    if sequence == 0 {
      if try reader.contains(key, state) { return false }
      try nothingChanged(durability)
      return true
    }
    return try remove(key, state, if: .unchanged(sequence), durability)
  }

  /// Sets or, with nil, removes a key if its value is what is expected, nil for none.
  @usableFromInline
  func compareAndSet(
    _ key: RawSpan, _ state: CollectionState, expected: RawSpan?, new: RawSpan?, expiry: WrittenExpiry,
    _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    while true {
      let (isExpected, sequence) = try Readers.reading(domain) { () throws(SedimentError) in
        let (value, sequence) = try look(key, state)
        defer { value?.release() }
        guard let value, let expected else { return (value == nil && expected == nil, sequence) }
        return (unsafe expected.withUnsafeBytes { unsafe value.bytes.elementsEqual($0) }, sequence)
      }
      guard isExpected else {
        try nothingChanged(durability)
        return false
      }
      if try replace(key, state, with: new, after: sequence, expiry, durability) { return true }
    }
  }

  /// Ends a call that had nothing to change: a synced one waits for the changes that it went by, and a store that
  /// is only read refuses it all the same.
  private func nothingChanged(_ durability: WrittenDurability) throws(SedimentError) {
    if writer == nil { throw .readOnly(path) }
    if durability == .synced { try log.sync() }
  }

  /// Gives a key that has a value another expiry; false if it has none.
  @usableFromInline
  func setExpiry(
    _ time: UInt64, _ key: RawSpan, _ state: CollectionState, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    while true {
      let old = try Readers.reading(domain) {
        () throws(SedimentError) -> (bytes: [UInt8], sequence: UInt64)? in
        let (value, sequence) = try look(key, state)
        defer { value?.release() }
        return value.map { ([UInt8](sedimentBytes: unsafe RawSpan(_unsafeBytes: $0.bytes)), sequence) }
      }
      guard let old else {
        try nothingChanged(durability)
        return false
      }
      let isSet = try set(
        unsafe old.bytes.span.bytes, key, state, expiry: .at(time), if: .unchanged(old.sequence), durability)
      if isSet { return true }
    }
  }

  /// Leaves the expiry of a key as it is; false if the key has no value.
  @usableFromInline
  func keepExpiry(
    _ key: RawSpan, _ state: CollectionState, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    let isThere = try reader.contains(key, state)
    try nothingChanged(durability)
    return isThere
  }
}

extension Changes {
  /// An expiry as a record will say it.
  @usableFromInline
  func written(_ expiry: SedimentExpiry) -> WrittenExpiry {
    switch expiry {
    case .never: .at(0)
    case .unchanged: .unchanged
    case .after(let duration): .at(time(after: duration))
    case .at(let milliseconds): .at(min(max(milliseconds, 1), Limits.clockMax))
    }
  }

  /// The time so long after now, in milliseconds since 1970.
  @usableFromInline
  func time(after duration: Duration) -> UInt64 {
    let (sum, overflow) = disk.wallClock().addingReportingOverflow(duration.millisecondsClamped)
    return overflow ? Limits.clockMax : min(max(sum, 1), Limits.clockMax)
  }
}
