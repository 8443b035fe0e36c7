import Sediment
import SedimentDisk
import SedimentTesting
import Synchronization
import Testing

/// The ways to reach a file's bytes, in each of which a store must behave the same.
let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]

/// A store on a simulated disk, whose background work is done when a test says so.
final class StoreFixture {
  static let path = "data/store"

  let disk: SimulatedDisk
  let scheduler = ManualScheduler()
  let events = EventList()
  var options: SedimentOptions
  private var opened: SedimentStore?

  init(
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

  var store: SedimentStore { opened! }

  var isOpen: Bool { opened != nil }

  func open() throws {
    opened = try another()
  }

  /// A further opening of the same file.
  func another(_ change: (inout SedimentOptions) -> Void = { _ in }) throws -> SedimentStore {
    var options = options
    change(&options)
    return try SedimentStore(path: Self.path, options: options, disk: disk, scheduler: scheduler)
  }

  func close() throws {
    try store.close()
    opened = nil
  }

  /// Closes the store and opens it again.
  func reopen() throws {
    try close()
    try open()
  }

  /// Lets the store go without closing it.
  func drop() {
    opened = nil
  }

  /// Sets keys of that name and a number until there is no room for another; how many.
  func fill(_ name: String = "", valueByteCount: Int = 3_000) throws -> Int {
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

  var contents: [UInt8] { disk.contents(of: Self.path)! }

  var image: FileImage { FileImage(bytes: contents) }

  /// How many calls of a kind were made since a call.
  func count(_ operation: DiskOperation, since call: Int) -> Int {
    disk.calls[call...].count { $0.operation == operation }
  }

  /// The calls that change the file's bytes, or make them durable, since a call.
  func changes(since call: Int) -> [DiskOperation] {
    let changing: Set<DiskOperation> = [.write, .allocate, .truncate, .punchHole, .sync]
    return disk.calls[call...].map(\.operation).filter { changing.contains($0) }
  }
}

extension SedimentCapacity {
  /// So many bytes at most; unlimited for nil.
  static func limited(_ byteCount: UInt64?) -> SedimentCapacity {
    byteCount.map { .limited(maxBytes: $0) } ?? .unlimited
  }
}

/// The events that an observer was told.
final class EventList: Sendable {
  private let names = Mutex<[String]>([])

  func add(_ event: SedimentEvent) {
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

  var all: [String] { names.withLock { $0 } }

  func count(_ name: String) -> Int { all.count { $0 == name } }

  func removeAll() { names.withLock { $0 = [] } }
}
