internal import Sediment

/// Keys in ascending order of their bytes, in memory that has a bound.
///
/// There is no order in the file: each pass through all keys keeps those that come next, as many as the memory holds.
struct OrderedKeys {
  private let keyspace: SedimentCollection
  private let prefix: [UInt8]
  private let byteCountMax: Int
  /// The greatest key of those that were given.
  private var last: [UInt8]?
  private var isComplete = false

  /// What an array takes beside its elements.
  private static let arrayByteCount = 48

  /// Keys behind `last` alone, if it is given.
  init(of keyspace: SedimentCollection, prefix: [UInt8], behind last: [UInt8]?, byteCountMax: Int) {
    (self.keyspace, self.prefix, self.last, self.byteCountMax) = (keyspace, prefix, last, byteCountMax)
  }

  /// The keys that come next; none at the end.
  mutating func next() throws -> [[UInt8]] {
    if isComplete { return [] }
    var keys: [[UInt8]] = []
    var byteCount = 0
    // Keys from this one on are left to a later pass.
    var limit: [UInt8]?
    try keyspace.forEachKey(withPrefix: prefix) { bytes in
      try Signals.check()
      let key = [UInt8](sedimentBytes: bytes)
      if let last, !last.lexicographicallyPrecedes(key) { return .continue }
      if let limit, !key.lexicographicallyPrecedes(limit) { return .continue }
      keys.append(key)
      byteCount += Self.byteCount(of: key)
      if byteCount > byteCountMax, keys.count > 1 {
        keys.sort { $0.lexicographicallyPrecedes($1) }
        limit = keys[keys.count / 2]
        keys.removeSubrange((keys.count / 2)...)
        byteCount = keys.reduce(0) { $0 + Self.byteCount(of: $1) }
      }
      return .continue
    }
    keys.sort { $0.lexicographicallyPrecedes($1) }
    isComplete = limit == nil
    last = keys.last ?? last
    return keys
  }

  private static func byteCount(of key: [UInt8]) -> Int { key.count + arrayByteCount }
}
