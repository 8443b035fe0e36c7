import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// What hostile readers found in compaction and in the release of space.
@Suite struct CompactionRoomTests {
  private static func usedByteCount(_ store: SedimentStore) -> UInt64 {
    store.statistics.usedByteCount
  }

  @Test func `A tombstone stays while a segment that could not be read holds what it hides`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<15 { try fixture.store.set(pattern(1_000, number), forKey: "\(number)") }
    for _ in 0..<40 { try fixture.store.set(pattern(1_000), forKey: "hot") }
    for number in 0..<10 { try fixture.store.remove(forKey: "\(number)") }
    for _ in 0..<40 { try fixture.store.set(pattern(1_000), forKey: "hot") }
    let value = try #require(fixture.contents.firstRange(of: pattern(1_000, 12)))
    fixture.disk.flipBit(1, ofByte: value.lowerBound + 10, in: StoreFixture.path)
    #expect(code { try fixture.store.compact() } == .damaged)
    for _ in 0..<3 {
      for _ in 0..<40 { try fixture.store.set(pattern(1_000), forKey: "hot") }
      try fixture.store.compact()
    }
    fixture.disk.flipBit(1, ofByte: value.lowerBound + 10, in: StoreFixture.path)
    for _ in 0..<2 {
      try fixture.reopen()
      for number in 0..<10 { #expect(try !fixture.store.contains("\(number)")) }
      #expect(try same(fixture.store.retrieve(forKey: "12"), pattern(1_000, 12)))
    }
  }

  @Test func `A file that shrank and grew again is stored into only where that is allowed`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<100 { try fixture.store.set(pattern(100_000), forKey: "\(number)") }
    let large = fixture.store.statistics.fileByteCount
    try fixture.store.removeEverything()
    // The log itself must leave the end of the file.
    for number in 0..<4 {
      try fixture.store.compact()
      for _ in 0..<20 { try fixture.store.set(pattern(1_000, number), forKey: "few") }
    }
    try fixture.store.compact()
    try #require(fixture.store.statistics.fileByteCount < large / 4)
    for number in 0..<100 {
      try fixture.store.set(pattern(100_000, number), forKey: "\(number)")
      if number % 10 == 0 { fixture.scheduler.runDue() }
    }
    #expect(fixture.disk.violations.first == nil)
    for number in 0..<100 {
      #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(100_000, number)))
    }
  }

  @Test func `A reader that stays inside does not let everything be left out for room`() throws {
    let fixture = try StoreFixture(on: SimulatedDisk(seed: 3))
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: 2 << 20)
    try fixture.open()
    for number in 0..<3_000 {
      try fixture.store.set(pattern(1_000, number), forKey: "\(number)")
      if number % 16 == 0 { fixture.scheduler.runDue() }
    }
    let held = try fixture.store.count()
    let before = fixture.store.statistics.evictedKeyCount
    try fixture.store.withValue(forKey: "2999") { _ in
      for number in 0..<200 {
        _ = try? fixture.store.set(pattern(1_000, number), forKey: "more-\(number)")
        fixture.scheduler.runDue()
      }
    }
    #expect(fixture.store.statistics.evictedKeyCount - before < UInt64(held / 3))
    // And once the reader has left, there is room again.
    for number in 0..<200 {
      try fixture.store.set(pattern(1_000, number), forKey: "again-\(number)")
      if number % 16 == 0 { fixture.scheduler.runDue() }
    }
    for number in 100..<200 {
      #expect(try same(fixture.store.retrieve(forKey: "again-\(number)"), pattern(1_000, number)))
    }
  }

  @Test(arguments: [1, 2, 4, 8])
  func `A full store of many segments refuses at last`(megabyteCount: UInt64) throws {
    let fixture = try StoreFixture(maxByteCount: megabyteCount << 20, compaction: .manual)
    var count = 0
    // An attempt without an end would end here.
    fixture.disk.injectForGood(.error(.inputOutput), fromCall: 50_000, only: [.sync])
    var failure: SedimentError.Code?
    while failure == nil {
      failure = code { try fixture.store.set(pattern(1_000, count), forKey: "\(count)") }
      if failure == nil { count += 1 }
    }
    #expect(failure == .outOfSpace)
    #expect(UInt64(count) * 1_030 > (megabyteCount << 20) * 6 / 10)
    // A longer value may lead to more being packed together than a short one did, and be taken once for that.
    for _ in 0..<5 { _ = code { try fixture.store.set(pattern(100_000), forKey: "more") } }
    for _ in 0..<15 {
      #expect(code { try fixture.store.set(pattern(100_000), forKey: "more") } == .outOfSpace)
    }
    for number in 0..<count {
      #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(1_000, number)))
    }
  }

  @Test(arguments: accesses)
  func `A store of large values makes room for another`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: 4 << 20)
    try fixture.open()
    for number in 0..<60 {
      try fixture.store.set(pattern(200_000, number), forKey: "\(number)")
      #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(200_000, number)))
      #expect(try number < 10 || fixture.store.count() > 5)
      if number % 8 == 0 { fixture.scheduler.runDue() }
    }
    #expect(fixture.store.statistics.fileByteCount <= 4 << 20)
  }

  @Test func `A value that no room can be made for leaves the others alone`() throws {
    let fixture = try StoreFixture()
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: 2 << 20)
    try fixture.open()
    for number in 0..<200 { try fixture.store.set(pattern(1_000, number), forKey: "\(number)") }
    #expect(code { try fixture.store.set(pattern(3 << 20), forKey: "large") } == .outOfSpace)
    #expect(
      code {
        try fixture.store.batch { batch in
          for number in 0..<30 { batch.set(pattern(100_000), forKey: "\(number)") }
        }
      } == .outOfSpace)
    #expect(try fixture.store.count() == 200)
  }

  @Test(arguments: [true, false])
  func `What a large value took comes back after its store was closed, or died`(closes: Bool) throws {
    let fixture = try StoreFixture(compaction: .manual)
    try fixture.store.set(pattern(3_000_000), forKey: "large")
    for number in 0..<15 { try fixture.store.set(pattern(1_000, number), forKey: "\(number)") }
    try fixture.store.set("small", forKey: "large", durability: .synced)
    for number in 15..<40 { try fixture.store.set(pattern(1_000, number), forKey: "\(number)") }
    let disk: SimulatedDisk
    if closes {
      try fixture.close()
      disk = fixture.disk
    } else {
      disk = fixture.disk.afterProcessDeath()
    }
    let next = try StoreFixture(compaction: .manual, on: disk)
    try next.store.compact()
    #expect(Self.usedByteCount(next.store) < 1_000_000)
    #expect(try next.store.count() == 41)
  }

  @Test(arguments: accesses)
  func `Free slots beside others that have no blocks are room together`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access, maxByteCount: 2 << 20, compaction: .manual)
    for name in ["a", "b", "c", "d"] { try fixture.store.set(pattern(300_000), forKey: name) }
    try fixture.store.remove(forKey: "b")
    try fixture.reopen()
    func fill() throws { try fixture.store.set(pattern(150_000), forKey: "\(fixture.disk.callCount)") }
    while code(fill) == nil { continue }
    try fixture.store.remove(forKey: "c")
    try fixture.reopen()
    try fixture.store.remove(forKey: "d")
    try fixture.store.set(pattern(560_000, 3), forKey: "large")
    #expect(try same(fixture.store.retrieve(forKey: "large"), pattern(560_000, 3)))
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `A segment that the disk cannot read is the only one that stays`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<600 { try fixture.store.set(pattern(1_000, number), forKey: "\(number % 40)") }
    let before = fixture.store.statistics.deadByteCount
    try fixture.store.checkpoint()
    fixture.disk.inject(.error(.inputOutput), only: [.read])
    #expect(code { try fixture.store.compact() } == .inputOutput)
    // It is bad as often as it is read; that it was read once is enough to see what follows.
    try fixture.store.compact()
    let after = fixture.store.statistics
    #expect(after.deadByteCount < before / 4)
    #expect(after.deadByteCount > 4_000)
    #expect(try fixture.store.count() == 40)
  }

  @Test func `Compaction that a close overtakes says that the store was closed`() throws {
    let fixture = try StoreFixture(compaction: .manual, isObserved: true)
    for number in 0..<900 {
      try fixture.store.set(pattern(1_000, number), forKey: "\(number % 40)")
      if number % 10 == 0 { try fixture.store.set(pattern(1_000, number), forKey: "kept \(number)") }
    }
    var stepCount = 0
    #expect(
      code {
        try fixture.store.compact { _ in
          stepCount += 1
          if stepCount == 1 { try fixture.close() }
          return .continue
        }
      } == .closed)
    #expect(fixture.events.all.last == "closed")
    try fixture.open()
    #expect(try fixture.store.count() == 130)
  }

  @Test func `Tombstones do not gather behind a full segment that holds one dead record`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for segment in 0..<40 {
      try fixture.store.set("before", forKey: "\(segment)-0")
      for number in 0..<15 { try fixture.store.set(pattern(1_050, number), forKey: "\(segment)-\(number)") }
    }
    for round in 0..<4 {
      for number in 0..<4_000 { try fixture.store.set("short", forKey: "\(round)-\(number)-short") }
      for number in 0..<4_000 { try fixture.store.remove(forKey: "\(round)-\(number)-short") }
      try fixture.store.compact()
    }
    #expect(fixture.store.segments.reduce(0) { $0 + $1.tombstoneCount } < 3_000)
    for _ in 0..<2 {
      #expect(try fixture.store.count() == 600)
      #expect(try same(fixture.store.retrieve(forKey: "2-0"), pattern(1_050, 0)))
      try fixture.reopen()
    }
  }
}
