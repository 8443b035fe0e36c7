import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Disks that are full, and files that may grow no further.
struct StoreSpaceTests {
  /// What bounds the store.
  enum Bound: CaseIterable {
    case disk, cap
  }

  private static let byteCount: UInt64 = 1 << 20

  private static func bounded(_ access: SedimentOptions.Access, _ bound: Bound) throws -> StoreFixture {
    switch bound {
    case .disk:
      let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, capacity: byteCount))
      return try StoreFixture(access, compaction: .off, on: disk)
    case .cap: return try StoreFixture(access, maxByteCount: byteCount, compaction: .off)
    }
  }

  private static func check(_ store: SedimentStore, _ count: Int, valueByteCount: Int = 3_000) throws {
    #expect(try store.count() == count)
    for number in 0..<count {
      #expect(try same(store.retrieve(forKey: "\(number)"), pattern(valueByteCount, number)))
    }
  }

  @Test(arguments: accesses, Bound.allCases)
  func `A full store refuses what would need space, and keeps what it has`(
    access: SedimentOptions.Access, bound: Bound
  ) throws {
    let fixture = try Self.bounded(access, bound)
    let count = try fixture.fill()
    #expect(count > 150)
    for _ in 0..<3 {
      #expect(code { try fixture.store.set(pattern(3_000), forKey: "0") } == .outOfSpace)
      #expect(code { try fixture.store.set(pattern(500_000), forKey: "0") } == .outOfSpace)
      #expect(code { try fixture.store.batch { $0.set(pattern(3_000), forKey: "0") } } == .outOfSpace)
      #expect(code { try fixture.store.setIfAbsent(pattern(3_000), forKey: "new") } == .outOfSpace)
      #expect(code { try fixture.store.update(forKey: "0") { _ in pattern(3_000) } } == .outOfSpace)
    }
    try Self.check(fixture.store, count)
    try fixture.store.sync()
    #expect(fixture.store.statistics.fileByteCount <= Self.byteCount)
    try fixture.reopen()
    #expect(fixture.store.recovery.wasClosed)
    try Self.check(fixture.store, count)
    #expect(fixture.store.statistics.fileByteCount <= Self.byteCount)
  }

  private static let scatteredByteCount: UInt64 = 6 << 20

  /// A full store whose free slots lie apart from one another, and whose checkpoints take several; what it holds.
  private static func scattered(_ access: SedimentOptions.Access) throws -> (StoreFixture, [String: [UInt8]])
  {
    let fixture = try StoreFixture(access, maxByteCount: scatteredByteCount, compaction: .manual)
    let name = String(repeating: "collection", count: 20)
    for number in 0..<300 { _ = try fixture.store.collection("\(name)\(number)") }
    // A slot each.
    let count = try fixture.fill(valueByteCount: 16_000)
    for number in 0..<count / 2 where number % 4 == 0 { try fixture.store.remove(forKey: "\(number)") }
    try fixture.store.compact()
    // The log goes on in one of the holes, so that the file can become shorter; the others are kept in reserve.
    for _ in 0..<2 { try fixture.store.set(pattern(16_000), forKey: "x") }
    for number in count / 2..<count { try fixture.store.remove(forKey: "\(number)") }
    try fixture.store.compact()
    #expect(fixture.store.statistics.fileByteCount < scatteredByteCount)
    let secondCount = try fixture.fill(valueByteCount: 15_000)
    var held = ["x": pattern(16_000)]
    for number in 0..<count / 2 where number % 4 != 0 { held["\(number)"] = pattern(16_000, number) }
    for number in 0..<secondCount { held["\(number)"] = pattern(15_000, number) }
    return (fixture, held)
  }

  @Test(arguments: accesses)
  func `Two crashes do not let the file exceed its cap, though free slots lie scattered`(
    access: SedimentOptions.Access
  ) throws {
    let (fixture, held) = try Self.scattered(access)
    var disk = fixture.disk
    for _ in 0..<2 {
      disk = disk.afterProcessDeath()
      let after = try StoreFixture(
        access, maxByteCount: Self.scatteredByteCount, compaction: .manual, on: disk)
      #expect(after.store.statistics.fileByteCount <= Self.scatteredByteCount)
      #expect(try after.store.count() == held.count)
      for (key, value) in held { #expect(try same(after.store.retrieve(forKey: key), value)) }
      #expect(disk.violations.first == nil)
    }
  }

  @Test(arguments: accesses)
  func `However many crashes do not let an evicting store exceed its cap`(
    access: SedimentOptions.Access
  ) throws {
    let (fixture, held) = try Self.scattered(access)
    fixture.options.capacity = .evicting(maxBytes: Self.scatteredByteCount)
    fixture.options.compaction = .automatic
    var disk = fixture.disk
    for number in 0..<8 {
      disk = disk.afterProcessDeath()
      let scheduler = ManualScheduler()
      let store = try SedimentStore(
        path: StoreFixture.path, options: fixture.options, disk: disk, scheduler: scheduler)
      scheduler.advance(by: 1_000_000_000)
      #expect(!store.recovery.wasClosed)
      #expect(store.statistics.fileByteCount <= Self.scatteredByteCount)
      #expect(try store.count() > held.count / 2)
      try store.set("\(number)", forKey: "new")
      #expect(try store.retrieve(forKey: "new", as: String.self) == "\(number)")
      #expect(disk.violations.first == nil)
      // It goes on only with what is copied now.
      disk = disk.afterProcessDeath()
    }
  }

  @Test(arguments: accesses, Bound.allCases)
  func `What is stored stays out of the segment that a removal has begun in the reserve`(
    access: SedimentOptions.Access, bound: Bound
  ) throws {
    let fixture = try Self.bounded(access, bound)
    let count = try fixture.fill()
    // The rest of the last segment.
    let smallCount = try fixture.fill(valueByteCount: 1)
    #expect(smallCount < 1_000)
    let before = fixture.store.statistics.freeByteCount
    var removedCount = 0
    while fixture.store.statistics.freeByteCount == before {
      #expect(try fixture.store.remove(forKey: "\(removedCount)"))
      removedCount += 1
    }
    #expect(removedCount < 4)
    for number in removedCount..<removedCount + 3 {
      #expect(code { try fixture.store.set(pattern(1), forKey: "0") } == .outOfSpace)
      #expect(try fixture.store.remove(forKey: "\(number)"))
      #expect(fixture.store.statistics.freeByteCount == before - 1 << 14)
    }
    for number in removedCount + 3..<max(count, smallCount) {
      #expect(try fixture.store.remove(forKey: "\(number)"))
    }
    #expect(try fixture.store.count() == 0)
  }

  @Test(arguments: accesses, Bound.allCases)
  func `A checkpoint for which there is no room takes none`(
    access: SedimentOptions.Access, bound: Bound
  ) throws {
    let fixture = try Self.bounded(access, bound)
    let prefix = String(repeating: "n", count: 250)
    // So many that the reserve is no multiple of what a checkpoint takes.
    for number in 0..<(bound == .cap ? 100 : 120) { _ = try fixture.store.collection("\(prefix)\(number)") }
    let count = try fixture.fill(valueByteCount: 1_000)
    // Checkpoints use up the reserve, since compaction is off.
    var left: UInt64 = 0
    var refusedCount = 0
    for _ in 0..<20 {
      left = fixture.store.statistics.freeByteCount
      guard code({ try fixture.store.checkpoint() }) == .outOfSpace else { continue }
      refusedCount += 1
      #expect(fixture.store.statistics.freeByteCount == left)
    }
    #expect(refusedCount > 10 && left > 0)
    try Self.check(fixture.store, count, valueByteCount: 1_000)
  }

  @Test(arguments: accesses, Bound.allCases)
  func `A full store removes, clears, syncs, checkpoints and closes`(
    access: SedimentOptions.Access, bound: Bound
  ) throws {
    let fixture = try Self.bounded(access, bound)
    let users = try fixture.store.collection("users")
    try users.set("1", forKey: "key")
    let count = try fixture.fill()
    for number in 0..<count / 2 { #expect(try fixture.store.remove(forKey: "\(number)")) }
    try fixture.store.batch { batch in
      for number in count / 2..<count - 1 { batch.remove(forKey: "\(number)") }
    }
    try fixture.store.sync()
    try fixture.store.checkpoint()
    try users.removeAll()
    #expect(try fixture.store.dropCollection("users"))
    #expect(try fixture.store.count() == 1)
    try fixture.store.removeEverything()
    try fixture.reopen()
    #expect(fixture.store.recovery.wasClosed)
    #expect(try fixture.store.count() == 0)
    #expect(fixture.store.statistics.fileByteCount <= Self.byteCount)
  }

  @Test(arguments: accesses, Bound.allCases)
  func `A full store takes values again once there is more room`(
    access: SedimentOptions.Access, bound: Bound
  ) throws {
    let fixture = try Self.bounded(access, bound)
    let count = try fixture.fill()
    switch bound {
    case .disk: fixture.disk.capacity = 2 * Self.byteCount
    case .cap:
      try fixture.close()
      fixture.options.capacity = .limited(maxBytes: 2 * Self.byteCount)
      try fixture.open()
    }
    for number in count..<count + 100 { try fixture.store.set(pattern(3_000, number), forKey: "\(number)") }
    try fixture.reopen()
    try Self.check(fixture.store, count + 100)
  }

  @Test(arguments: accesses)
  func `A store recovers on a disk that is full`(access: SedimentOptions.Access) throws {
    let fixture = try Self.bounded(access, .disk)
    let count = try fixture.fill()
    var disk = fixture.disk.afterPowerLoss(.everything)
    // Each recovery takes some of the reserve, which nothing gives back while the disk is full.
    for number in 0..<3 {
      let after = try StoreFixture(access, on: disk)
      try #require(after.store.count() == count - number)
      #expect(try after.store.remove(forKey: "\(number)"))
      disk = disk.afterProcessDeath()
    }
    var recoveryCount = 0
    while let after = try? StoreFixture(access, on: disk) {
      #expect(try after.store.count() == count - 3)
      try after.store.remove(forKey: "never there")
      disk = disk.afterProcessDeath()
      recoveryCount += 1
      try #require(recoveryCount < 10)
    }
    // Then it can still be read, and is whole as soon as there is space.
    #expect(code { _ = try StoreFixture(access, on: disk) } == .outOfSpace)
    let options = SedimentOptions(readOnly: true, access: access)
    let readOnly = try SedimentStore(path: StoreFixture.path, options: options, disk: disk)
    #expect(try readOnly.count() == count - 3)
    try readOnly.close()
    disk.capacity = 2 * Self.byteCount
    let after = try StoreFixture(access, on: disk)
    for number in 0..<count {
      let expected = number < 3 ? nil : pattern(3_000, number)
      #expect(try after.store.retrieve(forKey: "\(number)") == expected)
    }
    try after.store.set(pattern(3_000), forKey: "0")
  }

  @Test(arguments: accesses, [48 << 10, 64 << 10, 96 << 10, 100_000, 200_000] as [UInt64])
  func `The file never takes more than it may, however little that is`(
    access: SedimentOptions.Access, byteCount: UInt64
  ) throws {
    let fixture = try StoreFixture(access, maxByteCount: byteCount)
    for round in 0..<3 {
      for number in 0..<100 {
        do {
          try fixture.store.set(pattern(1_000, number), forKey: "\(number)")
        } catch let error as SedimentError {
          #expect(error.code == .outOfSpace)
        }
        #expect(fixture.store.statistics.fileByteCount <= byteCount, "round \(round)")
      }
      while fixture.scheduler.runDue() > 0 {}
      try fixture.reopen()
      #expect(fixture.store.statistics.fileByteCount <= byteCount, "round \(round)")
    }
  }

  @Test func `A file that is larger than it may be opens, removes, and does not grow`() throws {
    let fixture = try StoreFixture()
    for number in 0..<500 { try fixture.store.set(pattern(1_000, number), forKey: "\(number)") }
    try fixture.close()
    fixture.options.capacity = .limited(maxBytes: 128 << 10)
    try fixture.open()
    let before = fixture.store.statistics.fileByteCount
    _ = try fixture.fill()
    for number in 0..<500 { _ = try fixture.store.remove(forKey: "\(number)") }
    try fixture.reopen()
    #expect(try !fixture.store.contains("499"))
    #expect(fixture.store.statistics.fileByteCount <= before)
  }

  @Test func `The background takes no space that is not to be had`() throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, capacity: 8 << 20))
    let fixture = try StoreFixture(on: disk)
    var count = 0
    while (try? fixture.store.set(pattern(3_000, count), forKey: "\(count)")) != nil {
      fixture.scheduler.runDue()
      count += 1
      try #require(count < 3_000)
    }
    // What is kept ahead is not kept from those who need it: five such records fit a slot.
    #expect(count > 2_300)
    try fixture.reopen()
    try Self.check(fixture.store, count)
  }

  @Test(arguments: accesses)
  func `Every step of a write that finds the disk full leaves the store healthy`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("first", forKey: "first")
    var expected = 1
    for number in 0..<200 {
      fixture.disk.inject(.error(number % 2 == 0 ? .noSpace : .quotaExceeded), only: [.allocate])
      let failure = code { try fixture.store.set(pattern(4_000, number), forKey: "\(number)") }
      #expect(failure == nil || failure == .outOfSpace)
      if failure == nil { expected += 1 }
      fixture.disk.clearFaults()
      if failure != nil {
        try fixture.store.set(pattern(4_000, number), forKey: "\(number)")
        expected += 1
      }
    }
    #expect(expected == 201)
    try fixture.reopen()
    #expect(try fixture.store.count() == 201)
  }

  @Test func `Creating a file on a full disk leaves nothing behind`() throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, capacity: 16 << 10))
    #expect(code { _ = try StoreFixture(on: disk) } == .outOfSpace)
    #expect(disk.paths == [])
  }

  @Test func `A change in a closure that reads another store makes room as any other does`() throws {
    let (read, cache) = (try StoreFixture(), try StoreFixture())
    for number in 0..<200 { try read.store.set("value", forKey: "\(number)") }
    cache.options.capacity = .evicting(maxBytes: 1 << 20)
    try cache.reopen()
    for number in 0..<300 { try cache.store.set(pattern(8_000, number), forKey: "\(number)") }
    var count = 300
    try read.store.forEach { _, _ in
      try cache.store.set(pattern(8_000, count), forKey: "\(count)")
      count += 1
      return .continue
    }
    #expect(count == 500)
    #expect(cache.store.accountFindings() == [])
  }
}
