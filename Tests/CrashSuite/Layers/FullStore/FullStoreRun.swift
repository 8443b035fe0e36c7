import CrashModel
import Sediment
import SedimentTesting

/// The life of one small store, held against a dictionary.
struct FullStoreRun {
  private static let path = "/data/store"

  private let plan: FullStorePlan
  private var generator: SeededGenerator
  private var disk: SimulatedDisk
  private var scheduler = ManualScheduler()
  private var opened: SedimentStore?
  /// The number of each key's value, by the number of the key.
  private var model = FullStoreModel()
  private var nextNumber = 0
  /// What is being done, for findings.
  private(set) var step = "creation"
  /// What a reader's segment takes while one stays.
  private var heldByteCount = 0

  init(_ plan: FullStorePlan, seed: UInt64) throws {
    self.plan = plan
    generator = SeededGenerator(seed: seed)
    disk = plan.machine.disk(
      SimulatedDiskOptions(
        seed: seed, fileByteCountMax: 16 << 20, capacity: plan.bound == .disk ? plan.byteCount : nil))
    try open()
  }

  mutating func run() throws {
    for round in 0..<4 {
      try staying(round) { run in try run.fill(round) }
      try checkRest("behind filling, round \(round)")
      switch number(below: 6) {
      case 0: try removeAll(round)
      case 1: try removeEverything(round)
      case 2...3: try reopen(round)
      default: break
      }
      try staying(round) { run in try run.removeSome(round) }
      if isOne(of: 3) { try compact("round \(round)") }
      try checkRest("behind removing, round \(round)")
    }
    try removeAll(4)
    try compact("in the end")
    try expectSmall()
    try storeAgain()
    try checkRest("in the end")
    try reopen(5)
    try checkContents()
  }

  // MARK: Steps

  /// Takes a step, every other time while a reader stays with a value in place: others get on as if it were not there, but
  /// for its segment.
  private mutating func staying(_ round: Int, _ body: (inout FullStoreRun) throws -> Void) throws {
    guard (round + model.count) % 2 == 1, let key = model.keys.last else { return try body(&self) }
    let store = try store
    let segments = store.segments.map(\.byteCount)
    heldByteCount = Int(segments.max() ?? 0)
    defer { heldByteCount = 0 }
    let isThere: Void? = try store.withValue(forKey: Self.key(key)) { span in
      let bytes = [UInt8](sedimentBytes: span)
      try body(&self)
      try expect([UInt8](sedimentBytes: span) == bytes, "a value that is read in place")
    }
    if isThere == nil { try body(&self) }
  }

  /// Stores until several changes in a row are refused; what certainly fits must not be.
  private mutating func fill(_ round: Int) throws {
    var refusedCount = 0
    var count = 0
    if plan.filling == .halving { return try fillHalving(round) }
    while refusedCount < 4, count < 1_500 {
      step = "round \(round), change \(count)"
      count += 1
      let isReplacing = plan.filling == .replacing ? hasAllKeys : isOne(of: 3)
      let members = (0..<(isOne(of: 2) ? 1 : 1 + number(below: plan.batchCountMax))).map { _ in
        Member(key: isReplacing ? presentKey() : newKey(), value: newValue())
      }
      if try !isStored(members) { refusedCount += 1 }
      rest()
    }
  }

  private mutating func fillHalving(_ round: Int) throws {
    var byteCount = plan.valueByteCountMax
    while byteCount > 100 {
      step = "round \(round), values of \(byteCount) bytes"
      nextNumber += 1
      if try !isStored([Member(key: newKey(), value: nextNumber << 20 | byteCount)]) { byteCount /= 2 }
      rest()
    }
  }

  /// Whether there are as many keys as the store certainly has room for if each value has three quarters of the most.
  private var hasAllKeys: Bool {
    let most = Self.slotByteCount(0, plan.valueByteCountMax)
    return model.count * (most * 3 / 4) >= certainByteCount
  }

  /// Removes some keys, each of which must go, whatever lies where.
  private mutating func removeSome(_ round: Int) throws {
    let keys = model.keys.shuffled(using: &generator)
    let isInBatches = isOne(of: 4)
    var rest = keys.prefix(keys.count * number(below: 4) / 4)
    while !rest.isEmpty {
      let part = Array(rest.prefix(isInBatches ? 1 + number(below: 4) : 1))
      rest = rest.dropFirst(part.count)
      step = "round \(round), a removal of \(part.map { $0 & 0xfffff }) with \(rest.count) to come"
      try remove(part)
    }
  }

  private mutating func removeAll(_ round: Int) throws {
    for key in model.keys.shuffled(using: &generator) {
      step = "round \(round), a removal of all with \(model.count) left"
      try remove([key])
    }
  }

  private mutating func removeEverything(_ round: Int) throws {
    step = "round \(round), removing everything"
    try store.removeEverything()
    model = FullStoreModel()
    rest()
  }

  private mutating func remove(_ keys: [Int]) throws {
    if keys.count == 1 {
      let wasThere = try store.remove(forKey: Self.key(keys[0]))
      if plan.bound != .eviction { try expect(wasThere, "a key is not there that was set") }
    } else {
      do {
        try store.batch { batch in for key in keys { batch.remove(forKey: Self.key(key)) } }
      } catch let error as SedimentError where error.code == .outOfSpace && keys.contains(where: Self.isLong)
      {
        // Their tombstones need slots in a row all at once; one by one they must go.
        for key in keys { try remove([key]) }
      }
    }
    for key in keys { model[key] = nil }
    rest()
  }

  private mutating func compact(_ place: String) throws {
    step = "compacting, \(place)"
    try store.compact()
  }

  private mutating func reopen(_ round: Int) throws {
    step = "round \(round), reopening"
    if isOne(of: 2) {
      try store.close()
      opened = nil
    } else {
      let image = disk.afterProcessDeath()
      opened = nil
      disk = image
    }
    scheduler = ManualScheduler()
    try open()
    disk.trimHistory()
    try checkContents()
  }

  private mutating func open() throws {
    opened = try SedimentStore(path: Self.path, options: plan.options, disk: disk, scheduler: scheduler)
  }

  // MARK: Oracles

  /// Stores changes together; false if they were refused, which they may be only where they might not fit.
  private mutating func isStored(_ members: [Member]) throws -> Bool {
    do {
      if members.count == 1 {
        try store.set(Self.value(members[0].value), forKey: Self.key(members[0].key))
      } else {
        try store.batch { batch in
          for member in members { batch.set(Self.value(member.value), forKey: Self.key(member.key)) }
        }
      }
    } catch let error as SedimentError where error.code == .outOfSpace {
      let wanted = members.reduce(0) { $0 + Self.slotByteCount($1.key, $1.value) }
      // What evicts makes room for what takes an eighth of it.
      let live =
        plan.bound == .eviction ? 0 : model.values.reduce(0) { $0 + Self.slotByteCount($1.key, $1.value) }
      let room = plan.bound == .eviction ? Int(plan.byteCount) / 8 : certainByteCount
      if live + wanted + heldByteCount <= room {
        let held = "\(heldByteCount) held"
        throw ModelMistake(description: "\(live) live, \(held), \(wanted) wanted: \(error)")
      }
      return false
    }
    for member in members { model[member.key] = member.value }
    return true
  }

  /// What a store of this size certainly has room for, slots that records and large values leave unused counted.
  private var certainByteCount: Int { Int(plan.byteCount) * 55 / 100 - (16 << 14) }

  private func expectSmall() throws {
    let byteCount = disk.byteCount(of: Self.path) ?? 0
    // Tombstones may still be needed by what the superblocks need, and the reserve stays.
    try expect(byteCount <= Int(plan.byteCount) / 2, "an empty store of \(byteCount) bytes after compacting")
  }

  /// An empty store takes as much again as at its beginning.
  private mutating func storeAgain() throws {
    step = "storing again"
    var byteCount = 0
    while true {
      let member = Member(key: newKey(), value: newValue())
      byteCount += Self.slotByteCount(member.key, member.value)
      let room = plan.bound == .eviction ? Int(plan.byteCount) / 8 : certainByteCount
      if byteCount > room { return }
      try expect(try isStored([member]), "an empty store refuses what it had room for")
      rest()
    }
  }

  /// With nothing to do but what it gives itself, the background ends.
  private func expectRest(_ place: String) throws {
    guard plan.hasBackground else { return }
    let most = 100 + 4 * Int(plan.byteCount >> 14)
    var count = 0
    while count < most, scheduler.runFirst() { count += 1 }
    try expect(count < most, "\(place), the background does not end within \(most) steps")
  }

  private func checkRest(_ place: String) throws {
    try expectRest(place)
    let findings = try store.accountFindings()
    try expect(findings.isEmpty, "\(place), the accounts: \(findings)")
    if let violation = disk.violations.first { throw ModelMistake(description: "\(violation)") }
    let byteCount = disk.byteCount(of: Self.path) ?? 0
    try expect(
      plan.bound == .disk || byteCount <= Int(plan.byteCount), "\(place), a file of \(byteCount) bytes")
  }

  private mutating func checkContents() throws {
    for (key, value) in model.values {
      let found = try store.retrieve(forKey: Self.key(key))
      if plan.bound == .eviction, found == nil {
        model[key] = nil
        continue
      }
      try expect(found == Self.value(value), "key \(key) has \(found?.count ?? -1) bytes")
    }
    try expect(try store.count() == model.count, "\(try store.count()) keys of \(model.count)")
  }

  private func expect(_ isSo: Bool, _ what: @autoclosure () throws -> String) throws {
    if !isSo { throw ModelMistake(description: "not as it should be: \(try what())") }
  }

  /// What lies where, for findings.
  var map: String {
    guard let opened else { return "" }
    let figures = opened.statistics
    let segments = opened.segments.map {
      "\($0.byteOffset >> 14)+\($0.byteCount >> 14) \($0.kind)\($0.isTail ? " (tail)" : ""), \($0.recordCount) records, "
        + "\($0.tombstoneCount) removals, \($0.liveByteCount) of \($0.usedByteCount) live"
    }
    return "\(figures.freeByteCount >> 14) free, \(figures.holeByteCount >> 14) bare\n    "
      + segments.joined(separator: "\n    ")
  }

  // MARK: Choices

  private struct Member {
    let key: Int
    let value: Int
  }

  private var store: SedimentStore {
    get throws {
      guard let opened else { throw ModelMistake(description: "the store is not open") }
      return opened
    }
  }

  private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
  private mutating func isOne(of count: Int) -> Bool { number(below: count) == 0 }

  /// Lets the background work, where there is one.
  private func rest() {
    // Else the disk keeps all that was ever written.
    if nextNumber % 64 == 0 { disk.trimHistory() }
    guard plan.hasBackground else { return }
    for _ in 0..<4 where scheduler.runDue() > 0 {}
  }

  /// A key is a number that tells its length, too; so is a value.
  private mutating func newKey() -> Int {
    nextNumber += 1
    return nextNumber << 20 | length(upTo: plan.keyByteCountMax, atLeast: 8)
  }

  private mutating func newValue() -> Int {
    nextNumber += 1
    return nextNumber << 20 | length(upTo: plan.valueByteCountMax, atLeast: 0)
  }

  /// Mostly short, now and then as long as may be.
  private mutating func length(upTo most: Int, atLeast least: Int) -> Int {
    max(plan.isEven || isOne(of: 3) ? number(below: most + 1) : number(below: min(most, 300) + 1), least)
  }

  private mutating func presentKey() -> Int {
    model.keys.isEmpty ? newKey() : model.keys[number(below: model.count)]
  }

  /// Whether a key takes more than a slot.
  private static func isLong(_ key: Int) -> Bool { key & 0xfffff > 13 << 10 }

  private static func key(_ number: Int) -> [UInt8] { bytes(number) }
  private static func value(_ number: Int) -> [UInt8] { bytes(number) }

  private static func bytes(_ number: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number))
    let count = number & 0xfffff
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
      let word = generator.next()
      for shift in stride(from: 0, to: 64 as UInt64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// What a key and a value take at most: a record that does not fit into a slot has slots of its own.
  private static func slotByteCount(_ key: Int, _ value: Int) -> Int {
    let byteCount = (key & 0xfffff) + (value & 0xfffff) + 64
    return byteCount < 8_000 ? byteCount : (byteCount + 500 + 0x3fff) & ~0x3fff
  }
}
