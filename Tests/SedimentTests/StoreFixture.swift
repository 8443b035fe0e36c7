import Sediment
import SedimentDisk
import SedimentTesting
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The ways to reach a file's bytes, in each of which a store must behave the same.
let accesses: [SedimentOptions.Access] = [.automatic, .mappedForReading, .unmapped]

/// A store on a simulated disk, whose background work is done when a test says so.
final class StoreFixture {
  static let path = "data/store"

  let disk: SimulatedDisk
  let scheduler = ManualScheduler()
  let events = EventList()
  var options: SedimentOptions
  private var opened: SedimentStore?

  init(
    _ access: SedimentOptions.Access = .automatic, _ durability: SedimentDurability = .unsynced,
    maxByteCount: UInt64? = nil, on disk: SimulatedDisk = SimulatedDisk(seed: 1)
  ) throws {
    self.disk = disk
    let events = events
    options = SedimentOptions(
      durability: durability, access: access, maxByteCount: maxByteCount,
      observer: { event in events.add(event) })
    try open()
  }

  var store: SedimentStore { opened! }

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

  var contents: [UInt8] { disk.contents(of: Self.path)! }

  /// How many calls of a kind were made since a call.
  func count(_ operation: DiskOperation, since call: Int) -> Int {
    disk.calls[call...].count { $0.operation == operation }
  }

  /// How many keys the index has entries for, of all collections, those that are dead among them.
  func statistics<Figure>(_ figure: KeyPath<SedimentStatistics, Figure>) -> Figure {
    store.statistics[keyPath: figure]
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

/// Bytes that follow from their number and a seed.
func pattern(_ count: Int, _ seed: Int = 0) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    var state = UInt64(truncatingIfNeeded: seed &* 0x9E37 &+ count) | 1
    for place in 0..<count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      unsafe buffer[place] = UInt8(truncatingIfNeeded: state >> 56)
    }
    initialized = count
  }
}

/// The code of the store's error that the body throws; nil if it throws none.
func code(_ body: () throws -> Void) -> SedimentError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? SedimentError)?.code
  }
}

/// The same for what waits.
func code(_ body: () async throws -> Void) async -> SedimentError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? SedimentError)?.code
  }
}

/// What a test throws through the store.
struct Refusal: Error, Equatable {}

/// A directory of the machine's, removed with what is in it.
final class StoreDirectory {
  let path: String

  init() throws {
    let template = "/tmp/sediment-store-XXXXXX"
    path = try template.utf8CString.withUnsafeBufferPointer { bytes in
      var copy = Array(unsafe bytes)
      return try copy.withUnsafeMutableBufferPointer { buffer in
        try unsafe String(cString: #require(mkdtemp(buffer.baseAddress!)))
      }
    }
  }

  deinit {
    for name in names { _ = unlink("\(path)/\(name)") }
    _ = rmdir(path)
  }

  var names: [String] { Self.names(in: path) }

  subscript(_ name: String) -> String { "\(path)/\(name)" }

  static func names(in path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { _ = unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
