/// A table that keeps to a bound, and the counts of what happened to it.
///
/// Nothing in here ends a key or a value: they go out as `LRUDropped`.
@safe @usableFromInline
struct LRUBoundedTable<Key: Hashable, Value>: ~Copyable {
  @usableFromInline typealias Dropped = LRUDropped<Key, Value>

  @usableFromInline var table = LRUTable<Key, Value>()
  @usableFromInline let countMax: Int
  @usableFromInline let costMax: Int
  @usableFromInline var hits = 0
  @usableFromInline var misses = 0
  @usableFromInline var insertions = 0
  @usableFromInline var rejections = 0
  @usableFromInline var evictions = 0
  @usableFromInline var expirations = 0

  init(countMax: Int, costMax: Int) {
    self.countMax = costMax > 0 ? min(countMax, LRUTable<Key, Value>.entryCapacityMax) : 0
    self.costMax = costMax
  }

  /// The entry of a key that has not expired; 0 if there is none.
  ///
  /// One that has expired goes out.
  @inlinable @inline(__always)
  mutating func liveIndex(
    of key: Key, hash: UInt32, clock: () -> UInt64, dropped: inout Dropped
  ) -> UInt32 {
    let index = table.index(of: key, hash: hash)
    if index == 0 { return 0 }
    let expiry = unsafe table.links[Int(index)].expiry
    if expiry == 0 || expiry > clock() { return index }
    dropped.append(table.remove(index))
    expirations &+= 1
    return 0
  }

  /// Counts a question for a value.
  @inlinable @inline(__always)
  mutating func count(isHit: Bool) {
    if isHit { hits &+= 1 } else { misses &+= 1 }
  }

  /// Keeps a value as the one used last, unless it alone exceeds the bound; false if so.
  ///
  /// Without an expiry the entry keeps the one it has.
  @inlinable @inline(__always)
  mutating func insert(
    _ value: consuming Value, forKey key: Key, hash: UInt32, cost: Int, expiry: UInt64?, clock: () -> UInt64,
    dropped: inout Dropped
  ) -> Bool {
    let index = table.index(of: key, hash: hash)
    guard cost <= costMax, countMax > 0 else {
      if index != 0 { dropped.append(table.remove(index)) }
      rejections &+= 1
      return false
    }
    insertions &+= 1
    let stamp = UInt32(truncatingIfNeeded: insertions)
    if index != 0 {
      let present = unsafe table.links[Int(index)].expiry
      let kept = expiry ?? (present == 0 || present > clock() ? present : 0)
      // The newest, and free, it cannot be what is evicted for its new value.
      table.touch(index)
      table.setCost(0, of: index)
      evict(untilCount: countMax, cost: costMax &- cost, dropped: &dropped)
      table.setCost(cost, of: index)
      dropped.value = table.replaceValue(of: index, by: value, expiry: kept, stamp: stamp)
    } else {
      evict(untilCount: countMax &- 1, cost: costMax &- cost, dropped: &dropped)
      if table.isFull { grow() }
      table.add(LRUPair(key: key, value: value), hash: hash, cost: cost, expiry: expiry ?? 0, stamp: stamp)
    }
    return true
  }

  /// Takes out what was used longest ago, until no more than this is left.
  @inlinable @inline(__always)
  mutating func evict(untilCount countMax: Int, cost costMax: Int, dropped: inout Dropped) {
    while table.count > countMax || table.totalCost > costMax {
      dropped.append(table.remove(table.oldest))
      evictions &+= 1
    }
  }

  /// Makes room for entries, for twice as many as there are, but not for more than there may be.
  @inlinable @inline(never)
  mutating func grow() {
    table.resize(toEntryCapacity: min(max(2 &* table.entryCapacity, 8), countMax))
  }

  /// Takes out all that has expired.
  @inlinable @inline(__always)
  mutating func removeExpired(clock: () -> UInt64, dropped: inout Dropped) {
    var index = table.oldest
    if index == 0 { return }
    let now = clock()
    while index != 0 {
      let link = unsafe table.links[Int(index)]
      if link.expiry != 0 && link.expiry <= now {
        dropped.append(table.remove(index))
        expirations &+= 1
      }
      index = link.newer
    }
  }

  /// Takes out everything, with the memory.
  @inlinable @inline(__always)
  mutating func takeTable() -> LRUTable<Key, Value> {
    var taken = LRUTable<Key, Value>()
    swap(&table, &taken)
    return taken
  }

  /// What is held now, and what happened.
  var statistics: LRUStatistics {
    var statistics = LRUStatistics()
    statistics.hits = hits
    statistics.misses = misses
    statistics.insertions = insertions
    statistics.rejections = rejections
    statistics.evictions = evictions
    statistics.expirations = expirations
    statistics.count = table.count
    statistics.cost = table.totalCost
    statistics.tableBytes = table.byteCount
    return statistics
  }

  /// Gives back memory, if there is much more than what is left needs.
  mutating func shrinkIfSparse() {
    guard table.entryCapacity > 8, table.count <= table.entryCapacity / 4 else { return }
    table.resize(toEntryCapacity: table.count)
  }
}
