internal import Synchronization

/// How many values of a store are pinned, and what is done when the last is unpinned after the close.
final class Pins: Sendable {
  /// The number, and the highest bit once the store is closed.
  private let state = Atomic<UInt64>(0)
  private let ending = Locked<(() -> Void)?>(.leaf, nil)

  private static let closed: UInt64 = 1 << 63

  /// Whether any value is pinned.
  var isHeld: Bool { state.load(ordering: .acquiring) & ~Self.closed != 0 }

  /// Counts another one; false once the store is closed.
  func add() -> Bool {
    var old = state.load(ordering: .relaxed)
    while old < Self.closed {
      let (isAdded, now) = state.weakCompareExchange(
        expected: old, desired: old + 1, ordering: .acquiringAndReleasing)
      if isAdded { return true }
      old = now
    }
    return false
  }

  /// Counts one less.
  func remove() {
    if state.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == Self.closed { end() }
  }

  /// Refuses others from now on, and calls the body once there is none: now, or in the call that removes the last.
  func close(_ body: @escaping () -> Void) {
    ending.withLock { ending in ending = body }
    if state.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing).newValue == Self.closed { end() }
  }

  private func end() {
    let body = ending.withLock { ending in
      defer { ending = nil }
      return ending
    }
    body?()
  }
}

/// A value that stays where it lies as long as this is kept, on any thread; see `SedimentKeyspace.pin`.
@safe
package final class PinnedValue: @unchecked Sendable {
  // Sendable: the bytes are only read, and nobody else gives them back.
  private let reader: Reader
  private let pin: Readers.Pin
  private let value: FoundValue
  /// When it expires, in milliseconds since 1970; 0 for never.
  package let expiry: UInt64

  fileprivate init(_ reader: Reader, _ pin: Readers.Pin, _ value: FoundValue, expiry: UInt64) {
    self.reader = reader
    self.pin = pin
    self.value = value
    self.expiry = expiry
  }

  /// The bytes, valid as long as this is kept.
  package var bytes: UnsafeRawBufferPointer { unsafe value.bytes }

  deinit {
    value.release()
    Readers.unpin(pin)
    // In a fork's child the count is nobody's, and its lock may be taken.
    if !reader.lifetime.isForked { reader.pins.remove() }
  }
}

extension SedimentKeyspace {
  /// The value of a key, kept where it lies, even if the key is set or the store is closed meanwhile; nil if it has none.
  ///
  /// The segment that it lies in is not used again before, and a closed store lets go of its file only then.
  package func pin(_ key: RawSpan) throws(SedimentError) -> PinnedValue? {
    try defaultCollection.store.reader.pin(key, defaultCollection.state)
  }
}

extension Reader {
  fileprivate func pin(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> PinnedValue? {
    try lifetime.check()
    var expiry: UInt64 = 0
    guard let value = try beginReading(key, state, expiry: &expiry) else { return nil }
    defer { Readers.leave() }
    // Only now: a call that finds nothing must not be the one to let go of a closed file.
    guard pins.add() else {
      value.release()
      throw .closed(path)
    }
    let pin = Readers.pin(domain, unsafe slot(of: value.start, ofMemory: value.owner))
    return PinnedValue(self, pin, value.kept(), expiry: expiry)
  }
}
