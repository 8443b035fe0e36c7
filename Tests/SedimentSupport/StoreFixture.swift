package import Sediment
package import SedimentDisk
package import SedimentTesting
import Synchronization
import Testing

/// The ways to reach a file's bytes, in each of which a store must behave the same.
package let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]

/// A store on a simulated disk, whose background work is done when a test says so.
package final class StoreFixture {
  package static let path = "data/store"

  package let disk: SimulatedDisk
  package let scheduler = ManualScheduler()
  package let events = EventList()
  package var options: SedimentOptions
  private var opened: SedimentStore?

  package init(
    _ access: SedimentOptions.Access = .automatic, durability: SedimentDurability = .unsynced,
    maxByteCount: UInt64? = nil, compaction: SedimentCompaction = .automatic,
    compression: SedimentCompression = .off, isObserved: Bool = false,
    on disk: SimulatedDisk = SimulatedDisk(seed: 1)
  ) throws {
    self.disk = disk
    let events = events
    options = SedimentOptions(
      durability: durability, access: access, capacity: .limited(maxByteCount),
      compaction: compaction, compression: compression)
    if isObserved { options.observer = { event in events.add(event) } }
    try open()
  }

  package var store: SedimentStore { opened! }

  package var isOpen: Bool { opened != nil }

  package func open() throws {
    opened = try another()
  }

  /// A further opening of the same file.
  package func another(_ change: (inout SedimentOptions) -> Void = { _ in }) throws -> SedimentStore {
    var options = options
    change(&options)
    return try SedimentStore(path: Self.path, options: options, disk: disk, scheduler: scheduler)
  }

  package func close() throws {
    try store.close()
    opened = nil
  }

  /// Closes the store and opens it again.
  package func reopen() throws {
    try close()
    try open()
  }

  /// Lets the store go without closing it.
  package func drop() {
    opened = nil
  }

  /// Sets keys of that name and a number until there is no room for another; how many.
  package func fill(_ name: String = "", valueByteCount: Int = 3_000) throws -> Int {
    var count = 0
    while true {
      do {
        try store.set(pattern(valueByteCount, count), forKey: "\(name)\(count)")
      } catch let error as SedimentError {
        #expect(error.code == .outOfSpace)
        return count
      }
      count += 1
      try #require(count < 10_000)
    }
  }

  package var contents: [UInt8] { disk.contents(of: Self.path)! }

  package var image: FileImage { FileImage(bytes: contents) }

  /// How many calls of a kind were made since a call.
  package func count(_ operation: DiskOperation, since call: Int) -> Int {
    disk.calls[call...].count { $0.operation == operation }
  }

  /// The calls that change the file's bytes, or make them durable, since a call.
  package func changes(since call: Int) -> [DiskOperation] {
    let changing: Set<DiskOperation> = [.write, .allocate, .truncate, .punchHole, .sync]
    return disk.calls[call...].map(\.operation).filter { changing.contains($0) }
  }
}

extension StoreFixture {
  /// A store with something of each kind in it, some of it dead.
  package static func fill(_ store: SedimentStore) throws {
    for number in 0..<100 { try store.set(pattern(300, number), forKey: "key \(number)") }
    for number in 0..<30 { try store.remove(forKey: "key \(number * 3)") }
    try store.set(pattern(200_000), forKey: "large")
    try store.set(pattern(150_000, 1), forKey: "dead")
    try store.remove(forKey: "dead")
    try store.set("1", forKey: "expiring", expiry: .at(milliseconds: 1 << 45))
    try store.batch { batch in
      for number in 0..<10 { batch.set("\(number)", forKey: "batch \(number)") }
    }
    try store.collection("users").set("Ada", forKey: "1")
    try store.collection("cleared").set("Ada", forKey: "1")
    try store.collection("cleared").removeAll()
    _ = try store.collection("empty")
    try store.collection("dropped").set("Ada", forKey: "1")
    try store.dropCollection("dropped")
  }

  package static func opened(_ path: String, on disk: SimulatedDisk, readOnly: Bool = false) throws
    -> SedimentStore
  {
    try SedimentStore(
      path: path, options: SedimentOptions(durability: .unsynced, mustExist: true, readOnly: readOnly),
      disk: disk, scheduler: ManualScheduler())
  }
}

extension SedimentCapacity {
  /// So many bytes at most; unlimited for nil.
  package static func limited(_ byteCount: UInt64?) -> SedimentCapacity {
    byteCount.map { .limited(maxBytes: $0) } ?? .unlimited
  }
}

/// The events that an observer was told.
package final class EventList: Sendable {
  private let names = Mutex<[String]>([])

  package init() {}

  package func add(_ event: SedimentEvent) {
    let name =
      switch event {
      case .recovered: "recovered"
      case .synced: "synced"
      case .segmentSealed: "sealed"
      case .checkpoint: "checkpoint"
      case .failed(let error): "failed: \(error.code)"
      case .closed: "closed"
      }
    names.withLock { $0.append(name) }
  }

  package var all: [String] { names.withLock { $0 } }

  package func count(_ name: String) -> Int { all.count { $0 == name } }

  package func removeAll() { names.withLock { $0 = [] } }
}
