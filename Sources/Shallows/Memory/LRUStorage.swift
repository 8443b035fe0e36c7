internal import MemoryPressure
internal import Synchronization

/// A bounded memory layer: values by their keys, of which those used longest ago make room for new ones.
///
/// It is safe from any thread, and answers at once on the caller's. Which values go is decided by their last use exactly.
///
/// The `==` of keys runs under a lock, and must not call the same storage. Everything else may: the closure of
/// `modifyValue`, the one that tells the cost, the `deinit` of keys and values.
@safe
public final class LRUStorage<Key: Hashable, Value> {
  /// What the storage is called in the names of compositions.
  public let storageName: String

  /// The bound of the whole.
  public let capacity: LRUCapacity<Key, Value>

  @usableFromInline let hashing = LRUHashing()
  // Both are constant, and refer to memory that lives as long as this object.
  @usableFromInline let lock = LRULock()
  @usableFromInline let bounded: UnsafeMutablePointer<LRUBoundedTable<Key, Value>>
  @usableFromInline let clock: @Sendable () -> UInt64
  let pressureObservation = Mutex<MemoryPressureObservation?>(nil)

  /// Creates an empty storage, whose name is made of those of the types unless another is given.
  public convenience init(capacity: LRUCapacity<Key, Value>, storageName: String? = nil) {
    self.init(capacity: capacity, storageName: storageName, clock: LRUExpiry.wallClock)
  }

  /// Creates one whose wall time, in milliseconds since 1970, comes from a clock of the caller's.
  ///
  /// The clock runs under a lock and must not call the storage.
  package init(
    capacity: LRUCapacity<Key, Value>, storageName: String? = nil, clock: @escaping @Sendable () -> UInt64
  ) {
    self.capacity = capacity
    self.storageName = storageName ?? "lru-storage-\(Key.self):\(Value.self)"
    self.clock = clock
    unsafe bounded = .allocate(capacity: 1)
    unsafe bounded.initialize(to: LRUBoundedTable(countMax: capacity.countMax, costMax: capacity.costMax))
  }

  deinit {
    unsafe bounded.deinitialize(count: 1)
    unsafe bounded.deallocate()
    lock.destroy()
  }
}

// Sendable: the table is guarded by the lock, and nothing else changes.
extension LRUStorage: @unchecked Sendable where Key: Sendable, Value: Sendable {}
