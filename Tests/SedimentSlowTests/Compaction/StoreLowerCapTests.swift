import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Stores that are opened with a lower cap than their file is long.
struct StoreLowerCapTests {
  private static let high: UInt64 = 16 << 20
  private static let low: UInt64 = 4 << 20

  /// How a file comes to be no longer than its cap.
  enum Way: CaseIterable {
    case rest, compact
  }

  private static func fixture(
    _ capacity: SedimentCapacity, _ compaction: SedimentCompaction = .automatic, on disk: SimulatedDisk? = nil
  ) throws -> StoreFixture {
    let fixture = try StoreFixture(compaction: compaction, on: disk ?? SimulatedDisk(seed: 1))
    try reopen(fixture, capacity)
    return fixture
  }

  private static func reopen(_ fixture: StoreFixture, _ capacity: SedimentCapacity) throws {
    try fixture.close()
    fixture.options.capacity = capacity
    try fixture.open()
  }

  /// Lets the background do all that it has to, while nobody writes.
  private static func rest(_ fixture: StoreFixture) {
    for _ in 0..<4 {
      fixture.disk.advanceClocks(by: .seconds(1))
      fixture.scheduler.advance(by: 1_000_000_000)
    }
  }

  private static func comeDown(_ fixture: StoreFixture, _ way: Way) throws {
    switch way {
    case .rest: rest(fixture)
    case .compact: try fixture.store.compact()
    }
  }

  private static func length(_ fixture: StoreFixture) -> UInt64 {
    UInt64(fixture.disk.byteCount(of: StoreFixture.path)!)
  }

  private static func expect(_ held: [Int: [UInt8]], in store: SedimentStore) throws {
    #expect(try store.count() == held.count)
    for (number, value) in held {
      #expect(try same(store.retrieve(forKey: "\(number)"), value), "key \(number)")
    }
  }

  /// What an evicting store holds of keys that were set in this order; every value has to be the one that was set.
  private static func heldCount(_ fixture: StoreFixture, of count: Int, _ byteCount: Int) throws -> Int {
    var held = 0
    for number in 0..<count {
      guard let value = try fixture.store.retrieve(forKey: "\(number)") else { continue }
      #expect(same(value, pattern(byteCount, number)))
      held += 1
    }
    return held
  }

  // MARK: Evicting

  @Test(arguments: Way.allCases, [300, 3_000, 15_500, 70_000, 400_000])
  func `An evicting store comes down to a lower cap, and keeps what finds room`(
    way: Way, byteCount: Int
  ) throws {
    let fixture = try Self.fixture(.evicting(maxBytes: Self.high), way == .rest ? .automatic : .manual)
    let count = Int(Self.high) / byteCount
    for number in 0..<count {
      try fixture.store.set(pattern(byteCount, number), forKey: "\(number)")
      if number % 64 == 0 { fixture.scheduler.runDue() }
    }
    #expect(Self.length(fixture) > Self.high * 7 / 8)
    try Self.reopen(fixture, .evicting(maxBytes: Self.low))
    try Self.comeDown(fixture, way)
    #expect(Self.length(fixture) <= Self.low)
    let held = try Self.heldCount(fixture, of: count, byteCount)
    #expect(UInt64(held * byteCount) > Self.low / 3)
    // The records of large values share few segments, and so are of one age.
    if byteCount < 16_000 {
      #expect(try same(fixture.store.retrieve(forKey: "\(count - 1)"), pattern(byteCount, count - 1)))
    }
    // It goes on below the cap.
    var longest: UInt64 = 0
    for number in count..<count + count / 4 {
      try fixture.store.set(pattern(byteCount, number), forKey: "\(number)")
      longest = max(longest, Self.length(fixture))
    }
    #expect(longest <= Self.low)
    try fixture.reopen()
    #expect(Self.length(fixture) <= Self.low)
    #expect(fixture.disk.violations.first == nil)
  }

  /// At some of these caps what is left is enough room for users, and was less than coming down needs.
  @Test(arguments: [128, 134, 140])
  func `A large value that finds no row of slots before the cap keeps no file long`(slotCount: UInt64) throws
  {
    for more in stride(from: 78, through: 96, by: 6) {
      let fixture = try StoreFixture()
      try fixture.store.set(pattern(80 * 16_384 - 400), forKey: "first")
      try fixture.store.set(pattern(100 * 16_384 - 500), forKey: "large")
      try fixture.store.set(pattern(more * 16_384 - 500), forKey: "last")
      try fixture.close()
      fixture.options.capacity = .limited(slotCount << 14)
      try fixture.open()
      try fixture.store.remove(forKey: "first")
      try fixture.store.remove(forKey: "last")
      for _ in 0..<20 { fixture.scheduler.advance(by: 1_000_000_000) }
      #expect(fixture.store.statistics.fileByteCount >> 14 == 118, "\(more)")
      #expect(try same(fixture.store.retrieve(forKey: "large"), pattern(100 * 16_384 - 500)))
    }
  }

  @Test(arguments: Way.allCases) func `A file comes down to its cap whatever that is to the slot`(way: Way)
    throws
  {
    for slotCount in 253..<257 as Range<UInt64> {
      let fixture = try Self.fixture(.evicting(maxBytes: 8 << 20), way == .rest ? .automatic : .manual)
      for number in 0..<540 {
        try fixture.store.set(pattern(15_500, number), forKey: "\(number)")
        if number % 64 == 0 { fixture.scheduler.runDue() }
      }
      try Self.reopen(fixture, .evicting(maxBytes: slotCount << 14))
      try Self.comeDown(fixture, way)
      #expect(Self.length(fixture) <= slotCount << 14, "\(slotCount) slots")
    }
  }

  @Test(arguments: [300, 3_000, 70_000], [SedimentCompaction.automatic, .manual])
  func `An evicting store with a lower cap takes changes at once, each for twice what it takes`(
    byteCount: Int, compaction: SedimentCompaction
  ) throws {
    let fixture = try Self.fixture(.evicting(maxBytes: Self.high), compaction)
    let count = Int(Self.high) / byteCount
    for number in 0..<count { try fixture.store.set(pattern(byteCount, number), forKey: "\(number)") }
    let before = try fixture.store.count()
    try Self.reopen(fixture, .evicting(maxBytes: Self.low))
    // Nothing is done in the background meanwhile.
    try fixture.store.set(pattern(byteCount, count), forKey: "\(count)")
    #expect(try fixture.store.count() > before - max(1_000_000 / byteCount, 3))
    for number in count + 1..<3 * count {
      try fixture.store.set(pattern(byteCount, number), forKey: "\(number)")
    }
    #expect(fixture.store.statistics.usedByteCount <= Self.low)
    try Self.comeDown(fixture, compaction == .automatic ? .rest : .compact)
    #expect(Self.length(fixture) <= Self.low)
    #expect(try Self.heldCount(fixture, of: 3 * count, byteCount) == fixture.store.count())
  }

  // MARK: Limited

  /// A long file that holds one key in so many of those that were set.
  private static func sparse(
    _ byteCount: Int, oneIn part: Int, _ compaction: SedimentCompaction
  ) throws -> (StoreFixture, [Int: [UInt8]]) {
    let fixture = try fixture(.limited(maxBytes: high), .manual)
    let count = try fixture.fill(valueByteCount: byteCount)
    var held: [Int: [UInt8]] = [:]
    for number in 0..<count {
      if number % part == part - 1 {
        held[number] = pattern(byteCount, number)
      } else {
        try fixture.store.remove(forKey: "\(number)")
      }
    }
    fixture.options.compaction = compaction
    return (fixture, held)
  }

  @Test(arguments: Way.allCases, [3_000, 15_500, 70_000, 400_000])
  func `A limited store whose values fit comes down to a lower cap, and loses none`(
    way: Way, byteCount: Int
  ) throws {
    var (fixture, held) = try Self.sparse(byteCount, oneIn: 8, way == .rest ? .automatic : .manual)
    #expect(Self.length(fixture) > Self.high * 7 / 8)
    try Self.reopen(fixture, .limited(maxBytes: Self.low))
    try Self.comeDown(fixture, way)
    #expect(Self.length(fixture) <= Self.low)
    try Self.expect(held, in: fixture.store)
    held[-1] = pattern(byteCount)
    try fixture.store.set(pattern(byteCount), forKey: "-1")
    #expect(Self.length(fixture) <= Self.low)
    try fixture.reopen()
    #expect(Self.length(fixture) <= Self.low)
    try Self.expect(held, in: fixture.store)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test(arguments: Way.allCases, [3_000, 15_500, 70_000, 400_000])
  func `A limited store whose values do not fit refuses more until removals make them fit`(
    way: Way, byteCount: Int
  ) throws {
    let fixture = try Self.fixture(.limited(maxBytes: Self.high), way == .rest ? .automatic : .manual)
    let count = try fixture.fill(valueByteCount: byteCount)
    var held: [Int: [UInt8]] = [:]
    for number in 0..<count { held[number] = pattern(byteCount, number) }
    try Self.reopen(fixture, .limited(maxBytes: Self.low))
    try Self.comeDown(fixture, way)
    // What is left of the segment in which the log ends takes a few.
    var refused = 0
    for number in count..<count + 16 {
      do {
        try fixture.store.set(pattern(byteCount, number), forKey: "\(number)")
        held[number] = pattern(byteCount, number)
      } catch let error as SedimentError {
        #expect(error.code == .outOfSpace)
        refused += 1
      }
    }
    #expect(refused >= 8)
    try Self.expect(held, in: fixture.store)
    for number in 0..<count where number % 8 != 0 {
      #expect(try fixture.store.remove(forKey: "\(number)"))
      held[number] = nil
      if way == .rest, number % 64 == 0 { fixture.scheduler.runDue() }
    }
    try Self.comeDown(fixture, way)
    #expect(Self.length(fixture) <= Self.low)
    try fixture.store.set(pattern(byteCount), forKey: "-1")
    held[-1] = pattern(byteCount)
    try fixture.reopen()
    #expect(Self.length(fixture) <= Self.low)
    try Self.expect(held, in: fixture.store)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test(arguments: [3_000, 70_000])
  func `Nothing is stored beyond the cap where there is room before it`(byteCount: Int) throws {
    var (fixture, held) = try Self.sparse(byteCount, oneIn: 8, .manual)
    try fixture.store.compact()
    // Free slots on both sides of the cap, the last one taken.
    let count = try fixture.fill("x", valueByteCount: byteCount)
    for number in 0..<count - 1 { try fixture.store.remove(forKey: "x\(number)") }
    try fixture.store.remove(forKey: "x\(count - 1)")
    try fixture.store.set(pattern(byteCount), forKey: "-2")
    held[-2] = pattern(byteCount)
    try Self.reopen(fixture, .limited(maxBytes: Self.low))
    // The first change wins back what is dead.
    try fixture.store.set(pattern(byteCount, 1), forKey: "-1")
    held[-1] = pattern(byteCount, 1)
    let before = fixture.contents.dropFirst(Int(Self.low))
    for number in -12 ..< -2 {
      try fixture.store.set(pattern(byteCount, number), forKey: "\(number)")
      held[number] = pattern(byteCount, number)
    }
    #expect(same(Array(before), Array(fixture.contents.dropFirst(Int(Self.low)))))
    try Self.expect(held, in: fixture.store)
  }

  // MARK: Changes of mind

  @Test(arguments: [true, false], [3_000, 70_000])
  func `A cap may be lowered twice, and raised again`(evicts: Bool, byteCount: Int) throws {
    func capacity(_ byteCount: UInt64) -> SedimentCapacity {
      evicts ? .evicting(maxBytes: byteCount) : .limited(maxBytes: byteCount)
    }
    var (fixture, held) = try Self.sparse(byteCount, oneIn: 10, .automatic)
    try Self.reopen(fixture, capacity(2 * Self.low))
    // Not yet down to the first.
    fixture.scheduler.runDue()
    try Self.reopen(fixture, capacity(Self.low))
    fixture.scheduler.runDue()
    try Self.reopen(fixture, capacity(Self.high))
    for number in 0..<8 {
      try fixture.store.set(pattern(byteCount, number + 1), forKey: "\(-number - 1)")
      held[-number - 1] = pattern(byteCount, number + 1)
    }
    #expect(Self.length(fixture) <= Self.high)
    if !evicts { try Self.expect(held, in: fixture.store) }
    try Self.reopen(fixture, capacity(2 * Self.low))
    Self.rest(fixture)
    #expect(Self.length(fixture) <= 2 * Self.low)
    try Self.reopen(fixture, capacity(Self.low))
    Self.rest(fixture)
    #expect(Self.length(fixture) <= Self.low)
    if !evicts { try Self.expect(held, in: fixture.store) }
    try Self.reopen(fixture, capacity(Self.high))
    let count = try evicts ? 400 : fixture.fill("more", valueByteCount: byteCount)
    if !evicts {
      #expect(Self.length(fixture) > Self.high * 7 / 8)
      #expect(try fixture.store.count() == held.count + count)
    }
  }

  @Test(arguments: [true, false], [3_000, 70_000])
  func `A store that dies while it comes down goes on with it`(evicts: Bool, byteCount: Int) throws {
    let (fixture, held) = try Self.sparse(byteCount, oneIn: 8, .automatic)
    let capacity: SedimentCapacity = evicts ? .evicting(maxBytes: Self.low) : .limited(maxBytes: Self.low)
    try Self.reopen(fixture, capacity)
    var disk = fixture.disk
    var scheduler = fixture.scheduler
    for stepCount in 1...12 {
      for _ in 0..<stepCount { _ = scheduler.runFirst() }
      disk = disk.afterProcessDeath()
      scheduler = ManualScheduler()
      let store = try SedimentStore(
        path: StoreFixture.path, options: fixture.options, disk: disk, scheduler: scheduler)
      if !evicts { try Self.expect(held, in: store) }
      if stepCount == 12 {
        for _ in 0..<4 {
          disk.advanceClocks(by: .seconds(1))
          scheduler.advance(by: 1_000_000_000)
        }
        #expect(UInt64(disk.byteCount(of: StoreFixture.path)!) <= Self.low)
        if !evicts { try Self.expect(held, in: store) }
        try store.close()
      }
    }
  }

  // MARK: Whatever it holds

  @Test(arguments: Array(0..<UInt64(TestEffort.of(3, long: 200))) + [24, 38, 120])
  func `Whatever a store holds, it comes down to a lower cap`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let evicts = Bool.random(using: &generator)
    let way = Bool.random(using: &generator) ? Way.rest : .compact
    let fixture = try Self.fixture(
      .limited(maxBytes: Self.high), way == .rest ? .automatic : .manual)
    let low = UInt64.random(in: 2 << 20...Self.high, using: &generator)
    let byteCountMax = [300, 3_000, 20_000, 100_000].randomElement(using: &generator)!
    var held: [Int: [UInt8]] = [:]
    var number = 0
    while code({ try fixture.store.set(pattern(number % byteCountMax, number), forKey: "\(number)") }) == nil
    {
      held[number] = pattern(number % byteCountMax, number)
      number += Int.random(in: 1...byteCountMax, using: &generator)
      if number % 32 == 0 { fixture.scheduler.runDue() }
    }
    // A limited store has room for what takes no more than 55 % of its cap less 256 KiB, with the changes that follow.
    let changedByteCount = UInt64(byteCountMax > 8_000 ? 20 * 32_768 : 20 * 3_000)
    let room = low * 55 / 100 - (256 << 10)
    var left = evicts ? UInt64.max : room - min(room, changedByteCount)
    for (key, value) in held.sorted(by: { $0.key < $1.key }).shuffled(using: &generator) {
      let byteCount = UInt64(
        value.count > 8_000 ? (value.count + 16_383) / 16_384 * 16_384 : value.count + 40)
      if left >= byteCount {
        left -= byteCount
      } else {
        try fixture.store.remove(forKey: "\(key)")
        held[key] = nil
      }
    }
    if Bool.random(using: &generator) { fixture.scheduler.runDue() }
    try Self.reopen(fixture, evicts ? .evicting(maxBytes: low) : .limited(maxBytes: low))
    for _ in 0..<Int.random(in: 0...(byteCountMax > 20_000 ? 2 : 20), using: &generator) {
      number += Int.random(in: 1...byteCountMax, using: &generator)
      try fixture.store.set(pattern(number % byteCountMax, number), forKey: "\(number)")
      held[number] = pattern(number % byteCountMax, number)
    }
    try Self.comeDown(fixture, way)
    #expect(Self.length(fixture) <= low)
    if evicts {
      for (number, value) in held {
        let present = try fixture.store.retrieve(forKey: "\(number)")
        #expect(present == nil || same(present, value))
      }
    } else {
      try Self.expect(held, in: fixture.store)
    }
    #expect(fixture.disk.violations.first == nil)
  }
}
