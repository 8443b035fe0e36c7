import Sediment
import SedimentDisk
import SedimentTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How much the crash tests try.
enum CrashEffort {
  static let isLong = unsafe getenv("SEDIMENT_TESTS_LONG") != nil

  /// The first number, or in a long run the second.
  static func of(_ short: Int, long: Int) -> Int { isLong ? long : short }
}

/// What a store holds, whatever the clock says: collections by name, the store's own keys under the empty one.
struct CrashContents: Equatable {
  struct Entry: Equatable {
    var value: [UInt8]
    /// In milliseconds since 1970, 0 for ever.
    var expiry: UInt64 = 0
  }

  var collections: [String: [String: Entry]] = ["": [:]]

  /// What is to be seen at a time.
  func visible(at time: UInt64) -> CrashContents {
    CrashContents(
      collections: collections.mapValues { $0.filter { $0.value.expiry == 0 || $0.value.expiry > time } })
  }

  /// Reads everything in a store, each key by iteration and again by itself.
  init(of store: SedimentStore) throws {
    collections = [:]
    for name in [""] + store.collectionNames {
      let keys: any SedimentKeyspace = name.isEmpty ? store : try store.collection(name)
      collections[name] = try Self.entries(of: keys)
    }
  }

  init(collections: [String: [String: Entry]] = ["": [:]]) {
    self.collections = collections
  }

  private static func entries(of keys: some SedimentKeyspace) throws -> [String: Entry] {
    var entries: [String: Entry] = [:]
    try keys.forEach { key, value in
      let name = String(sedimentBytes: key) ?? "?"
      if entries.updateValue(Entry(value: [UInt8](sedimentBytes: value)), forKey: name) != nil {
        Issue.record("'\(name)' came twice")
      }
      return .continue
    }
    for key in entries.keys {
      switch try keys.expiry(forKey: key) {
      case .at(let time): entries[key]?.expiry = time
      case .never: break
      default: Issue.record("'\(key)' has no expiry, and was just there")
      }
    }
    for key in CrashOperation.keys where try keys.retrieve(forKey: key) != entries[key]?.value {
      Issue.record("'\(key)' reads otherwise than it iterates")
    }
    if try keys.count() != entries.count { Issue.record("the count is not \(entries.count)") }
    return entries
  }

  /// Sizes instead of bytes, for messages.
  var summary: String {
    collections.sorted { $0.key < $1.key }.map { name, entries in
      let list = entries.sorted { $0.key < $1.key }.map { key, entry in
        let number = String(decoding: entry.value.prefix { $0 != 32 }, as: UTF8.self)
        return "\(key)=\(number)\(entry.expiry == 0 ? "" : "!")"
      }
      return "\(name)[\(list.joined(separator: " "))]"
    }.joined(separator: " ")
  }
}

/// A change of a store, or what else is done with one, with its meaning for a model.
enum CrashOperation {
  case set(key: String, in: String, byteCount: Int, lifetime: Duration?, SedimentDurability)
  case remove(key: String, in: String, SedimentDurability)
  case batch([(key: String, in: String, byteCount: Int?)], SedimentDurability)
  case clear(String, SedimentDurability)
  case create(String)
  case drop(String, SedimentDurability)
  case removeEverything(SedimentDurability)
  case sync
  /// Lets the time go by in which the background syncs.
  case wait
  case checkpoint
  case reopen

  static let keys = (0..<8).map { "key-\($0)" }
  static let interval = Duration.milliseconds(20)
  /// The first is the store itself.
  static let names = ["", "a", "b"]

  /// The value that a change of that number gives a key.
  static func value(_ number: Int, _ key: String, _ byteCount: Int) -> [UInt8] {
    let head = Array("\(number) \(key) ".utf8)
    var generator = SeededGenerator(seed: UInt64(number) << 8 | UInt64(byteCount & 255))
    return head + (0..<max(byteCount - head.count, 0)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }

  var durability: SedimentDurability? {
    switch self {
    case .set(_, _, _, _, let durability), .remove(_, _, let durability), .batch(_, let durability),
      .clear(_, let durability), .drop(_, let durability), .removeEverything(let durability):
      durability
    case .create, .sync, .wait, .checkpoint, .reopen: nil
    }
  }

  /// Whether everything up to here is on the disk once it returned.
  var isSynced: Bool {
    switch self {
    case .sync, .wait, .checkpoint, .reopen: true
    default: durability == .synced
    }
  }

  /// What the model holds afterwards; of that number, at that time.
  func apply(to contents: inout CrashContents, number: Int, time: UInt64) {
    switch self {
    case .set(let key, let name, let byteCount, let lifetime, _):
      let expiry = lifetime.map { time + UInt64($0 / .milliseconds(1)) } ?? 0
      contents.collections[name, default: [:]][key] = .init(
        value: Self.value(number, key, byteCount), expiry: expiry)
    case .remove(let key, let name, _):
      contents.collections[name, default: [:]][key] = nil
    case .batch(let members, _):
      for (key, name, byteCount) in members {
        contents.collections[name, default: [:]][key] = byteCount.map {
          .init(value: Self.value(number, key, $0))
        }
      }
    case .clear(let name, _): contents.collections[name] = [:]
    case .create(let name): contents.collections[name, default: [:]] = contents.collections[name] ?? [:]
    case .drop(let name, _): contents.collections[name] = nil
    case .removeEverything: contents.collections = contents.collections.mapValues { _ in [:] }
    case .sync, .wait, .checkpoint, .reopen: break
    }
  }

  /// The collections that must be there before it.
  var namesNeeded: [String] {
    switch self {
    case .set(_, let name, _, _, _), .remove(_, let name, _), .clear(let name, _): [name]
    case .batch(let members, _): members.map(\.in)
    default: []
    }
  }

  /// Makes one at random.
  static func random(using generator: inout SeededGenerator) -> CrashOperation {
    let key = keys.randomElement(using: &generator) ?? ""
    let name = Int.random(in: 0..<10, using: &generator) < 6 ? "" : names.randomElement(using: &generator) ?? ""
    let durability = durability(using: &generator)
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<44:
      return .set(
        key: key, in: name, byteCount: byteCount(using: &generator), lifetime: nil, durability)
    case 44..<50: return .set(key: key, in: name, byteCount: 40, lifetime: .milliseconds(30), durability)
    case 50..<62: return .remove(key: key, in: name, durability)
    case 62..<76:
      let count = Int.random(in: 1...5, using: &generator)
      let members = (0..<count).map { _ in
        let isRemoval = Int.random(in: 0..<4, using: &generator) == 0
        return (
          key: keys.randomElement(using: &generator) ?? "", in: names.randomElement(using: &generator) ?? "",
          byteCount: isRemoval ? nil : byteCount(using: &generator) as Int?
        )
      }
      return .batch(members, durability)
    case 76..<79: return .clear(name, durability)
    case 79..<82: return .drop(names[Int.random(in: 1...2, using: &generator)], durability)
    case 82..<83: return .removeEverything(durability)
    case 83..<87: return .sync
    case 87..<92: return .wait
    case 92..<96: return .checkpoint
    default: return .reopen
    }
  }

  private static func durability(using generator: inout SeededGenerator) -> SedimentDurability {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<2: .synced
    case 2..<4: .interval(interval)
    default: .unsynced
    }
  }

  private static func byteCount(using generator: inout SeededGenerator) -> Int {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<55: Int.random(in: 8..<80, using: &generator)
    case 55..<85: Int.random(in: 80..<1500, using: &generator)
    case 85..<98: Int.random(in: 1500..<9000, using: &generator)
    default: (128 << 10) + Int.random(in: 1..<9000, using: &generator)
    }
  }
}

/// A store on a simulated disk that operations are carried out on, and what a crash at each moment may leave.
final class CrashRecorder {
  static let path = "/data/store.sediment"

  let disk: SimulatedDisk
  let options: SedimentOptions
  let scheduler = ManualScheduler()
  private(set) var store: SedimentStore?
  /// What the store held after so many operations.
  private(set) var states: [CrashContents]
  private var operations: [CrashOperation] = []
  /// The crash point at which each operation began, and the one at which it had returned.
  private var begins: [Int] = []
  private var ends: [Int] = []
  /// From which crash point on how many operations are on the disk.
  private var durable: [(point: Int, count: Int)] = []
  /// Numbers that make every value another one, also after a crash.
  private var number: Int

  init(_ disk: SimulatedDisk, _ access: SedimentOptions.Access, firstNumber: Int = 0) {
    self.disk = disk
    options = SedimentOptions(durability: .unsynced, access: access)
    states = [CrashContents()]
    number = firstNumber
  }

  var current: CrashContents { states[states.count - 1] }

  /// Opens the store. What it holds then is where the record begins, if it is the first time.
  func open() throws {
    let opened = try SedimentStore(path: Self.path, options: options, disk: disk, scheduler: scheduler)
    store = opened
    if ends.isEmpty {
      states = [try CrashContents(of: opened)]
      durable = [(0, 0)]
    }
  }

  func perform(_ operation: CrashOperation) throws {
    for name in operation.namesNeeded where current.collections[name] == nil { try perform(.create(name)) }
    if case .wait = operation {
      let interval = SedimentDurability.interval(CrashOperation.interval)
      try perform(.set(key: "key-7", in: "", byteCount: 30, lifetime: nil, interval))
    }
    number += 1
    var next = current
    operation.apply(to: &next, number: number, time: disk.wallClock())
    states.append(next)
    operations.append(operation)
    begins.append(disk.crashPoint)
    try carryOut(operation)
    ends.append(disk.crashPoint)
    if operation.isSynced { durable.append((disk.crashPoint, states.count - 1)) }
  }

  private func carryOut(_ operation: CrashOperation) throws {
    guard let store else { return }
    switch operation {
    case .set(let key, let name, let byteCount, let lifetime, let durability):
      let value = CrashOperation.value(number, key, byteCount)
      let keys = try keys(name)
      if let lifetime {
        try keys.set(value, forKey: key, expiry: .after(lifetime), durability: durability)
      } else {
        try keys.set(value, forKey: key, durability: durability)
      }
    case .remove(let key, let name, let durability):
      try keys(name).remove(forKey: key, durability: durability)
    case .batch(let members, let durability):
      try store.batch(durability: durability) { batch in
        for (key, name, byteCount) in members { try add(key, name, byteCount, to: &batch) }
      }
    case .clear(let name, let durability): try keys(name).removeAll(durability: durability)
    case .create(let name): _ = try store.collection(name)
    case .drop(let name, let durability): try store.dropCollection(name, durability: durability)
    case .removeEverything(let durability): try store.removeEverything(durability: durability)
    case .sync: try store.sync()
    case .wait:
      disk.advanceClocks(by: CrashOperation.interval)
      scheduler.advance(by: 20_000_000)
    case .checkpoint: try store.checkpoint()
    case .reopen:
      try store.close()
      self.store = nil
      try open()
    }
  }

  private func add(_ key: String, _ name: String, _ byteCount: Int?, to batch: inout SedimentBatch) throws {
    let collection = name.isEmpty ? nil : try store?.collection(name)
    switch (byteCount, collection) {
    case (let byteCount?, let collection?):
      batch.set(CrashOperation.value(number, key, byteCount), forKey: key, in: collection)
    case (let byteCount?, nil): batch.set(CrashOperation.value(number, key, byteCount), forKey: key)
    case (nil, let collection?): batch.remove(forKey: key, in: collection)
    case (nil, nil): batch.remove(forKey: key)
    }
  }

  private func keys(_ name: String) throws -> any SedimentKeyspace {
    guard let store else { throw CancellationError() }
    return name.isEmpty ? store : try store.collection(name)
  }

  func close() throws {
    try store?.close()
    store = nil
  }

  /// The operations that lead to some states, and those shortly before.
  func operations(around range: ClosedRange<Int>) -> String {
    (max(range.lowerBound - 4, 1)...max(range.upperBound, 1)).filter { $0 <= operations.count }.map { count in
      "\(count) at \(begins[count - 1]): \(operations[count - 1])"
    }.joined(separator: "; ")
  }

  // MARK: What a crash may leave

  /// The operations after which the store may be found once the power failed at a crash point.
  func afterPowerLoss(at point: Int) -> ClosedRange<Int> {
    let begun = begins.count { $0 < point }
    return min(durable.last { $0.point <= point }?.count ?? 0, begun)...begun
  }

  /// The same once the process died there.
  func afterDeath(at point: Int) -> ClosedRange<Int> {
    let begun = begins.count { $0 < point }
    return min(ends.count { $0 <= point }, begun)...begun
  }
}
