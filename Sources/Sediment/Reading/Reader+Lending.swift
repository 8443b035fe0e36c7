internal import SedimentFormat

// How code of a user is called with what was read: outside the reader's scope, under holds (DESIGN.md 6, step 1).

extension Reader {
  /// Goes on with a reading that `beginReading` began, for a call of the user's: its scope becomes a hold on the slots in
  /// which the value lies, until `endLending`.
  @inlinable @inline(__always)
  func lend(_ value: FoundValue) { unsafe lend(value.start, ofMemory: value.owner) }

  @usableFromInline
  func lend(_ start: UnsafeRawPointer, ofMemory owner: UInt) {
    Readers.exchangeScope(domain, forHoldOn: unsafe slot(of: start, ofMemory: owner))
  }

  /// Ends the reading of a value after `lend`; the call takes what it needs of it.
  @inlinable @inline(__always)
  func endLending(_ value: FoundValue) { endLending(ofMemory: value.owner) }

  @usableFromInline
  func endLending(ofMemory owner: UInt) {
    FoundValue.release(owner)
    Readers.letGo()
  }

  /// The slot of the file in which bytes begin; nil if they lie in memory of their own.
  @inline(__always)
  func slot(of start: UnsafeRawPointer, ofMemory owner: UInt) -> UInt64? {
    if owner != 0 { return nil }
    return UInt64(truncatingIfNeeded: unsafe start - volume.base) &>> UInt64(Limits.slotByteCountLog2)
  }

  /// The slot of the file in which a record begins; nil if it lies in memory of its own.
  private func heldSlot(_ found: FoundRecord) -> UInt64? {
    unsafe found.owner == nil ? found.position >> UInt64(Limits.slotByteCountLog2) : nil
  }

  /// The slot of the file in which a value begins; nil if it lies in memory of its own.
  private func heldSlot(_ value: FoundValue) -> UInt64? {
    unsafe slot(of: value.start, ofMemory: value.owner)
  }

  /// Calls code of a user about a record, and perhaps its value: the scope becomes holds on these, and afterwards another
  /// scope begins.
  ///
  /// Of the record and the value only memory of their own may be used afterwards. Whatever else was found before may be used
  /// only if the scope has the epoch that it had (`Readers.epoch`).
  func lend<Result>(
    _ found: FoundRecord? = nil, _ value: FoundValue? = nil, _ body: () throws -> Result
  ) rethrows -> Result {
    Readers.hold(domain, value.flatMap(heldSlot))
    Readers.exchangeScope(domain, forHoldOn: found.flatMap(heldSlot))
    defer {
      Readers.letGo()
      Readers.letGo()
      Readers.enterAgain(domain)
    }
    return try body()
  }
}
