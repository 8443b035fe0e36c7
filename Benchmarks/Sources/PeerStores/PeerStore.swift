internal import BenchmarkHarness
internal import CPeers
internal import StoreComparison

/// A store of another engine, behind the functions of its C interface.
///
/// Several threads may call it at once: ``StorePlace/threadCount`` has told the engine.
@safe final class PeerStore: BenchmarkStore, @unchecked Sendable {
  /// Holds the whole of most data sets.
  private static let cacheByteCount = 512 << 20

  private let engine: peer_engine
  private let store: UnsafeMutableRawPointer

  init(_ engine: PeerEngine, variant: Int, at place: StorePlace) throws {
    let engine = unsafe engine.functions
    unsafe self.engine = engine
    var store: UnsafeMutableRawPointer?
    let outcome = unsafe place.folder.withCString { folder in
      var place = unsafe peer_place(
        folder: folder, key_count: place.keyCount,
        is_synced: place.isSynced,
        is_compressed: place.isCompressible, thread_count: place.threadCount,
        cache_size: place.memoryByteCount.map { $0 / 4 } ?? PeerStore.cacheByteCount,
        is_memory_limited: place.isMemoryLimited,
        variant: variant)
      return unsafe engine.open(&place, &store)
    }
    guard outcome == peer_done, let store = unsafe store else { throw unsafe PeerFailure(engine) }
    unsafe self.store = store
  }

  func set(_ key: BenchmarkKey, _ value: RawSpan) throws {
    let outcome = unsafe value.withUnsafeBytes { value in
      key.withBytes { key in
        unsafe key.withUnsafeBytes { key in
          unsafe engine.set(store, key.baseAddress, key.count, value.baseAddress, value.count)
        }
      }
    }
    try check(outcome)
  }

  func setMany(_ keys: ArraySlice<BenchmarkKey>, _ value: [UInt8], mask: UInt64) throws {
    guard let setMany = unsafe engine.set_many else {
      throw Unsupported("it has no batches that a crash leaves whole")
    }
    var value = value
    let isSorted = unsafe engine.sorts_batches
    let outcome = unsafe value.withUnsafeMutableBytes { value in
      unsafe withPointers(to: isSorted ? sorted(keys) : keys) { keys in
        unsafe setMany(store, keys.baseAddress, keys.count, value.baseAddress, value.count, mask)
      }
    }
    try check(outcome)
  }

  func retrieve(_ key: BenchmarkKey, into buffer: inout [UInt8]) throws -> Bool {
    while true {
      var byteCount = 0
      // Values of all sizes find the room that the largest needed, so that none takes two calls.
      let capacity = buffer.capacity
      let outcome = unsafe buffer.withUnsafeMutableBytes { buffer in
        key.withBytes { key in
          unsafe key.withUnsafeBytes { key in
            unsafe engine.get(store, key.baseAddress, key.count, buffer.baseAddress, capacity, &byteCount)
          }
        }
      }
      if outcome == peer_too_large {
        buffer.reserveCapacity(byteCount)
        continue
      }
      guard try isThere(outcome) else { return false }
      buffer.setCount(byteCount)
      return true
    }
  }

  func withValue(_ key: BenchmarkKey, _ body: (RawSpan) -> Void) throws -> Bool {
    guard let locate = unsafe engine.locate else { return try visitValue(key, body) }
    var value: UnsafeRawPointer?
    var byteCount = 0
    let outcome = key.withBytes { key in
      unsafe key.withUnsafeBytes { key in
        unsafe locate(store, key.baseAddress, key.count, &value, &byteCount)
      }
    }
    guard try isThere(outcome) else { return false }
    body(unsafe RawSpan(_unsafeStart: value!, byteCount: byteCount))
    return true
  }

  private func visitValue(_ key: BenchmarkKey, _ body: (RawSpan) -> Void) throws -> Bool {
    guard let visit = unsafe engine.visit else { throw Unsupported("its C interface only copies") }
    let outcome = withoutActuallyEscaping(body) { body in
      var visitor = unsafe Visitor { _, _, value, byteCount in
        guard let value = unsafe value else { return }
        body(unsafe RawSpan(_unsafeStart: value, byteCount: byteCount))
      }
      return key.withBytes { key in
        unsafe key.withUnsafeBytes { key in
          unsafe visit(store, key.baseAddress, key.count, Visitor.see, Visitor.pointer(&visitor))
        }
      }
    }
    return try isThere(outcome)
  }

  func withValues(_ keys: ArraySlice<BenchmarkKey>, _ body: (Int, RawSpan?) -> Void) throws {
    guard let visitMany = unsafe engine.visit_many else {
      throw Unsupported("its C interface has no call that shows many values where they lie")
    }
    let outcome = withoutActuallyEscaping(body) { body in
      var visitor = unsafe Visitor { _, number, value, byteCount in
        guard let value = unsafe value else { return body(number, nil) }
        body(number, unsafe RawSpan(_unsafeStart: value, byteCount: byteCount))
      }
      return unsafe withPointers(to: keys) { keys in
        unsafe visitMany(store, keys.baseAddress, keys.count, Visitor.see, Visitor.pointer(&visitor))
      }
    }
    try check(outcome)
  }

  func remove(_ key: BenchmarkKey) throws -> Bool {
    let outcome = key.withBytes { key in
      unsafe key.withUnsafeBytes { key in unsafe engine.remove(store, key.baseAddress, key.count) }
    }
    return try isThere(outcome)
  }

  func forEach(_ body: (RawSpan, RawSpan) -> Void) throws {
    let outcome = withoutActuallyEscaping(body) { body in
      var visitor = unsafe Visitor { key, keyByteCount, value, byteCount in
        guard let key = unsafe key, let value = unsafe value else { return }
        body(
          unsafe RawSpan(_unsafeStart: key, byteCount: keyByteCount),
          unsafe RawSpan(_unsafeStart: value, byteCount: byteCount))
      }
      return unsafe engine.iterate(store, Visitor.see, Visitor.pointer(&visitor))
    }
    try check(outcome)
  }

  func sync() throws {
    guard let sync = unsafe engine.sync else { return }
    try check(unsafe sync(store))
  }

  func settle() throws {
    guard let settle = unsafe engine.settle else { return try sync() }
    try check(unsafe settle(store))
  }

  func arrange() throws {
    if unsafe engine.compacts_before_reads { try compact() }
    try settle()
  }

  func pendingWork() -> Int {
    guard let pending = unsafe engine.pending else { return 0 }
    return Int(clamping: unsafe pending(store))
  }

  func compact() throws {
    guard let compact = unsafe engine.compact else { return }
    try check(unsafe compact(store))
  }

  func close() throws {
    try check(unsafe engine.close(store))
  }

  @inline(__always)
  private func check(_ outcome: peer_outcome) throws {
    guard outcome == peer_done else { throw unsafe PeerFailure(engine) }
  }

  @inline(__always)
  private func isThere(_ outcome: peer_outcome) throws -> Bool {
    if outcome == peer_done { return true }
    guard outcome == peer_missing else { throw unsafe PeerFailure(engine) }
    return false
  }
}

/// Keys in the order of their bytes.
private func sorted(_ keys: ArraySlice<BenchmarkKey>) -> ArraySlice<BenchmarkKey> {
  // Whole keys decide only where halves are alike, which random ones are not.
  let numbered = keys.indices.map { (word: keys[$0].word.byteSwapped, number: $0) }
  return numbered.sorted { $0.word < $1.word }.map { keys[$0.number] }[...]
}

extension [UInt8] {
  /// Makes so many of the bytes that lie in the array's storage its elements; all of them have been written.
  @inline(__always)
  fileprivate mutating func setCount(_ newCount: Int) {
    if newCount < count { removeLast(count - newCount) }
    guard newCount > count else { return }
    let more = newCount - count
    append(addingCapacity: more) { span in
      unsafe span.withUnsafeMutableBufferPointer { _, initializedCount in initializedCount = more }
    }
  }
}

/// Gives a closure an array of where the bytes of each key lie; they stay there as long as the keys are held.
private func withPointers<Result>(
  to keys: ArraySlice<BenchmarkKey>, _ body: (UnsafeBufferPointer<UnsafeRawPointer?>) -> Result
) -> Result {
  withExtendedLifetime(keys) {
    let pointers = unsafe keys.map { key in unsafe key.bytes.withUnsafeBytes { $0.baseAddress } }
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0) }
  }
}

/// What a C function calls with what it has found.
@safe private struct Visitor {
  let body: (UnsafeRawPointer?, Int, UnsafeRawPointer?, Int) -> Void

  /// What the C function is given to give back.
  static func pointer(_ visitor: UnsafeMutablePointer<Visitor>) -> UnsafeMutableRawPointer {
    UnsafeMutableRawPointer(visitor)
  }

  static let see: peer_visitor = { context, key, keyByteCount, value, byteCount in
    guard let context = unsafe context else { return }
    let visitor = unsafe context.assumingMemoryBound(to: Visitor.self)
    unsafe visitor.pointee.body(key, keyByteCount, value, byteCount)
  }
}

/// Says what an engine could not do.
struct PeerFailure: Error, CustomStringConvertible {
  var description: String

  init(_ engine: peer_engine) {
    description = unsafe "\(String(cString: engine.name)): \(String(cString: peer_message()))"
  }
}
