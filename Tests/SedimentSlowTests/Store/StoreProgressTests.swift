import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// A full store goes on, a file keeps its bound, and what is freed comes back (invariants 22 to 25).
struct StoreProgressTests {
  /// What keeps a store from growing.
  enum Bound: CaseIterable {
    case cap, disk
  }

  private static func bounded(
    _ byteCount: UInt64, _ bound: Bound, _ compaction: SedimentCompaction = .automatic
  ) throws -> StoreFixture {
    switch bound {
    case .cap: try StoreFixture(maxByteCount: byteCount, compaction: compaction)
    case .disk:
      try StoreFixture(
        compaction: compaction, on: SimulatedDisk(SimulatedDiskOptions(seed: 1, capacity: byteCount)))
    }
  }

  // MARK: Progress

  @Test(arguments: [1, 2, 8] as [UInt64], Bound.allCases)
  func `Every other key of a full store can be removed without a pause, and then there is room`(
    megabyteCount: UInt64, bound: Bound
  ) throws {
    let fixture = try Self.bounded(megabyteCount << 20, bound)
    var count = 0
    while code({ try fixture.store.set(pattern(100, count), forKey: "key \(count)") }) == nil { count += 1 }
    #expect(UInt64(count) * 140 > megabyteCount << 19)
    for number in stride(from: 0, to: count, by: 2) {
      try #require(
        code { _ = try fixture.store.remove(forKey: "key \(number)") } == nil, "\(number) of \(count)")
    }
    for number in 0..<count / 8 { try fixture.store.set(pattern(100, number), forKey: "new \(number)") }
    #expect(fixture.store.accountFindings() == [])
    for _ in 0..<2 {
      #expect(try fixture.store.count() == count / 2 + count / 8)
      for number in stride(from: 1, to: count, by: 202) {
        #expect(try same(fixture.store.retrieve(forKey: "key \(number)"), pattern(100, number)))
      }
      try fixture.reopen()
    }
  }

  @Test(arguments: [1, 3, 4] as [UInt64], Bound.allCases)
  func `The background of a full store comes to rest`(megabyteCount: UInt64, bound: Bound) throws {
    for valueByteCount in [400, 1_000] {
      let fixture = try Self.bounded(megabyteCount << 20, bound)
      let count = try fixture.fill(valueByteCount: valueByteCount)
      // One that dies may be worth a look.
      for isFirst in [true, false] {
        var stepCount = 0
        while stepCount < 2_000, fixture.scheduler.runFirst() { stepCount += 1 }
        #expect(stepCount < 2_000, "\(megabyteCount) MiB, values of \(valueByteCount) bytes")
        if isFirst { for number in 0..<50 { try fixture.store.remove(forKey: "\(number * 7 % count)") } }
      }
      #expect(fixture.store.accountFindings() == [])
    }
  }

  @Test func `A full store without room for a tombstone removes by moving what lies beside the key`() throws {
    let fixture = try Self.bounded(1 << 20, .cap, .manual)
    var count = 0
    // As long as their tombstones, so that removing wins next to nothing.
    func key(_ number: Int) -> String { "a key that is quite long \(number)" }
    while code({ try fixture.store.set("", forKey: key(count)) }) == nil { count += 1 }
    for number in 0..<count where number % 3 == 0 {
      try #require(try fixture.store.remove(forKey: key(number)), "\(number) of \(count)")
      #expect(try fixture.store.remove(forKey: key(number)) == false)
    }
    for _ in 0..<2 {
      for number in 0..<count {
        #expect(try fixture.store.contains(key(number)) == (number % 3 != 0))
      }
      try fixture.reopen()
    }
  }

  @Test(arguments: [true, false])
  func `A full store goes on at once behind a collection that was cleared or dropped`(
    isDropped: Bool
  ) throws {
    // The background is left undone, so nobody else sweeps the index.
    let fixture = try Self.bounded(4 << 20, .cap)
    let collection = try fixture.store.collection("much")
    var count = 0
    while code({ try collection.set(pattern(1_000, count), forKey: "key \(count)") }) == nil { count += 1 }
    #expect(count > 3_000)
    if isDropped {
      #expect(try fixture.store.dropCollection("much"))
    } else {
      try collection.removeAll()
    }
    for number in 0..<count * 9 / 10 {
      try fixture.store.set(pattern(1_000, number), forKey: "new \(number)")
    }
    #expect(fixture.store.accountFindings() == [])
  }

  @Test func `A change that no store of this size has room for does not let others be refused`() throws {
    // Nobody brings back what is dead but whoever finds no room.
    let fixture = try Self.bounded(1 << 20, .cap, .manual)
    let store = fixture.store
    var count = 0
    while code({ try store.set(pattern(10_000, count), forKey: "key \(count)") }) == nil { count += 1 }
    try store.removeEverything()
    #expect(code { try store.set(pattern(4 << 20, 0), forKey: "too much") } == .outOfSpace)
    for number in 0..<count / 2 { try store.set(pattern(10_000, number), forKey: "new \(number)") }
  }

  @Test func `A full store goes on beside a reader that holds one segment, and after it`() throws {
    let fixture = try Self.bounded(1 << 20, .cap, .manual)
    let store = fixture.store
    var count = 0
    while code({ try store.set(pattern(1_000, count), forKey: "key \(count)") }) == nil { count += 1 }
    var held = 0
    try store.withValue(forKey: "key 0") { _ in
      try store.removeEverything()
      while code({ try store.set(pattern(1_000, held), forKey: "held \(held)") }) == nil { held += 1 }
    }
    // The slot of the value that is read does not come back, and no other is held.
    #expect(held > count * 9 / 10)
    #expect(try store.count() == held)
    try store.removeEverything()
    for number in 0..<count / 2 { try store.set(pattern(1_000, number), forKey: "new \(number)") }
    #expect(try store.count() == count / 2)
  }

  @Test(arguments: Bound.allCases)
  func `A full store of large values and of holes between them can be emptied, and filled again`(
    bound: Bound
  ) throws {
    let fixture = try Self.bounded(24 << 20, bound)
    let value = pattern(140_000)
    for _ in 0..<2 {
      var count = 0
      while code({ try fixture.store.set(value, forKey: "large \(count)") }) == nil {
        guard code({ try fixture.store.set(pattern(9_000), forKey: "small \(count)") }) == nil else { break }
        count += 1
      }
      #expect(count > 100)
      for number in 0..<count { try fixture.store.remove(forKey: "small \(number)") }
      count = 0
      while code({ try fixture.store.set(pattern(9_000), forKey: "other \(count)") }) == nil { count += 1 }
      try fixture.store.removeEverything()
      try fixture.store.set(value, forKey: "large 0")
      #expect(try same(fixture.store.retrieve(forKey: "large 0"), value))
      try fixture.store.removeEverything()
      try fixture.store.compact()
      #expect(fixture.store.statistics.fileByteCount < 1 << 20)
      #expect(fixture.store.accountFindings() == [])
    }
  }

  @Test
  func `A change of the catalogue that is longer than a slot is a batch, and holds as a whole or not at all`()
    throws
  {
    let fixture = try StoreFixture()
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: 400 << 20)
    try fixture.open()
    let value = [UInt8](repeating: 7, count: 131_073)
    // Each leaves an extent, and more of them expire at once than one record can free.
    for number in 0..<1_100 { try fixture.store.set(value, forKey: "\(number)", expiresIn: .seconds(5)) }
    try fixture.store.set("stays", forKey: "other")
    try fixture.store.sync()
    fixture.disk.advanceClocks(by: .seconds(60))
    let recorder = fixture.disk.callCount
    while try fixture.store.count() > 1 || fixture.store.segments.contains(where: { $0.kind == .extent }) {
      for _ in 0..<11 * 60 {
        fixture.disk.advanceClocks(by: .seconds(1))
        try fixture.store.sync()
      }
      try fixture.store.compact()
      try #require(fixture.disk.callCount < recorder + 100_000)
    }
    #expect(fixture.store.accountFindings() == [])
    for image in [fixture.disk.afterProcessDeath(), fixture.disk.afterPowerLoss(.nothing)] {
      let after = try SedimentStore(path: StoreFixture.path, options: fixture.options, disk: image)
      #expect(try after.retrieve(forKey: "other", as: String.self) == "stays")
      #expect(after.accountFindings() == [])
      try after.close()
    }
  }

  // MARK: Bound

  @Test func `Who writes ahead of compaction does its work, so that the file keeps its bound`() throws {
    // Nobody runs what is scheduled: all that is won, writers win.
    let fixture = try StoreFixture()
    var generator = SeededGenerator(seed: 5)
    var largest: UInt64 = 0
    for step in 0..<6_000 {
      let value = pattern(Int.random(in: 0..<60_000, using: &generator), step)
      try fixture.store.set(value, forKey: "\(Int.random(in: 0..<50, using: &generator))")
      if step % 50 == 0 {
        let figures = fixture.store.statistics
        largest = max(largest, figures.usedByteCount - min(2 * figures.liveByteCount, figures.usedByteCount))
      }
    }
    #expect(largest <= 16 << 20)
    #expect(fixture.store.statistics.writtenByteCount > 150 << 20)
    try fixture.reopen()
    #expect(try fixture.store.count() == 50)
  }

  @Test(arguments: 0..<2 as Range<UInt64>)
  func `Batches find room in a half full store, of which the log that a superblock needs holds the most`(
    seed: UInt64
  ) throws {
    let fixture = try StoreFixture(maxByteCount: 32 << 20, compaction: .manual)
    var generator = SeededGenerator(seed: seed)
    var refusedCount = 0
    for _ in 0..<4_000 {
      let keys = [Int.random(in: 0..<560, using: &generator), Int.random(in: 0..<560, using: &generator)]
      let lengths = keys.map { _ in Int.random(in: 0...60_000, using: &generator) }
      let code = code {
        try fixture.store.batch { batch in
          for (key, length) in zip(keys, lengths) { batch.set(pattern(length, key), forKey: "\(key)") }
        }
      }
      if code == .outOfSpace { refusedCount += 1 }
    }
    #expect(fixture.store.statistics.liveByteCount < 19_000_000)
    #expect(refusedCount == 0)
    #expect(fixture.store.accountFindings() == [])
  }

  @Test func `What is removed comes back, though removing writes too little for the log to go on`() throws {
    let fixture = try StoreFixture()
    for number in 0..<3_000 { try fixture.store.set(pattern(12_000, number), forKey: "\(number)") }
    // The log has a segment before it that is nearly empty.
    let segmentCount = fixture.store.segments.count
    for number in 3_000..<3_100 where fixture.store.segments.count == segmentCount {
      try fixture.store.set(pattern(12_000, number), forKey: "\(number)")
    }
    fixture.scheduler.runDue()
    for number in 0..<3_000 where number % 50 != 0 { try fixture.store.remove(forKey: "\(number)") }
    fixture.scheduler.advance(by: 2_000_000_000)
    let statistics = fixture.store.statistics
    #expect(statistics.liveByteCount + statistics.deadByteCount == 1_507_864)
    #expect(fixture.store.accountFindings() == [])
  }

  @Test func `Large values that were replaced are freed by their weight`() throws {
    let fixture = try StoreFixture()
    for number in 0..<10 {
      try fixture.store.set([UInt8](repeating: UInt8(number), count: 8 << 20), forKey: "key")
      fixture.scheduler.runDue()
      let slotCount = fixture.store.segments.reduce(0) { $1.kind == .extent ? $0 + $1.byteCount >> 14 : $0 }
      #expect(slotCount <= 2 * 513)
    }
    fixture.scheduler.advance(by: 2_000_000_000)
    #expect(fixture.store.statistics.usedByteCount < 9 << 20)
  }

  // MARK: The end

  @Test(arguments: [true, false])
  func `Compaction by hand makes a file as short as what it holds`(punchesHoles: Bool) throws {
    let traits = FileTraits(
      allocatesBlocks: true, punchesHoles: punchesHoles, clones: false, name: "simulated")
    let fixture = try StoreFixture(on: SimulatedDisk(SimulatedDiskOptions(seed: 1, traits: traits)))
    for number in 0..<300 { try fixture.store.set(pattern(30_000, number), forKey: "\(number)") }
    for number in 0..<12 { try fixture.store.set(pattern(300_000, number), forKey: "large \(number)") }
    for number in 0..<295 { try fixture.store.remove(forKey: "\(number)") }
    for number in 0..<10 { try fixture.store.remove(forKey: "large \(number)") }
    #expect(fixture.store.statistics.fileByteCount > 12 << 20)
    try fixture.store.compact()
    // Twenty slots for five records, forty for two values, and what a small file keeps in reserve.
    #expect(fixture.store.statistics.fileByteCount < 80 << 14)
    #expect(fixture.store.accountFindings() == [])
    for _ in 0..<2 {
      for number in 295..<300 {
        #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(30_000, number)))
      }
      for number in 10..<12 {
        #expect(try same(fixture.store.retrieve(forKey: "large \(number)"), pattern(300_000, number)))
      }
      try fixture.reopen()
    }
    try fixture.store.removeEverything()
    try fixture.store.compact()
    #expect(fixture.store.statistics.fileByteCount < 300_000)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test(arguments: [true, false])
  func `Compaction by hand moves a large value into less room than it takes`(punchesHoles: Bool) throws {
    let traits = FileTraits(
      allocatesBlocks: true, punchesHoles: punchesHoles, clones: false, name: "simulated")
    let fixture = try StoreFixture(on: SimulatedDisk(SimulatedDiskOptions(seed: 1, traits: traits)))
    // What is removed leaves room for an eighth of the value behind it, and then in several places.
    for number in 0..<8 { try fixture.store.set(pattern(500_000, number), forKey: "first \(number)") }
    try fixture.store.set(pattern(8_000_000, 8), forKey: "value")
    for number in 0..<8 where number % 2 == 0 { try fixture.store.remove(forKey: "first \(number)") }
    try fixture.store.compact()
    let held = 8_000_000 + 4 * 500_000
    // Besides the reserve, which is free.
    let figures = fixture.store.statistics
    #expect(figures.fileByteCount - figures.freeByteCount < UInt64(held + (12 << 14)))
    #expect(fixture.store.accountFindings() == [])
    for _ in 0..<2 {
      #expect(try same(fixture.store.retrieve(forKey: "value"), pattern(8_000_000, 8)))
      for number in 0..<8 where number % 2 == 1 {
        #expect(try same(fixture.store.retrieve(forKey: "first \(number)"), pattern(500_000, number)))
      }
      try fixture.reopen()
    }
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `Compaction by hand ends, though others go on replacing what it has moved`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<2_000 { try fixture.store.set(pattern(1_000, number), forKey: "\(number % 700)") }
    var stepCount = 0
    try fixture.store.compact { _ in
      stepCount += 1
      for number in 0..<200 { try fixture.store.set(pattern(1_000, stepCount), forKey: "\(number)") }
      return .continue
    }
    #expect(stepCount < 200)
    #expect(try fixture.store.count() == 700)
  }
}
