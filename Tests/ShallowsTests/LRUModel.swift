import Sediment
import Shallows

/// What a memory layer must do, in the plainest way: a list of entries for each shard, the one used last first.
struct LRUModel<Key: Hashable> {
  struct Entry {
    let key: Key
    var value: Int
    var cost: Int
    var expiry: UInt64
  }

  struct Bound {
    let count: Int
    let cost: Int
  }

  /// The lists with their bounds.
  var shards: [(bound: Bound, entries: [Entry])]
  let shardNumber: (Key) -> Int
  var statistics = LRUStatistics()

  init(count: Int, cost: Int, shardCount: Int, shardNumber: @escaping (Key) -> Int) {
    shards = (0..<shardCount).map { shard in
      (Bound(count: Self.part(count, shard, shardCount), cost: Self.part(cost, shard, shardCount)), [])
    }
    self.shardNumber = shardNumber
  }

  static func part(_ bound: Int, _ shard: Int, _ shardCount: Int) -> Int {
    bound / shardCount + (shard < bound % shardCount ? 1 : 0)
  }

  var keys: [Key] { shards.flatMap { $0.entries.map(\.key) } }
  var count: Int { shards.reduce(0) { $0 + $1.entries.count } }
  var cost: Int { shards.reduce(0) { $0 + $1.entries.reduce(0) { $0 + $1.cost } } }

  func peek(_ key: Key, now: UInt64) -> Int? {
    shards[shardNumber(key)].entries.first { $0.key == key && ($0.expiry == 0 || $0.expiry > now) }?.value
  }

  /// Takes an entry out; nil if it is not there, or expired.
  private mutating func take(_ key: Key, now: UInt64) -> Entry? {
    let shard = shardNumber(key)
    guard let place = shards[shard].entries.firstIndex(where: { $0.key == key }) else { return nil }
    let entry = shards[shard].entries.remove(at: place)
    if entry.expiry == 0 || entry.expiry > now { return entry }
    statistics.expirations += 1
    return nil
  }

  mutating func value(_ key: Key, now: UInt64) -> Int? {
    let entry = take(key, now: now)
    if let entry {
      shards[shardNumber(key)].entries.insert(entry, at: 0)
      statistics.hits += 1
    } else {
      statistics.misses += 1
    }
    return entry?.value
  }

  mutating func remove(_ key: Key, now: UInt64) -> Int? {
    take(key, now: now)?.value
  }

  mutating func insert(_ value: Int, _ key: Key, cost: Int, expiry: UInt64?, now: UInt64) -> Bool {
    let shard = shardNumber(key)
    let bound = shards[shard].bound
    let present = shards[shard].entries.first { $0.key == key }?.expiry ?? 0
    shards[shard].entries.removeAll { $0.key == key }
    guard cost <= bound.cost, bound.count > 0, bound.cost > 0 else {
      statistics.rejections += 1
      return false
    }
    let kept = expiry ?? (present > now ? present : 0)
    shards[shard].entries.insert(Entry(key: key, value: value, cost: cost, expiry: kept), at: 0)
    statistics.insertions += 1
    evict(shard, to: bound)
    return true
  }

  mutating func evict(_ shard: Int, to bound: Bound) {
    var sum = shards[shard].entries.reduce(0) { $0 + $1.cost }
    while shards[shard].entries.count > bound.count || sum > bound.cost {
      sum -= shards[shard].entries.removeLast().cost
      statistics.evictions += 1
    }
  }

  mutating func trim(count: Int, cost: Int) {
    for shard in shards.indices {
      let bound = Bound(
        count: Self.part(count, shard, shards.count), cost: Self.part(cost, shard, shards.count))
      evict(shard, to: bound)
    }
  }

  mutating func removeExpired(now: UInt64) {
    for shard in shards.indices {
      let before = shards[shard].entries.count
      shards[shard].entries.removeAll { $0.expiry != 0 && $0.expiry <= now }
      statistics.expirations += before - shards[shard].entries.count
    }
  }

  mutating func purge() {
    for shard in shards.indices { shards[shard].entries = [] }
  }
}
