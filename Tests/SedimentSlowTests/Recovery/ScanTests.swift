import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Keeps what a scan shows.
struct KeepingVisitor: RecordVisitor {
  var lines: [String] = []

  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError) {
    for number in 0..<records.count {
      let record = unsafe records[number]
      let key = unsafe RawSpan(_unsafeStart: record.keyStart, byteCount: Int(record.keyByteCount))
      lines.append(
        "\(record.kind) \(record.sequence) \(String(decoding: key.array(0..<key.byteCount), as: UTF8.self)) "
          + "\(record.valueByteCount) c\(record.collection) x\(record.expiry)")
    }
  }
}

/// Scanning segments and building the index from them.
@Suite struct ScanTests {
  private func openStore(slotCount: UInt32 = 2, fileSlotCount: Int = 16) throws -> LogBuilder {
    var log = try LogBuilder(slotCount: slotCount, fileSlotCount: fileSlotCount)
    try log.open()
    return log
  }

  /// Scans a segment, that of the log's end unless told otherwise.
  private func scan(
    _ log: LogBuilder, _ segment: SegmentEntry? = nil, on disk: SimulatedDisk? = nil,
    passing dictionaries: Set<UInt64> = []
  ) throws -> (SegmentScan.Totals, [String]) {
    let file = try (disk ?? log.disk).openFile(LogBuilder.path, .read)
    var visitor = KeepingVisitor()
    let entry = try #require(segment ?? log.catalogue.segments[log.segment.generation])
    let scan = SegmentScan(
      entry, upTo: entry.end ?? log.offset, of: file, log.identity, passing: dictionaries)
    return (try scan.run(ScanBuffer(), &visitor), visitor.lines)
  }

  @Test func `Every record that is no control record is shown, whatever its shape`() throws {
    var log = try openStore()
    try log.put("a", "12345")
    try log.put("", "")
    try log.put("with", "c", collection: 7)
    try log.put("expiring", "xy", expiry: 99)
    try log.remove("a")
    try log.putBatch([("in", "batch")])
    try log.putLarge("big", pieces: [(6, [1])])
    let (totals, lines) = try scan(log)
    #expect(
      lines == [
        "put 2 a 5 c0 x0", "put 3  0 c0 x0", "put 4 with 1 c7 x0", "put 5 expiring 2 c0 x99",
        "remove 6 a 0 c0 x0", "put 7 in 5 c0 x0", "putLarge 9 big 56 c0 x0",
      ])
    #expect(totals.recordCount == 9)
    #expect(totals.byteCount == UInt64(log.records.reduce(0) { $0 + $1.byteCount }))
  }

  @Test func `Pieces of the file end anywhere, also within records longer than a piece`() throws {
    var log = try openStore(slotCount: 400, fileSlotCount: 420)
    var expected: [String] = []
    for (number, length) in [3, 70_000, 300_000, 20, 1_500_000, 8, 65_536, 262_144, 262_120].enumerated() {
      try log.put("k\(number)", String(repeating: "v", count: length))
      expected.append("put \(log.sequence) k\(number) \(length) c0 x0")
    }
    for number in 0..<3000 {
      try log.put("n\(number)", String(repeating: "w", count: number % 300))
      expected.append("put \(log.sequence) n\(number) \(number % 300) c0 x0")
    }
    #expect(try scan(log).1 == expected)
  }

  @Test func `A bit turned around anywhere is an error that says where its record begins`() throws {
    var log = try openStore()
    try log.put("a", "12345")
    try log.put("c", "1", collection: 5)
    try log.remove("a")
    for record in log.records {
      for byte in record.byteRange {
        let disk = log.durable()
        disk.flipBit(byte % 8, ofByte: byte, in: LogBuilder.path)
        let error = #expect(throws: SedimentError.self, "byte \(byte)") { try scan(log, on: disk) }
        #expect(error?.code == .damaged && error?.offset == record.start.offset.byteOffset, "byte \(byte)")
      }
    }
  }

  @Test(arguments: [SegmentKind.hot, .survivors], [1, 2, 3, 4, 7, 8])
  func `A damaged dictionary is passed over only if all records behind it are there`(
    kind: SegmentKind, count: Int
  ) throws {
    // All records take 64 bytes, so a length with another bit may end where one of them begins, or the last ends.
    var log = try openStore()
    let value = String(repeating: "v", count: 40)
    var segment: SegmentEntry?
    if kind == .hot {
      try log.roll(slot: 6)
      for number in 0...count { try log.put("key\(number)", value, collection: 7) }
    } else {
      segment = try log.survivors(
        slot: 6, floor: 40, collection: 7, (0...count).map { (30 + UInt64($0), "key\($0)", value) })
    }
    let first = log.segment.recordRange.lowerBound.byteOffset
    let start = segment?.identity.recordRange.lowerBound.byteOffset ?? first
    let whole = try scan(log, segment).1
    #expect(whole.count == count + 1)
    for bit in 0..<64 * 8 {
      let disk = log.durable()
      disk.flipBit(bit % 8, ofByte: Int(start) + bit / 8, in: LogBuilder.path)
      do {
        let found = try scan(log, segment, on: disk, passing: [start])
        #expect(found.0.recordCount == UInt64(count + 1) && found.1 == Array(whole.dropFirst()), "bit \(bit)")
      } catch let error as SedimentError {
        // Only its kind and its lengths tell where it ends.
        #expect((4..<10).contains(bit / 8) && error.code == .damaged, "bit \(bit)")
      }
    }
  }

  @Test func `A file that ends early, or cannot be read, is an error`() throws {
    var log = try openStore()
    try log.put("a", "12345")
    let short = log.durable()
    short.cut(LogBuilder.path, to: Int(log.offset.byteOffset) - 8)
    #expect(throws: SedimentError.self) { try scan(log, on: short) }
    let bad = log.durable()
    bad.makeUnreadable(33_000..<33_001, in: LogBuilder.path)
    let error = #expect(throws: SedimentError.self) { try scan(log, on: bad) }
    #expect(error?.code == .inputOutput)
  }

  // MARK: The index

  /// The index of a recovered store as a table, and what else building it found out.
  private func build(_ disk: SimulatedDisk) throws -> (table: [String: UInt64], result: IndexBuildResult) {
    let log = try recover(disk, .readOnly).log
    let file = try disk.openFile(LogBuilder.path, .read)
    let index = HashIndex(keyHash: KeyHash(low: 1, high: 2)) { $0.free() }
    let length = try file.byteCount()
    let result = try IndexBuild(log, of: file).run(into: index, RecordSource(file, byteCount: length))
    let bytes = disk.contents(of: LogBuilder.path)!
    let mapped = HashIndex(keyHash: KeyHash(low: 3, high: 4)) { $0.free() }
    let again = try unsafe bytes.withUnsafeBytes { buffer in
      try unsafe IndexBuild(log, of: file).run(
        into: mapped,
        RecordSource(
          file, byteCount: length, mapped: buffer.baseAddress!, mappedByteCount: length))
    }
    #expect(again.segments == result.segments && again.collections == result.collections)
    #expect(positions(mapped) == positions(index))
    var table: [String: UInt64] = [:]
    for position in positions(index) {
      let entry = try #require(
        log.catalogue.segments.first { $0.identity.run.unitRange.contains(UnitOffset(position)!) })
      let place = RecordPlace(
        seed: entry.identity.seed(in: log.head.leading.identity), base: entry.base,
        offset: UnitOffset(position)!)
      let record = unsafe bytes.span.bytes.extracting(Int(position) * 8..<bytes.count)
      let header = try RecordHeader.decode(record, at: place)
      let key = String(decoding: record.array(header.keyRange), as: UTF8.self)
      #expect(table["\(header.collection)/\(key)"] == nil)
      table["\(header.collection)/\(key)"] = header.sequence.rawValue
    }
    return (table, result)
  }

  private func positions(_ index: HashIndex) -> Set<UInt64> {
    var entries: [IndexEntry] = []
    var prefix: UInt64? = 0
    while let next = prefix { prefix = index.view.copyEntries(from: next, into: &entries) }
    return Set(entries.map(\.position))
  }

  @Test func `The newest record of each key is in the index, and what lives is counted`() throws {
    var log = try openStore()
    try log.put("a", "1")
    try log.put("b", "2", expiry: 50)
    try log.put("a", "3")
    try log.remove("b")
    try log.put("c", "4", expiry: 60)
    let first = log.segment.generation
    try log.roll(slot: 6)
    try log.put("c", "5")
    try log.put("d", "6", expiry: 70)
    try log.remove("e")
    let (table, result) = try build(log.disk)
    #expect(table == ["0/a": 4, "0/c": 8, "0/d": 9])
    #expect(result.live(in: first) == live(1, 24))
    #expect(result.live(in: log.segment.generation) == live(2, 48))
    #expect(result.collections.count == 1)
    #expect(result.collections[0]?.count == 3 && result.collections[0]?.expiringCount == 1)
  }

  private func live(_ count: Int, _ bytes: UInt64) -> IndexBuildResult.Live? {
    IndexBuildResult.Live(recordCount: UInt32(count), byteCount: bytes)
  }

  @Test func `Survivors count by their sequences, and a tombstone wins against its equal`() throws {
    var log = try openStore()
    try log.put("a", "old")
    try log.put("b", "2")
    let survivors = try log.survivors(
      slot: 6, floor: 40,
      [(30, "a", "new"), (2, "b", "older"), (31, "gone", nil), (20, "gone", "x"), (20, "e", "y")])
    let others = try log.survivors(slot: 7, floor: 40, [(20, "e", nil), (31, "gone", "put"), (29, "a", "x")])
    try log.change([.segment(survivors), .segment(others)])
    let (table, result) = try build(log.disk)
    #expect(table == ["0/a": 30, "0/b": 3])
    #expect(result.live(in: survivors.identity.generation)?.recordCount == 1)
    #expect(result.live(in: others.identity.generation)?.recordCount == 0)
    #expect(result.collections[0]?.count == 2)
  }

  @Test func `Records of collections that were dropped or cleared are not there`() throws {
    var log = try openStore()
    for (number, name) in [(1, "x"), (2, "y"), (3, "z")] as [(UInt32, String)] {
      try log.change([
        .collection(
          CollectionEntry(
            number: number, clearedAt: SequenceNumber(log.sequence + 1)!, name: Array(name.utf8))!)
      ])
      try log.put("k", "1", collection: number)
    }
    try log.change([.collectionDropped(number: 1)])
    try log.change([.collectionCleared(number: 2)])
    try log.put("l", "2", collection: 2)
    try log.put("k", "3", collection: 9)
    let last = log.sequence - 1
    let (table, result) = try build(log.disk)
    #expect(table == ["2/l": last, "3/k": 7])
    #expect(result.collections.keys.sorted() == [2, 3])
  }

  @Test func `Thousands of keys, many times over, are all found again`() throws {
    var log = try openStore(slotCount: 60, fileSlotCount: 200)
    var model: [String: UInt64] = [:]
    var generator = SeededGenerator(seed: 4)
    for round in 0..<6000 {
      if round % 2000 == 1999 { try log.roll(slot: 70 + UInt32(round / 2000) * 40, count: 40) }
      let key = "key\(Int.random(in: 0..<1500, using: &generator))"
      if Int.random(in: 0..<4, using: &generator) == 0 {
        try log.remove(key)
        model["0/\(key)"] = nil
      } else {
        try log.put(key, String(repeating: "v", count: round % 50))
        model["0/\(key)"] = log.sequence
      }
    }
    let (table, result) = try build(log.disk)
    #expect(table == model)
    #expect(result.collections[0]?.count == UInt64(model.count))
    #expect(result.segments.reduce(0) { $0 + Int($1.live.recordCount) } == model.count)
  }
}
