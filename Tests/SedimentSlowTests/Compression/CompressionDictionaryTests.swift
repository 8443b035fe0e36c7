import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Dictionaries that a store trains itself: their birth, their use, their moving and their end.
@Suite struct CompressionDictionaryTests {
  private static func fixture(_ access: SedimentOptions.Access = .automatic) throws -> StoreFixture {
    try StoreFixture(access, durability: .interval(.seconds(60)), compression: .automatic)
  }

  @Test(arguments: accesses)
  func `A dictionary is trained from what is set, and makes small values several times smaller`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    let trained = try fixture.setUntilTrained()
    #expect(trained > 700 && trained <= 1_400)
    let before = fixture.store.statistics
    #expect(before.dictionaryCount == 1)
    #expect(before.dictionaryByteCount > 8_000 && before.dictionaryByteCount <= 32 << 10)
    for number in trained..<trained + 2_000 {
      try fixture.store.set(Samples.json(number), forKey: "\(number)")
    }
    let after = fixture.store.statistics
    let valueByteCount = after.compression.valueByteCount - before.compression.valueByteCount
    let storedByteCount = after.compression.storedByteCount - before.compression.storedByteCount
    #expect(valueByteCount > 3 * storedByteCount)
    #expect(after.collectionCompression[""] == after.compression)
    #expect(after.collectionCompression.count == 1)
    for _ in 0..<2 {
      try fixture.checkJSON(0..<trained + 2_000)
      try fixture.reopen()
    }
    // What is known is used at once after an opening.
    try fixture.store.set(Samples.json(1), forKey: "another")
    #expect(fixture.store.statistics.compression.ratio > 2)
    #expect(fixture.store.statistics.dictionaryCount == 1)
    #expect(fixture.store.statistics.liveKeyCount == trained + 2_001)
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `Each collection has a dictionary of its own, and none is trained where it does not pay`() throws
  {
    let fixture = try Self.fixture()
    let other = try fixture.store.collection("log")
    let random = try fixture.store.collection("random")
    for number in 0..<3_000 {
      try fixture.store.set(Samples.json(number), forKey: "\(number)")
      try other.set(Samples.record(number), forKey: "\(number)")
      try random.set(pattern(300, number), forKey: "\(number)")
      if number % 50 == 0 { fixture.scheduler.runDue() }
    }
    #expect(fixture.store.statistics.dictionaryCount == 2)
    let figures = fixture.store.statistics.collectionCompression
    #expect(figures["log"]!.ratio > 1.5)
    #expect(figures[""]!.ratio > 1.5)
    #expect(figures["random"]!.compressedCount == 0)
    for number in 0..<3_000 {
      #expect(try same(other.retrieve(forKey: "\(number)"), Samples.record(number)))
    }
    try fixture.checkJSON(0..<3_000)
  }

  @Test func `No value is compressed with a dictionary that is not on the disk`() throws {
    let fixture = try Self.fixture()
    for number in 0..<2_000 where fixture.store.statistics.dictionaryCount == 0 {
      try fixture.store.set(Samples.json(number), forKey: "\(number)")
      // The sync that the birth waits for fails: the store must not go on as if it had not.
      if number == 700 { fixture.disk.inject(.error(.inputOutput), only: [.sync]) }
      if number % 50 == 0 { fixture.scheduler.runDue() }
      if code({ try fixture.store.set("x", forKey: "x") }) != nil { break }
    }
    #expect(fixture.store.statistics.dictionaryCount == 0)
  }

  /// Where a file has the bytes that each dictionary begins with.
  private static func dictionaryOffsets(_ fixture: StoreFixture) -> [Int] {
    let magic: [UInt8] = [0x37, 0xa4, 0x30, 0xec]
    let contents = fixture.contents
    return contents.indices.dropLast(4).filter {
      contents[$0] == magic[0] && contents[$0..<$0 + 4].elementsEqual(magic)
    }
  }

  @Test(arguments: accesses)
  func `When values change their make another dictionary comes, and the old one goes once nothing needs it`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    try fixture.setTwoMakes(recordCount: 6_000)
    try fixture.store.compact()
    // Values that were not moved need the old one still.
    try fixture.checkJSON(0..<1_500)
    try fixture.reopen()
    try fixture.checkJSON(0..<1_500)
    for number in 0..<1_500 { try fixture.store.remove(forKey: "\(number)") }
    try fixture.store.compact()
    try fixture.reopen()
    #expect(fixture.store.statistics.dictionaryCount == 1)
    for number in 0..<6_000 {
      #expect(try same(fixture.store.retrieve(forKey: "record \(number)"), Samples.record(number)))
    }
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `What compaction moves is compressed with the present dictionary`() throws {
    let fixture = try Self.fixture()
    try fixture.close()
    fixture.options.compression = .off
    try fixture.open()
    for number in 0..<6_000 { try fixture.store.set(Samples.json(number), forKey: "\(number)") }
    let plain = fixture.store.statistics.liveByteCount
    try fixture.close()
    fixture.options.compression = .automatic
    try fixture.open()
    try fixture.setUntilTrained(from: 6_000)
    // Holes in all segments.
    for number in 0..<6_000 where number % 3 == 0 { try fixture.store.remove(forKey: "\(number)") }
    try fixture.store.compact()
    #expect(fixture.store.statistics.liveByteCount < plain / 2)
    for _ in 0..<2 {
      try fixture.checkJSON((0..<6_000).filter { $0 % 3 != 0 })
      #expect(try fixture.store.retrieve(forKey: "0") == nil)
      let live = fixture.store.statistics.liveByteCount
      try fixture.reopen()
      #expect(fixture.store.statistics.liveByteCount == live)
    }
  }

  @Test func `Values that are moved are samples, too`() throws {
    let fixture = try Self.fixture()
    try fixture.close()
    fixture.options.compression = .off
    try fixture.open()
    for number in 0..<3_000 { try fixture.store.set(Samples.json(number), forKey: "\(number)") }
    try fixture.close()
    fixture.options.compression = .automatic
    try fixture.open()
    for number in 0..<3_000 where number % 3 == 0 { try fixture.store.remove(forKey: "\(number)") }
    try fixture.store.compact()
    fixture.scheduler.advance(by: 1_000_000_000)
    #expect(fixture.store.statistics.dictionaryCount == 1)
    #expect(fixture.store.statistics.compression.valueCount == 0)
  }

  @Test(arguments: accesses)
  func `A dictionary outlives the clearing of everything, and serves what comes then`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    let trained = try fixture.setUntilTrained()
    try fixture.store.set(Samples.json(1), forKey: "1")
    try fixture.store.removeAll()
    #expect(try fixture.store.count() == 0)
    try fixture.store.removeEverything()
    #expect(fixture.store.statistics.liveKeyCount == 0)
    for number in 0..<trained { try fixture.store.set(Samples.json(number), forKey: "\(number)") }
    #expect(fixture.store.statistics.dictionaryCount == 1)
    try fixture.store.compact()
    for _ in 0..<2 {
      try fixture.checkJSON(0..<trained)
      #expect(fixture.store.statistics.liveKeyCount == trained)
      #expect(fixture.store.statistics.dictionaryCount == 1)
      try fixture.reopen()
    }
  }

  @Test func `Where a dictionary cannot be read everything stays, rather than to lose what needs it`() throws
  {
    let fixture = try Self.fixture(.unmapped)
    let trained = try fixture.setUntilTrained()
    try fixture.store.set(Samples.json(trained), forKey: "\(trained)")
    fixture.disk.inject(.error(.inputOutput), only: [.read])
    #expect(code { try fixture.store.removeEverything() } == .inputOutput)
    fixture.disk.clearFaults()
    try fixture.checkJSON(0...trained)
    for number in 0..<2_000 { try fixture.store.set(Samples.json(number), forKey: "\(number)") }
    for number in 0..<2_000 where number % 3 == 0 { try fixture.store.remove(forKey: "\(number)") }
    try fixture.store.compact()
    try fixture.reopen()
    #expect(fixture.store.statistics.lostDictionaryCount == 0)
    try fixture.checkJSON((0..<2_000).filter { $0 % 3 != 0 })
  }

  @Test(arguments: accesses)
  func `A dictionary stays while a record cannot be read that may need it`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    try fixture.setTwoMakes(recordCount: 6_000)
    for number in 0..<1_500 where number != 7 { try fixture.store.remove(forKey: "\(number)") }
    try fixture.close()
    let bytes = try #require(fixture.disk.contents(of: StoreFixture.path))
    let records = try FileInspection.inspect(path: StoreFixture.path, on: fixture.disk).segments
      .flatMap(\.records)
    let record = try #require(
      records.last { record in
        let key = record.header.keyRange
        let start = Int(record.offset.byteOffset)
        return bytes[start + key.lowerBound..<start + key.upperBound].elementsEqual("7".utf8)
      })
    let place = Int(record.offset.byteOffset)
    try fixture.open()
    fixture.disk.overwrite(Array(repeating: 0xFF, count: 16), at: place, in: StoreFixture.path)
    #expect(code { try fixture.store.compact() } == .damaged)
    // It tells of the segment once.
    try fixture.store.compact()
    fixture.disk.overwrite(Array(bytes[place..<place + 16]), at: place, in: StoreFixture.path)
    #expect(fixture.store.statistics.dictionaryCount == 2)
    try fixture.checkJSON(7..<8)
  }

  @Test(arguments: accesses)
  func `An evicting store leaves out values, and takes dictionaries along to other segments`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try Self.fixture(access)
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: 1 << 20)
    try fixture.open()
    for number in 0..<20_000 {
      try fixture.store.set(Samples.json(number), forKey: "\(number)")
      if number % 64 == 0 { fixture.scheduler.runDue() }
    }
    // The oldest segments went first, those with dictionaries among them.
    #expect(fixture.store.statistics.movedByteCount > 10_000)
    let held = try fixture.store.count()
    #expect(held > 3_000)
    #expect(fixture.store.statistics.evictedKeyCount == UInt64(20_000 - held))
    #expect(fixture.store.statistics.fileByteCount <= 1 << 20)
    try fixture.checkJSON(20_000 - 1_000..<20_000)
    try fixture.reopen()
    #expect(fixture.store.statistics.dictionaryCount >= 1)
    #expect(fixture.store.statistics.lostDictionaryCount == 0)
    try fixture.checkJSON(20_000 - 1_000..<20_000)
  }

  @Test(arguments: accesses, [true, false])
  func `A lost dictionary costs the values that need it, and nothing else`(
    access: SedimentOptions.Access, storesIndex: Bool
  ) throws {
    let fixture = try Self.fixture(access)
    try fixture.close()
    fixture.options.storesIndex = storesIndex
    try fixture.open()
    let trained = try fixture.setUntilTrained()
    for number in 0..<50 { try fixture.store.set(Samples.json(number), forKey: "packed \(number)") }
    for number in 0..<50 { try fixture.store.set(pattern(100, number), forKey: "plain \(number)") }
    // So many that the index is stored if it may be, and the opening does not go through all records.
    for number in 0..<8_000 { try fixture.store.set(pattern(200, number), forKey: "random \(number)") }
    try fixture.close()
    let offset = try #require(Self.dictionaryOffsets(fixture).first)
    fixture.disk.flipBit(3, ofByte: offset + 900, in: StoreFixture.path)
    try fixture.open()
    #expect(fixture.store.statistics.lostDictionaryCount == 1)
    #expect(fixture.store.statistics.dictionaryCount == 0)
    for number in 0..<50 {
      #expect(try same(fixture.store.retrieve(forKey: "plain \(number)"), pattern(100, number)))
      #expect(code { _ = try fixture.store.retrieve(forKey: "packed \(number)") } == .damaged)
      #expect(code { try fixture.store.withValue(forKey: "packed \(number)") { _ in } } == .damaged)
    }
    // Those were set before there was a dictionary.
    try fixture.checkJSON(0..<300)
    #expect(try fixture.store.contains("packed 7"))
    try fixture.store.set(Samples.json(7), forKey: "packed 7")
    #expect(try same(fixture.store.retrieve(forKey: "packed 7"), Samples.json(7)))
    // A new one gets another number.
    try fixture.setUntilTrained(from: 10_000)
    try fixture.checkJSON(10_000..<10_100)
    #expect(trained > 300)
    // What is damaged stays where it is; neither the other segments nor another opening mind.
    for number in 0..<8_000 where number % 3 != 0 { try fixture.store.remove(forKey: "random \(number)") }
    #expect(code { try fixture.store.compact() } == .damaged)
    try fixture.store.compact()
    #expect(fixture.store.statistics.deadByteCount < 400_000)
    try fixture.reopen()
    for number in stride(from: 0, to: 8_000, by: 3) {
      #expect(try same(fixture.store.retrieve(forKey: "random \(number)"), pattern(200, number)))
    }
    try fixture.checkJSON(10_000..<10_100)
    #expect(code { _ = try fixture.store.retrieve(forKey: "packed 8") } == .damaged)
  }

  /// Where the record of the only dictionary lies, by the catalogue.
  private static func dictionaryRecord(_ fixture: StoreFixture) throws -> Range<Int> {
    let file = try fixture.disk.openFile(StoreFixture.path, .read)
    defer { try? file.close() }
    let catalogue = try Opening(file, on: fixture.disk).recover(.readOnly).log.catalogue
    #expect(catalogue.dictionaries.count == 1)
    let start = Int(try #require(catalogue.dictionaries.values.first).offset.byteOffset)
    let contents = fixture.contents
    let valueByteCount = (5..<8).reversed().reduce(0) { $0 << 8 | Int(contents[start + $1]) }
    // Behind the fixed fields, the collection and the key the dictionary begins with its magic.
    #expect(contents[start + 24..<start + 28].elementsEqual([0x37, 0xa4, 0x30, 0xec]))
    return start..<start + (24 + valueByteCount + 7) / 8 * 8
  }

  @Test func `However the head of a moved dictionary is damaged, no record behind it is lost unseen`() throws
  {
    let fixture = try Self.fixture()
    try fixture.close()
    fixture.options.storesIndex = false
    try fixture.open()
    // So much lives that a segment of survivors has room behind a dictionary.
    for number in 0..<470 { try fixture.store.set(pattern(20_000, number), forKey: "large \(number)") }
    let trained = try fixture.setUntilTrained()
    // Records of 64 bytes, so that a longer length often ends where one of them begins.
    for number in 1_000..<3_000 { try fixture.store.set(pattern(40, number), forKey: "key \(number)") }
    for number in 0..<trained { try fixture.store.remove(forKey: "\(number)") }
    let before = fixture.store.statistics.movedByteCount
    try fixture.store.compact()
    #expect(fixture.store.statistics.movedByteCount > before + 32 << 10)
    let count = try fixture.store.count()
    try fixture.close()
    let record = try Self.dictionaryRecord(fixture)
    let contents = fixture.contents
    #expect(contents[record.upperBound + 16..<record.upperBound + 20].elementsEqual("key ".utf8))
    var openedCount = 0
    for bit in 0..<24 * 8 {
      fixture.disk.flipBit(bit % 8, ofByte: record.lowerBound + bit / 8, in: StoreFixture.path)
      do {
        let store = try fixture.another { $0.readOnly = true }
        openedCount += 1
        #expect(try store.count() == count, "bit \(bit)")
        #expect(store.statistics.lostDictionaryCount == 1, "bit \(bit)")
        try store.close()
      } catch let error as SedimentError {
        #expect(error.code == .damaged, "bit \(bit)")
      }
      fixture.disk.flipBit(bit % 8, ofByte: record.lowerBound + bit / 8, in: StoreFixture.path)
    }
    // Checksum, collection, sequence and key say nothing of where the record ends.
    #expect(openedCount >= (4 + 4 + 6 + 4) * 8)
  }

  @Test func `Backups and salvage have what dictionaries are needed for, and verifying finds lost ones`()
    throws
  {
    let fixture = try Self.fixture()
    let trained = try fixture.setUntilTrained()
    for number in trained..<trained + 500 { try fixture.store.set(Samples.json(number), forKey: "\(number)") }
    try fixture.store.set(Samples.text(500_000), forKey: "large")
    try fixture.store.backup(to: "data/backup")
    try fixture.close()
    _ = try SedimentStore.salvage(from: StoreFixture.path, to: "data/saved", on: fixture.disk)
    for path in ["data/backup", "data/saved"] {
      let store = try StoreFixture.opened(path, on: fixture.disk)
      #expect(try store.count() == trained + 501)
      for number in 0..<trained + 500 {
        #expect(try same(store.retrieve(forKey: "\(number)"), Samples.json(number)))
      }
      #expect(try same(store.retrieve(forKey: "large"), Samples.text(500_000)))
      try store.close()
      #expect(try SedimentStore.verify(path: path, on: fixture.disk).findings == [])
    }
    #expect(try SedimentStore.verify(path: StoreFixture.path, on: fixture.disk).findings == [])
    let offset = try #require(Self.dictionaryOffsets(fixture).first)
    fixture.disk.flipBit(3, ofByte: offset + 900, in: StoreFixture.path)
    let report = try SedimentStore.verify(path: StoreFixture.path, on: fixture.disk)
    #expect(report.findings.contains { $0.message.contains("Dictionary 1") && $0.kind == .inconsistent })
    try fixture.disk.remove("data/saved")
    let salvage = try SedimentStore.salvage(from: StoreFixture.path, to: "data/saved", on: fixture.disk)
    // The damaged record held the dictionary and no value of a user.
    #expect(salvage.lostValueCount == 500)
    #expect(salvage.keyCount == UInt64(trained + 1))
  }

  @Test func `A collection that was dropped takes its dictionary with it, whoever has a handle of it still`()
    throws
  {
    let fixture = try Self.fixture()
    let users = try fixture.store.collection("users")
    for number in 0..<3_000 {
      try users.set(Samples.json(number), forKey: "\(number)")
      if number % 50 == 0 { fixture.scheduler.runDue() }
    }
    #expect(fixture.store.statistics.dictionaryCount == 1)
    #expect(try fixture.store.dropCollection("users"))
    fixture.scheduler.advance(by: 1_000_000_000)
    try fixture.store.compact()
    #expect(fixture.store.statistics.dictionaryCount == 0)
    #expect(code { try users.set(Samples.json(1), forKey: "1") } == .collectionDropped)
    #expect(code { _ = try users.retrieve(forKey: "1") } == .collectionDropped)
    try fixture.reopen()
    #expect(fixture.store.statistics.dictionaryCount == 0)
    #expect(fixture.store.statistics.liveKeyCount == 0)
  }

  @Test func `Without the trial of incompressible values automatic costs hardly anything`() throws {
    let fixture = try Self.fixture()
    for number in 0..<20_000 { try fixture.store.set(pattern(400, number), forKey: "\(number % 500)") }
    // Each compression that is tried is counted by its result: none was stored.
    #expect(fixture.store.statistics.compression.compressedCount == 0)
    try fixture.store.set(Samples.text(400), forKey: "text")
    for number in 0..<1_600 { try fixture.store.set(Samples.text(400, number), forKey: "text \(number)") }
    // One of 1,024 was tried, which is enough to see that these are of another kind.
    #expect(fixture.store.statistics.compression.compressedCount > 500)
  }
}
