import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// A store on a disk that others keep full, which is closed and opened again there.
///
/// Its file has holes: slots whose blocks went back to the file system, which has given them to others since.
struct StoreFullDiskTests {
  /// Where the holes of the file lie.
  enum Holes: CaseIterable {
    case beforeFreeSlots, behindFreeSlots
  }

  /// What is stored.
  enum Values: CaseIterable {
    case small, middling, large, expiring

    var byteCount: Int {
      switch self {
      case .small, .expiring: 300
      case .middling: 3_000
      case .large: 40_000
      }
    }

    var count: Int { 6_000_000 / (byteCount + 50) }
  }

  /// A store and what is known of it.
  private struct Crowded {
    let fixture: StoreFixture
    let values: Values
    var held: Set<Int> = []

    func set(_ number: Int) throws {
      let expiry = values == .expiring && number % 2 == 0 ? SedimentExpiry.after(.seconds(3_600)) : .never
      try fixture.store.set(pattern(values.byteCount, number), forKey: "\(number)", expiry: expiry)
    }

    /// Lets others take all that the disk has left, and the store all that it may still take.
    mutating func fill(from first: Int) throws {
      crowd()
      var number = first
      while true {
        let refusal = code { try set(number) }
        if let refusal { return try #require(refusal == .outOfSpace) }
        held.insert(number)
        number += 1
      }
    }

    /// Lets others take all that the disk has left.
    func crowd() { fixture.disk.capacity = fixture.disk.usedByteCount }

    mutating func remove(_ number: Int) throws {
      try fixture.store.remove(forKey: "\(number)")
      held.remove(number)
      crowd()
    }

    func check() throws {
      #expect(try fixture.store.count() == held.count)
      for number in held.sorted() where number % 7 == 0 {
        #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(values.byteCount, number)))
      }
      #expect(fixture.store.accountFindings() == [])
      #expect(fixture.disk.violations.first == nil)
    }
  }

  /// A store that was opened again on a full disk, with holes in its file, which may grow no longer if it is capped.
  private static func reopened(_ values: Values, _ holes: Holes, isCapped: Bool) throws -> Crowded {
    var crowded = Crowded(fixture: try StoreFixture(), values: values)
    let (fixture, part) = (crowded.fixture, values.count / 16)
    for number in 0..<16 * part { try crowded.set(number) }
    crowded.held = Set(0..<16 * part)
    // What dies first becomes holes, as soon as nobody writes; what dies then keeps its blocks.
    let isFirst = holes == .beforeFreeSlots
    for number in isFirst ? part..<9 * part : 7 * part..<15 * part { try crowded.remove(number) }
    fixture.disk.capacity = nil
    fixture.scheduler.advance(by: 2_000_000_000)
    try #require(fixture.store.statistics.holeByteCount > 500_000)
    try crowded.fill(from: 16 * part)
    for number in isFirst ? 10 * part..<15 * part : part..<6 * part { try crowded.remove(number) }
    try crowded.fill(from: 32 * part)
    let end = fixture.store.statistics.fileByteCount
    try fixture.close()
    crowded.crowd()
    if isCapped { fixture.options.capacity = .limited(maxBytes: end) }
    try fixture.open()
    crowded.crowd()
    try #require(fixture.store.statistics.holeByteCount > 500_000)
    try crowded.check()
    return crowded
  }

  /// Expects that all is well once there is room.
  private static func end(_ crowded: Crowded) throws {
    let fixture = crowded.fixture
    #expect(fixture.store.accountFindings() == [])
    fixture.disk.capacity = nil
    try fixture.store.compact()
    #expect(fixture.store.statistics.fileByteCount < 300_000)
    for number in 0..<100 { try crowded.set(number) }
    try fixture.reopen()
    #expect(try fixture.store.count() == 100)
    #expect(fixture.store.accountFindings() == [])
    #expect(fixture.disk.violations.first == nil)
  }

  @Test(arguments: Values.allCases, Holes.allCases)
  func `Keys are removed one by one where the disk is full and the file has holes`(
    values: Values, holes: Holes
  ) throws {
    for isCapped in [false, true] {
      var crowded = try Self.reopened(values, holes, isCapped: isCapped)
      var generator = SeededGenerator(seed: 1)
      for number in crowded.held.sorted().shuffled(using: &generator) {
        try #require(code { try crowded.remove(number) } == nil, "\(number), \(crowded.held.count) left")
        if crowded.held.count % 1_000 == 0 { try crowded.check() }
      }
      try Self.end(crowded)
    }
  }

  @Test(arguments: Values.allCases, Holes.allCases)
  func `Everything is removed where the disk is full and the file has holes`(
    values: Values, holes: Holes
  ) throws {
    for isCapped in [false, true] {
      let crowded = try Self.reopened(values, holes, isCapped: isCapped)
      try crowded.fixture.store.removeEverything()
      crowded.crowd()
      try Self.end(crowded)
    }
  }

  @Test(arguments: Values.allCases, Holes.allCases)
  func `What is removed where the disk is full and the file has holes makes room for as much`(
    values: Values, holes: Holes
  ) throws {
    for isCapped in [false, true] {
      var crowded = try Self.reopened(values, holes, isCapped: isCapped)
      let removed = crowded.held.sorted().prefix(crowded.held.count / 4)
      for number in removed { try crowded.remove(number) }
      for number in 10 * values.count..<10 * values.count + removed.count / 2 {
        try #require(code { try crowded.set(number) } == nil, "\(number) behind \(removed.count)")
        crowded.held.insert(number)
      }
      try crowded.check()
    }
  }
}
