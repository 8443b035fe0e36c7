internal import Synchronization

/// A bounded memory layer: values by their keys, of which those used longest ago make room for new ones.
///
/// It is safe from any thread, and answers at once on the caller's. Which values go is decided by their last use
/// exactly. With more than one shard, keys are divided among them by their hashes, threads hinder each other less,
/// and each shard is exact in itself and has an equal share of the bound, but the whole is not: it may evict a
/// value that was used later than one in another shard.
///
/// The `==` of keys runs under a lock, and must not call the same storage. Everything else may: the closure of
/// `modifyValue`, the one that tells the cost, the `deinit` of keys and values.
@safe
public final class LRUStorage<Key: Hashable, Value> {
  /// What the storage is called in the names of compositions.
  public let storageName: String

  /// The bound of the whole.
  public let capacity: LRUCapacity<Key, Value>

  // Both pointers are constant, and the memory lives as long as this object.
  @usableFromInline let shards: UnsafeMutablePointer<LRUShard<Key, Value>>
  @usableFromInline let shardMask: Int
  @usableFromInline let clock: @Sendable () -> UInt64
  let pressureObservation = Mutex<MemoryPressureObservation?>(nil)

  /// The shards that a storage has at most.
  static var shardCountMax: Int { 256 }

  /// Creates an empty storage.
  ///
  /// The number of shards is rounded up to a power of two, but each of them has a bound of one at least. The name
  /// is made of those of the types unless another is given.
  public convenience init(
    capacity: LRUCapacity<Key, Value>, shardCount: Int = 1, storageName: String? = nil
  ) {
    self.init(
      capacity: capacity, shardCount: shardCount, storageName: storageName, clock: LRUExpiry.wallClock)
  }

  /// Creates one whose wall time, in milliseconds since 1970, comes from a clock of the caller's.
  ///
  /// The clock runs under a lock and must not call the storage.
  package init(
    capacity: LRUCapacity<Key, Value>, shardCount: Int, storageName: String? = nil,
    clock: @escaping @Sendable () -> UInt64
  ) {
    self.capacity = capacity
    self.storageName = storageName ?? "lru-storage-\(Key.self):\(Value.self)"
    self.clock = clock
    let wanted = min(max(shardCount, 1), Self.shardCountMax)
    let possible = max(min(capacity.countMax, capacity.costMax), 1)
    var count = 1
    while count < wanted && count * 2 <= possible { count *= 2 }
    shardMask = count - 1
    unsafe shards = .allocate(capacity: count)
    for shard in 0..<count {
      unsafe (shards + shard).initialize(
        to: LRUShard(
          countMax: LRUCapacity<Key, Value>.share(of: capacity.countMax, shard: shard, count: count),
          costMax: LRUCapacity<Key, Value>.share(of: capacity.costMax, shard: shard, count: count)))
    }
  }

  deinit {
    for number in 0..<shardCount { unsafe shards[number].destroy() }
    unsafe shards.deallocate()
  }

  /// The shards that there are.
  public var shardCount: Int { shardMask + 1 }

  /// The shard of a key.
  package func shardNumber(of key: Key) -> Int {
    shardNumber(ofHash: LRUTable<Key, Value>.mixedHash(of: key))
  }

  /// The number of the shard that has keys of this hash: bits that the tables do not use.
  @inlinable @inline(__always)
  func shardNumber(ofHash hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash &>> 40) & shardMask
  }

  @inlinable @inline(__always)
  func shard(_ hash: UInt64) -> LRUShard<Key, Value> {
    unsafe shards[shardNumber(ofHash: hash)]
  }
}

// Sendable: the shards are guarded by their locks, and nothing else changes.
extension LRUStorage: @unchecked Sendable where Key: Sendable, Value: Sendable {}
