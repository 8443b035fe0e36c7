internal import SedimentFormat

// How code of a user is called with what was read: outside the reader's scope, under holds (DESIGN.md 6, step 1).

extension Reader {
  /// Goes on with a reading of a value for a call of the user's: its scope becomes a hold on the slots in which the value
  /// lies, until `endLending`.
  func lend(_ value: FoundValue) {
    Readers.exchangeScope(domain, forHoldOn: heldSlot(value))
  }

  /// Ends the reading of a value that was lent; the call takes what it needs of it.
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
    unsafe found.owner == nil ? found.slot : nil
  }

  /// The slot of the file in which a value begins; nil if it lies in memory of its own.
  func heldSlot(_ value: FoundValue) -> UInt64? {
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

/// The reader's scope of a call that lends several values, one after the other.
struct LendingScope {
  private let domain: ReaderDomain
  private let isLending: Bool
  private let epoch: UInt64
  /// Whether something was unlinked while code of a user ran: what was found before may be in memory of something else.
  private(set) var isStale = false

  /// The scope that this thread has begun; without `lending` no code of a user is called, so it does not end.
  @inline(__always)
  init(_ domain: ReaderDomain, lending: Bool) {
    self.domain = domain
    isLending = lending
    epoch = lending ? Readers.epoch(in: domain) : 0
  }

  /// Calls a closure about a value that lies in a slot of the file, or in memory of its own.
  @inline(__always)
  mutating func call(holding slot: UInt64?, _ body: () throws -> Void) rethrows {
    if !isLending { return try body() }
    Readers.exchangeScope(domain, forHoldOn: slot)
    defer {
      Readers.letGo()
      if !Readers.enterAgain(domain, since: epoch) { isStale = true }
    }
    try body()
  }
}
