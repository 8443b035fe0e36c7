public import BenchmarkHarness

/// A store that the comparison can measure: two calls are enough, the others make more rows.
///
/// Calls come from one thread at a time, but where a row says otherwise. A value is any number of bytes, which belong to
/// the caller and are valid during the call. What a store cannot do throws ``Unsupported``, as the defaults do; its rows
/// say so then, and why.
public protocol BenchmarkStore: Sendable {
  /// Stores a value. When it returns, the death of the process cannot undo it, unless the store's settings say otherwise.
  func set(_ key: BenchmarkKey, _ value: RawSpan) throws

  /// Replaces the buffer's contents by a value, or returns whether there is none.
  func retrieve(_ key: BenchmarkKey, into buffer: inout [UInt8]) throws -> Bool

  /// Shows a value where it lies; returns whether there is one.
  func withValue(_ key: BenchmarkKey, _ body: (RawSpan) -> Void) throws -> Bool

  /// Shows the values of many keys where they lie, by the number of the key, nil for none.
  func withValues(_ keys: ArraySlice<BenchmarkKey>, _ body: (Int, RawSpan?) -> Void) throws

  /// Stores many values in one batch or transaction: each begins with the eight bytes of
  /// ``BenchmarkKey/word`` changed by the mask, and is as long as the value that is given.
  func setMany(_ keys: ArraySlice<BenchmarkKey>, _ value: [UInt8], mask: UInt64) throws

  /// Removes a key; returns whether it was there.
  func remove(_ key: BenchmarkKey) throws -> Bool

  /// Shows all keys and values in any order.
  func forEach(_ body: (RawSpan, RawSpan) -> Void) throws

  /// Makes what was set before safe from a power failure, and returns then.
  func sync() throws

  /// Waits for what was left to be done later, as far as the store can, before it is read.
  func settle() throws

  /// Does what the store has to be quickest to read, if it has a call for that: no more than time would do by itself.
  func arrange() throws

  /// Makes the files as small as the store can.
  func compact() throws

  /// How much work is left to be done later, in a unit of the store's own: 0 if nothing is.
  func pendingWork() -> Int

  /// Ends the store. Nobody calls it after that.
  func close() throws
}

// What a store has that has nothing of its own for it.
extension BenchmarkStore {
  /// Says that it cannot.
  @inlinable
  public func withValue(_ key: BenchmarkKey, _ body: (RawSpan) -> Void) throws -> Bool {
    throw Unsupported("it only copies")
  }

  /// Says that it cannot.
  @inlinable
  public func withValues(_ keys: ArraySlice<BenchmarkKey>, _ body: (Int, RawSpan?) -> Void) throws {
    throw Unsupported("it has no calls for many keys")
  }

  /// Says that it cannot.
  @inlinable
  public func setMany(_ keys: ArraySlice<BenchmarkKey>, _ value: [UInt8], mask: UInt64) throws {
    throw Unsupported("it has no batches")
  }

  /// Says that it cannot.
  @inlinable
  public func remove(_ key: BenchmarkKey) throws -> Bool {
    throw Unsupported("it cannot remove")
  }

  /// Says that it cannot.
  @inlinable
  public func forEach(_ body: (RawSpan, RawSpan) -> Void) throws {
    throw Unsupported("it does not go through its keys")
  }

  /// Does nothing.
  @inlinable
  public func sync() throws {}

  /// Syncs.
  @inlinable
  public func settle() throws { try sync() }

  /// Settles.
  @inlinable
  public func arrange() throws { try settle() }

  /// Does nothing.
  @inlinable
  public func compact() throws {}

  /// Nothing.
  @inlinable
  public func pendingWork() -> Int { 0 }

  /// Does nothing.
  @inlinable
  public func close() throws {}
}
