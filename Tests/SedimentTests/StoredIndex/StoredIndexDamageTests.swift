import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Stored indexes that are damaged, mixed, forged or cannot be written.
struct StoredIndexDamageTests {
  private static func store(_ count: Int) throws -> StoreFixture {
    let fixture = try StoreFixture()
    for number in 0..<count { try fixture.store.set("value \(number)", forKey: "key \(number)") }
    #expect(try fixture.store.storeIndex())
    try fixture.store.set("later", forKey: "key 1")
    try fixture.close()
    return fixture
  }

  @Test func `A bit that is wrong anywhere in a part changes nothing but how the index is made`() throws {
    let disk = try Self.store(12).disk
    let file = try disk.openFile(StoreFixture.path, .read)
    let log = try Opening(file, on: disk).recover(.readOnly).log
    let part = try #require(log.catalogue.indexParts.first)
    #expect(part.pageCount == 1)
    let (expected, report) = try BuiltIndex.of(log, file, usingStoredIndex: true)
    #expect(report.storedCount == 12)
    let start = Int(part.segment.run.byteRange.lowerBound)
    // The header is not looked at; behind the words there are zeros.
    for bit in 0..<(SegmentHeader.byteCount + IndexPage.byteCount) * 8 {
      let byte = bit / 8
      guard TestEffort.isLong || byte < SegmentHeader.byteCount + 64 || bit % 11 == 0 else { continue }
      disk.flipBit(bit % 8, ofByte: start + byte, in: StoreFixture.path)
      let (found, report) = try BuiltIndex.of(log, file, usingStoredIndex: true)
      disk.flipBit(bit % 8, ofByte: start + byte, in: StoreFixture.path)
      guard found == expected, report.storedCount == (byte < SegmentHeader.byteCount ? 12 : 0) else {
        Issue.record("bit \(bit): \(report)")
        return
      }
    }
  }

  @Test func `An unreadable part, and one that was cut off, are no error since the log has it all`() throws {
    let fixture = try Self.store(12)
    let part = try #require(try fixture.disk.indexParts().first)
    let range = part.segment.run.byteRange
    fixture.disk.makeUnreadable(range, in: StoreFixture.path)
    try fixture.open()
    #expect(fixture.store.recovery.storedKeyCount == 0)
    #expect(try fixture.store.count() == 12)
    try fixture.close()
    fixture.disk.makeReadable(StoreFixture.path)
    try fixture.open()
    #expect(fixture.store.recovery.storedKeyCount == 12)
    try fixture.close()
    // The part lies at the end of the file.
    fixture.disk.cut(StoreFixture.path, to: Int(range.lowerBound) + 200)
    try fixture.open()
    #expect(fixture.store.recovery.storedKeyCount == 0)
    #expect(try fixture.store.count() == 12)
    // What takes its place counts again.
    #expect(try fixture.store.storeIndex())
    try fixture.reopen()
    #expect(fixture.store.recovery.storedKeyCount == 12)
  }

  @Test func `A part that is said to lie at the end of the largest file costs no memory`() throws {
    var log = try LogBuilder(slotCount: 1)
    try log.open()
    try log.put("key", "value")
    let part = try #require(
      IndexPartEntry(
        partitions: 0..<1, of: 1, pageCount: 1,
        segment: log.newSegment(.index, slot: Limits.fileSlotCountMax - 1), checksum: Checksum(0),
        replayFrom: log.position, generationLimit: Generation(9)!, entryCount: 1,
        keyHash: KeyHash(low: 1, high: 2), build: 1))
    try log.change([.indexPart(part)])
    let disk = log.durable()
    let before = Measures.heapByteCount ?? 0
    let store = try SedimentStore(
      path: LogBuilder.path, options: SedimentOptions(readOnly: true), disk: disk,
      scheduler: ManualScheduler())
    #expect((Measures.heapByteCount ?? 0) - before < 64 << 20)
    #expect(try store.retrieve(forKey: "key", as: String.self) == "value")
    try store.close()
  }

  @Test func `Where there is no room, nothing is stored and nothing is lost`() throws {
    let fixture = try StoreFixture(maxByteCount: 6 * 16_384)
    var count = 0
    while code({ try fixture.store.set([UInt8](repeating: 1, count: 1000), forKey: "\(count)") }) == nil {
      count += 1
    }
    let figures = fixture.store.statistics
    #expect(try fixture.store.storeIndex() == false)
    #expect(fixture.store.statistics == figures)
    try fixture.reopen()
    #expect(fixture.store.recovery.storedKeyCount == 0)
    #expect(try fixture.store.count() == count)
  }

  @Test func `A write that fails while the index is stored gives the slots back and poisons nothing`() throws
  {
    let fixture = try StoreFixture(.unmapped)
    for number in 0..<50 { try fixture.store.set("value", forKey: "key \(number)") }
    #expect(try fixture.store.storeIndex())
    try fixture.store.sync()
    let figures = fixture.store.statistics
    fixture.disk.inject(.error(.inputOutput), only: [.write])
    #expect(try fixture.store.storeIndex() == false)
    fixture.disk.clearFaults()
    #expect(fixture.store.statistics.liveKeyCount == figures.liveKeyCount)
    #expect(fixture.store.statistics.sequence == figures.sequence)
    #expect(fixture.store.statistics.storedIndexByteCount == figures.storedIndexByteCount)
    try fixture.store.set("1", forKey: "more")
    try fixture.reopen()
    #expect(fixture.store.recovery.storedKeyCount == 50)
    #expect(try fixture.store.count() == 51)
  }

  @Test func `Slots of a stored index are used again once its successor is on the disk`() throws {
    let fixture = try StoreFixture()
    for number in 0..<50 { try fixture.store.set("value", forKey: "key \(number)") }
    #expect(try fixture.store.storeIndex())
    let freeByteCount = fixture.store.statistics.freeByteCount
    let first = try #require(fixture.disk.afterProcessDeath().indexParts().first).segment.run
    #expect(try fixture.store.storeIndex())
    // The new one took a slot, which there was unless the file grew; that of the old one is not free yet.
    let waiting = fixture.store.statistics.freeByteCount
    #expect(waiting + 16_384 >= freeByteCount)
    try fixture.store.sync()
    #expect(fixture.store.statistics.freeByteCount == waiting + 16_384)
    // The magic of the header that was freed is gone, so no salvage takes it for a segment.
    #expect(
      fixture.contents[Int(first.byteRange.lowerBound)..<Int(first.byteRange.lowerBound) + 8].allSatisfy {
        $0 == 0
      })
    var byteCounts: Set<UInt64> = []
    for round in 0..<12 {
      #expect(try fixture.store.storeIndex())
      #expect(fixture.store.statistics.storedIndexByteCount == 16_384)
      let slots = try fixture.disk.afterProcessDeath().indexParts().map(\.segment.run.first)
      try fixture.store.set("value", forKey: "key 1", durability: .synced)
      if round > 3 { byteCounts.insert(fixture.store.statistics.fileByteCount) }
      #expect(slots.count == 1)
    }
    #expect(byteCounts.count == 1)
  }

  private let value = [UInt8](repeating: 1, count: 15 << 10)

  /// A store after so many sets of so many keys, whose index is not stored: no time has passed on its disk.
  private func longLog(_ count: Int, ofKeys keyCount: Int) throws -> (disk: SimulatedDisk, StoreFixture) {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 3, fileByteCountMax: 128 << 20))
    let fixture = try StoreFixture(on: disk)
    for number in 0..<count { try fixture.store.set(value, forKey: "\(number % keyCount)") }
    fixture.scheduler.runDue()
    #expect(fixture.store.statistics.storedIndexByteCount == 0)
    return (disk, fixture)
  }

  @Test func `Storing in the background begins when the log has grown and time has passed, and again`() throws
  {
    let (disk, fixture) = try longLog(2_080, ofKeys: 100)
    for number in 0..<240 { try fixture.store.set(value, forKey: "\(number % 30)") }
    // 5 us for each of the 100 keys have to pass.
    for nanoseconds in [0, 499_999] {
      disk.advanceClocks(by: .nanoseconds(nanoseconds))
      fixture.scheduler.advance(by: UInt64(nanoseconds))
      #expect(fixture.store.statistics.storedIndexByteCount == 0)
    }
    disk.advanceClocks(by: .nanoseconds(1))
    fixture.scheduler.advance(by: 1)
    #expect(fixture.store.statistics.storedIndexByteCount == 16_384)
    let unstored = fixture.store.statistics.unstoredLogByteCount
    #expect(unstored < 4 << 20)
    #expect(try disk.afterProcessDeath().expectSameIndex().storedCount == 100)
    for number in 0..<2_320 { try fixture.store.set(value, forKey: "\(number % 120)") }
    disk.advanceClocks(by: .microseconds(600))
    fixture.scheduler.advance(by: 600_000)
    #expect(try disk.afterProcessDeath().expectSameIndex().storedCount == 120)
  }

  @Test func `An opening that scanned much stores the index without waiting`() throws {
    let (disk, fixture) = try longLog(2_400, ofKeys: 2_400)
    defer { withExtendedLifetime(fixture) {} }
    let another = try StoreFixture(on: disk.afterProcessDeath())
    #expect(another.store.recovery.scannedByteCount > 32 << 20)
    for number in 0..<20 { try another.store.set(value, forKey: "\(number)") }
    another.scheduler.runDue()
    #expect(another.store.statistics.storedIndexByteCount > 0)
  }
}
