import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Random histories across openings that leave parts of a stored index, some of which are damaged or cannot be read.
struct StoredIndexFillingHistoryTests {
  @Test func `Whatever is wrong with parts, whoever comes to them, each key is what it was set to`() throws {
    var lateCount = 0
    for seed in 0..<TestEffort.of(20, long: 600) {
      var run = try FillingRun(seed)
      for round in 0..<6 { try run.round("seed \(seed), round \(round)") }
      lateCount += run.lateCount
    }
    #expect(lateCount > 0)
  }
}

/// A store, what its keys should be, and what is wrong with the file.
private struct FillingRun {
  private let fixture: StoreFixture
  private var generator: SeededGenerator
  private var contents: [String: [String: [UInt8]]] = ["": [:], "users": [:], "orders": [:]]
  private var nextValue = 0
  private var isUnreadable = false
  private var flipped: [(bit: Int, byte: Int)] = []
  private var isWritten = false
  /// How often a part turned out to be no good when the store was open.
  private(set) var lateCount = 0

  init(_ seed: Int) throws {
    generator = SeededGenerator(seed: UInt64(seed) &+ 7_000)
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: UInt64(seed), fileByteCountMax: 64 << 20))
    fixture = try StoreFixture(accesses[seed % 3], on: disk)
    fixture.options.storedPartEntryCount = seed % 2 == 0 ? 1 : 28 << 10
    try fixture.reopen()
    for number in 0..<(seed % 2 == 0 ? 500 : 4_000) { try set("key \(number)", in: "") }
  }

  mutating func round(_ comment: String) throws {
    for _ in 0..<100 { try change() }
    #expect(try fixture.store.storeIndex(), "\(comment)")
    for _ in 0..<number(below: 12) { try change() }
    try fixture.close()
    let parts = try fixture.disk.indexParts()
    let isEarly = number(below: 4) == 0
    if isEarly { damage(parts) }
    isWritten = false
    fixture.options.readOnly = number(below: 4) == 0
    do {
      try fixture.open()
    } catch let error as SedimentError where error.code == .inputOutput && isUnreadable {
      fixture.disk.makeReadable(StoreFixture.path)
      isUnreadable = false
      try fixture.open()
    }
    // An opening looks at the first pages itself.
    if !isEarly { damage(parts) }
    for _ in 0..<number(below: 12) { try tolerating { run in try run.use(comment) } }
    if isUnreadable {
      fixture.disk.makeReadable(StoreFixture.path)
      isUnreadable = false
    }
    for _ in 0..<number(below: 6) { try use(comment) }
    if number(below: 3) > 0 { try expectAll(comment) }
    if !fixture.options.readOnly, number(below: 2) == 0 {
      #expect(fixture.store.accountFindings() == [], "\(comment)")
    }
    // Then all of the log was scanned.
    let recovery = fixture.store.recovery
    let unstored = fixture.store.statistics.unstoredLogByteCount
    if recovery.storedKeyCount > 0, unstored > recovery.scannedByteCount + 5_000 { lateCount += 1 }
    fixture.options.readOnly = false
    try fixture.close()
    if !isWritten { mend() }
    flipped = []
    try fixture.disk.expectSameIndex("\(comment)")
    try fixture.open()
    fixture.scheduler.advance(by: 1_000_000_000)
    try expectAll(comment)
    #expect(fixture.store.accountFindings() == [], "\(comment)")
  }

  // MARK: Damage

  private mutating func damage(_ parts: [IndexPartEntry]) {
    for _ in 0..<number(below: 3) {
      guard let part = parts.randomElement(using: &generator) else { return }
      let start = Int(part.segment.run.byteRange.lowerBound) + SegmentHeader.byteCount
      let byte = start + number(below: Int(part.pageCount) * IndexPage.byteCount)
      if number(below: 3) > 0 {
        let bit = number(below: 8)
        flipped.append((bit, byte))
        fixture.disk.flipBit(bit, ofByte: byte, in: StoreFixture.path)
      } else {
        isUnreadable = true
        let sector = UInt64(byte) / 512 * 512
        fixture.disk.makeUnreadable(sector..<sector + 512, in: StoreFixture.path)
      }
    }
  }

  private func mend() {
    for (bit, byte) in flipped { fixture.disk.flipBit(bit, ofByte: byte, in: StoreFixture.path) }
  }

  private mutating func tolerating(_ body: (inout FillingRun) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as SedimentError where error.code == .inputOutput && isUnreadable {
    }
  }

  // MARK: Steps

  private mutating func number(below limit: Int) -> Int {
    Int.random(in: 0..<max(limit, 1), using: &generator)
  }

  private mutating func name() -> String { ["", "", "users", "orders"][number(below: 4)] }

  private mutating func key() -> String { "key \(number(below: number(below: 2) == 0 ? 40 : 700))" }

  private func keys(_ name: String) throws -> SedimentCollection {
    try name.isEmpty ? fixture.store.defaultCollection : fixture.store.collection(name)
  }

  private mutating func set(_ key: String, in name: String, byteCount: Int = 30) throws {
    nextValue += 1
    let value = pattern(byteCount, nextValue)
    let expiry: SedimentExpiry = number(below: 8) == 0 ? .at(milliseconds: 1 << 46) : .never
    try keys(name).set(value, forKey: key, expiry: expiry)
    contents[name]?[key] = value
  }

  private mutating func change() throws {
    let (name, key) = (name(), key())
    switch number(below: 40) {
    case 0:
      if name.isEmpty, number(below: 5) > 0 { return }
      try keys(name).removeAll()
      contents[name] = [:]
    case 1:
      let dropped = name.isEmpty ? "users" : name
      try fixture.store.dropCollection(dropped)
      contents[dropped] = [:]
    case 2: try set(key, in: name, byteCount: 150_000)
    case 3: try set(key, in: name, byteCount: 20_000)
    case 4:
      if number(below: 12) == 0 {
        try fixture.store.removeEverything()
        for name in contents.keys { contents[name] = [:] }
      }
    case 5: try fixture.store.compact()
    case 6:
      nextValue += 1
      let value = pattern(40, nextValue)
      try fixture.store.batch { batch in
        batch.set(value, forKey: key)
        batch.set(value, forKey: "b \(key)")
      }
      contents[""]?[key] = value
      contents[""]?["b \(key)"] = value
    case 7..<16:
      let wasThere = try keys(name).remove(forKey: key)
      #expect(wasThere == (contents[name]?[key] != nil))
      contents[name]?[key] = nil
    default: try set(key, in: name)
    }
    isWritten = true
  }

  private mutating func use(_ comment: String) throws {
    let (name, key) = (name(), key())
    if fixture.options.readOnly, !name.isEmpty { return }
    switch number(below: 14) {
    case 0..<5:
      let value: [UInt8]? = try keys(name).retrieve(forKey: key)
      #expect(value == contents[name]?[key], "\(comment)")
    case 5: #expect(try keys(name).contains(key) == (contents[name]?[key] != nil), "\(comment)")
    case 6: #expect(try keys(name).count() == contents[name]?.count, "\(comment)")
    case 7: fixture.scheduler.advance(by: 20_000_000)
    case 8: #expect(try keys(name).keys().count == contents[name]?.count, "\(comment)")
    case 9...10: if !fixture.options.readOnly { try change() }
    case 11: try expectAll(in: fixture.disk.afterProcessDeath(), StoreFixture.path, comment)
    case 12:
      defer { try? fixture.disk.remove("data/copy") }
      try fixture.store.backup(to: "data/copy")
      try expectAll(in: fixture.disk.afterProcessDeath(), "data/copy", comment)
    default:
      var found: [Int: [UInt8]] = [:]
      try keys(name).withValues(forKeys: [key, "no", "key 3"]) { number, value in
        if let value { found[number] = [UInt8](sedimentBytes: value) }
      }
      #expect(found[0] == contents[name]?[key] && found[2] == contents[name]?["key 3"], "\(comment)")
    }
  }

  private func expectAll(_ comment: String) throws { try expectAll(in: fixture.store, comment) }

  /// Expects the same of what a death or a backup has left.
  private func expectAll(in disk: SimulatedDisk, _ path: String, _ comment: String) throws {
    disk.makeReadable(path)
    let store = try StoreFixture.opened(path, on: disk, readOnly: fixture.options.readOnly)
    try expectAll(in: store, comment)
    try store.close()
  }

  private func expectAll(in store: SedimentStore, _ comment: String) throws {
    for (name, expected) in contents {
      if fixture.options.readOnly, !name.isEmpty { continue }
      let keys = try name.isEmpty ? store.defaultCollection : store.collection(name)
      for (key, value) in expected {
        let found: [UInt8]? = try keys.retrieve(forKey: key)
        if found != value { return _ = Issue.record("\(comment): \(name), \(key)") }
      }
      #expect(try keys.keys().count == expected.count, "\(comment)")
      #expect(try keys.count() == expected.count, "\(comment)")
    }
  }
}
