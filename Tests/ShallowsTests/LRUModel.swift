import Sediment
import Shallows

/// What a memory layer must do, in the plainest way: a list of entries, the one used last first.
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

  let bound: Bound
  var entries: [Entry] = []
  var statistics = LRUStatistics()

  init(count: Int, cost: Int) { bound = Bound(count: count, cost: cost) }

  var keys: [Key] { entries.map(\.key) }
  var count: Int { entries.count }
  var cost: Int { entries.reduce(0) { $0 + $1.cost } }

  func peek(_ key: Key, now: UInt64) -> Int? {
    entries.first { $0.key == key && ($0.expiry == 0 || $0.expiry > now) }?.value
  }

  /// Takes an entry out; nil if it is not there, or expired.
  private mutating func take(_ key: Key, now: UInt64) -> Entry? {
    guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
    let entry = entries.remove(at: place)
    if entry.expiry == 0 || entry.expiry > now { return entry }
    statistics.expirations += 1
    return nil
  }

  mutating func value(_ key: Key, now: UInt64) -> Int? {
    let entry = take(key, now: now)
    if let entry {
      entries.insert(entry, at: 0)
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
    let present = entries.first { $0.key == key }?.expiry ?? 0
    entries.removeAll { $0.key == key }
    guard cost <= bound.cost, bound.count > 0, bound.cost > 0 else {
      statistics.rejections += 1
      return false
    }
    let kept = expiry ?? (present > now ? present : 0)
    entries.insert(Entry(key: key, value: value, cost: cost, expiry: kept), at: 0)
    statistics.insertions += 1
    evict(to: bound)
    return true
  }

  mutating func evict(to bound: Bound) {
    var sum = entries.reduce(0) { $0 + $1.cost }
    while entries.count > bound.count || sum > bound.cost {
      sum -= entries.removeLast().cost
      statistics.evictions += 1
    }
  }

  mutating func trim(count: Int, cost: Int) { evict(to: Bound(count: count, cost: cost)) }

  mutating func removeExpired(now: UInt64) {
    let before = entries.count
    entries.removeAll { $0.expiry != 0 && $0.expiry <= now }
    statistics.expirations += before - entries.count
  }

  mutating func purge() { entries = [] }
}
