import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Parts made by hand from a log of known records: which of them count together, and what of them is believed.
struct StoredIndexPartTests {
  /// What of the parts is not as a writer would make it.
  private struct Forgery {
    var partitions: (Int) -> Range<UInt32> = { UInt32($0 * 64)..<UInt32($0 * 64 + 64) }
    var partitionTotal: UInt32 = 256
    /// By how many bits the partitions were split, and what a part says of that.
    var splitBitCount: UInt32 = 0
    var saidSplitBitCount: (Int, UInt32) -> UInt32 = { $1 }
    var build: (Int) -> UInt64 = { _ in 5 }
    var keyHash: (Int) -> KeyHash = { _ in StoredIndexPartTests.keyHash }
    var hashVersion: (Int) -> UInt32 = { _ in KeyHash.version }
    var replayFrom: (Int, LogPosition) -> LogPosition = { $1 }
    var generationLimit: (Int, Generation) -> Generation = { $1 }
    var sequence: (Int, UInt64) -> UInt64 = { $1 }
    var account: (IndexAccount) -> IndexAccount = { $0 }
    /// Which part has the accounts.
    var accountedPart = 3
    var entry: (UInt64) -> UInt64 = { $0 }
    /// Changes all words of a part before they are sealed.
    var words: (inout [UInt64]) -> Void = { _ in }
    var partCount = 4
    var isClosed = false
  }

  private static let keyHash = KeyHash(low: 8, high: 9)

  /// A log of keys in two segments, of which some were set again, with parts for what it holds so far, and a few
  /// records behind.
  private static func disk(_ forgery: Forgery = Forgery()) throws -> SimulatedDisk {
    var builder = try LogBuilder(fileSlotCount: 24)
    try builder.open()
    for number in 0..<200 { try builder.put("key \(number)", "first") }
    try builder.roll(slot: 5, count: 2)
    for number in 0..<150 { try builder.put("key \(number * 2)", "second") }
    let moment = builder.position
    let sequence = builder.sequence
    // The entries, as an index of that seed holds them.
    var last: [String: LogBuilder.Record] = [:]
    for record in builder.records {
      if let line = record.line { last[String(line.prefix { $0 != "=" })] = record }
    }
    let index = HashIndex(keyHash: keyHash) { $0.free() }
    for (key, record) in last {
      let hash = unsafe index.view.hash(Array(key.utf8).span.bytes)
      index.insert(hash, position: record.start.offset.rawValue, WritePermit())
    }
    let limit = builder.newSegment(.extent, slot: 15).generation
    var change: [CatalogueEntry] = []
    for number in 0..<forgery.partCount {
      let partitions = forgery.partitions(number)
      let part = try part(
        of: index, partitions, last.values.map { $0 }, &builder, slot: UInt32(8 + number), number, forgery,
        moment, sequence, limit)
      change.append(.indexPart(part))
    }
    try builder.change(change)
    try builder.put("key 3", "third")
    try builder.remove("key 4")
    try builder.put("new", "third")
    if forgery.isClosed { try builder.close() } else { try builder.sync() }
    return builder.durable()
  }

  private static func part(
    of index: HashIndex, _ partitions: Range<UInt32>, _ records: [LogBuilder.Record],
    _ builder: inout LogBuilder, slot: UInt32, _ number: Int, _ forgery: Forgery, _ moment: LogPosition,
    _ sequence: UInt64, _ limit: Generation
  ) throws -> IndexPartEntry {
    var entries: [UInt64] = []
    var entryCounts: [UInt32] = []
    for partition in partitions {
      var copied: [IndexEntry] = []
      let base = (partition >> forgery.splitBitCount) % 256
      _ = index.view.copyEntries(from: UInt64(base) << 56, into: &copied)
      let some = copied.map(\.rawValue).filter { raw in
        let bits = UInt32((raw << 1) >> 32) >> (32 - forgery.splitBitCount)
        return bits == partition & (1 << forgery.splitBitCount - 1)
      }
      entries += some
      entryCounts.append(UInt32(some.count))
    }
    var accounts: [IndexAccount] = []
    for generation in [1, 2] as [UInt64] where number == forgery.accountedPart {
      let found = records.filter { $0.start.generation.rawValue == generation }
      let account = IndexAccount(
        generation: Generation(generation)!, collection: 0, recordCount: UInt32(found.count),
        expiringCount: 0, byteCount: UInt64(found.reduce(0) { $0 + $1.byteCount }))
      if let account { accounts.append(forgery.account(account)) }
    }
    let segment = builder.newSegment(.index, slot: slot)
    var pages = IndexPages()
    IndexPartHead(
      sequence: SequenceNumber(forgery.sequence(number, sequence))!, entryCounts: entryCounts,
      accounts: accounts
    ).encode(into: &pages)
    for entry in entries { pages.add(forgery.entry(entry)) }
    var list = pages.words.enumerated().filter { $0.offset % 512 > 0 }.map {
      UInt64(littleEndian: $0.element)
    }
    forgery.words(&list)
    pages.removeAll()
    for word in list { pages.add(word) }
    let pageCount = UInt32(pages.pageCount)
    let checksum = pages.seal(seed: segment.seed(in: builder.identity))
    let words = pages.words
    let start = segment.run.byteRange.lowerBound + UInt64(SegmentHeader.byteCount)
    try builder.file.write(unsafe words.span.bytes, at: start)
    return IndexPartEntry(
      partitions: partitions, of: forgery.partitionTotal,
      splitBy: UInt8(forgery.saidSplitBitCount(number, forgery.splitBitCount)), pageCount: pageCount,
      segment: segment,
      checksum: checksum, replayFrom: forgery.replayFrom(number, moment),
      generationLimit: forgery.generationLimit(number, limit), entryCount: UInt64(entries.count),
      keyHash: forgery.keyHash(number), hashVersion: forgery.hashVersion(number),
      build: forgery.build(number))!
  }

  @Test func `Parts of one build that have each partition once count together`() throws {
    let report = try Self.disk().expectSameIndex(path: LogBuilder.path)
    // 200 keys of the first segment, 50 more of the second.
    #expect(report.storedCount == 250)
    // The change, three records, a mark.
    #expect(report.scannedRecordCount == 5)
  }

  /// Parts of partitions that were split by so many bits.
  private static func split(by bitCount: UInt32) -> Forgery {
    var forgery = Forgery()
    forgery.splitBitCount = bitCount
    forgery.partitionTotal = 256 << bitCount
    forgery.partitions = { UInt32($0 * 64) << bitCount..<UInt32($0 * 64 + 64) << bitCount }
    return forgery
  }

  @Test(arguments: [1, 2, 5] as [UInt32], [false, true])
  func `Parts of partitions that were split count as well`(bitCount: UInt32, isClosed: Bool) throws {
    var forgery = Self.split(by: bitCount)
    let report = try Self.disk(forgery).expectSameIndex(path: LogBuilder.path)
    #expect(report.storedCount == 250)
    forgery.isClosed = isClosed
    let store = try SedimentStore(
      path: LogBuilder.path, options: SedimentOptions(), disk: try Self.disk(forgery))
    #expect(store.recovery.storedKeyCount == 250)
    for number in [299, 7, 250, 4, 3] {
      #expect(try store.retrieve(forKey: "key \(number)", as: String.self) == Self.expected(number))
    }
    #expect(try store.count() == (0..<300).count { Self.expected($0) != nil } + 1)
    #expect(store.accountFindings() == [])
    try store.close()
  }

  /// Forgeries after which the parts count for nothing.
  private static var useless: [(String, (inout Forgery) -> Void)] {
    [
      ("a part is missing", { $0.partCount = 3 }),
      (
        "a partition is missing",
        { $0.partitions = { UInt32($0 * 64)..<UInt32($0 * 64 + ($0 == 1 ? 63 : 64)) } }
      ),
      (
        "a partition comes twice",
        { $0.partitions = { UInt32($0 * 64 - ($0 == 2 ? 1 : 0))..<UInt32($0 * 64 + 64) } }
      ),
      ("a part comes twice", { $0.partitions = { UInt32($0 / 2 * 128)..<UInt32($0 / 2 * 128 + 128) } }),
      ("two builds", { $0.build = { $0 == 3 ? 6 : 5 } }),
      ("two seeds", { $0.keyHash = { $0 == 3 ? KeyHash(low: 8, high: 1) : keyHash } }),
      ("the hash of files made before", { $0.hashVersion = { _ in 0 } }),
      ("a hash of the future", { $0.hashVersion = { _ in KeyHash.version + 1 } }),
      ("two hashes", { $0.hashVersion = { $0 == 3 ? 0 : KeyHash.version } }),
      (
        "as many partitions as none has",
        {
          $0.partitionTotal = 257; $0.partitions = { UInt32($0 * 64)..<UInt32($0 * 64 + ($0 == 3 ? 65 : 64)) }
        }
      ),
      (
        "two splits",
        {
          $0 = split(by: 2)
          $0.saidSplitBitCount = { $0 == 3 ? 1 : $1 }
        }
      ),
      (
        "entries of other partitions",
        {
          $0 = split(by: 2); $0.entry = { $0 ^ 1 << 61 }
        }
      ),
      ("fewer base partitions than one has", { $0.saidSplitBitCount = { _, _ in 1 } }),
      ("more split bits than there are", { $0.saidSplitBitCount = { _, _ in 200 } }),
      (
        "two moments",
        { $0.replayFrom = { $0 == 1 ? LogPosition($1.generation, UnitOffset($1.offset.rawValue + 1)!) : $1 } }
      ),
      ("two limits", { $0.generationLimit = { $0 == 1 ? $1.advanced(by: 1)! : $1 } }),
      ("two sequences", { $0.sequence = { $0 == 2 ? $1 + 1 : $1 } }),
      ("another sequence", { $0.sequence = { $1 + 1 } }),
      (
        "a moment between records",
        { $0.replayFrom = { LogPosition($1.generation, UnitOffset($1.offset.rawValue + 1)!) } }
      ),
      (
        "a moment behind the end",
        { $0.replayFrom = { LogPosition($1.generation, UnitOffset($1.offset.rawValue + 200)!) } }
      ),
      (
        "a moment in another place",
        { $0.replayFrom = { LogPosition($1.generation, UnitOffset($1.offset.rawValue + 1 << 20)!) } }
      ),
      (
        "accounts of other segments",
        {
          $0.account = {
            IndexAccount(
              generation: Generation(3 - $0.generation.rawValue)!, collection: 0, recordCount: $0.recordCount,
              expiringCount: 0, byteCount: $0.byteCount)!
          }
        }
      ),
      (
        "accounts of more bytes than a segment has",
        {
          $0.account = {
            IndexAccount(
              generation: $0.generation, collection: 0, recordCount: $0.recordCount, expiringCount: 0,
              byteCount: 1 << 62)!
          }
        }
      ),
      (
        "accounts that say one record less",
        {
          $0.account = {
            IndexAccount(
              generation: $0.generation, collection: 0, recordCount: $0.recordCount - 1, expiringCount: 0,
              byteCount: $0.byteCount)!
          }
        }
      ),
      ("accounts in another part", { $0.accountedPart = 2 }),
      ("no accounts", { $0.accountedPart = 4 }),
      ("entries that lead out of the file", { $0.entry = { $0 | 1 << 37 } }),
      ("entries that lead nowhere", { $0.entry = { $0 & ~(1 << 38 - 1) } }),
      ("entries beyond the moment", { $0.entry = { $0 + 0x7f0 } }),
    ]
  }

  @Test(arguments: useless.indices)
  func `Other parts count for nothing, and the log is scanned`(_ number: Int) throws {
    let (name, change) = Self.useless[number]
    var forgery = Forgery()
    change(&forgery)
    let report = try Self.disk(forgery).expectSameIndex(path: LogBuilder.path, "\(name)")
    #expect(report.storedCount == 0, "\(name)")
  }

  /// What a key of the log has.
  private static func expected(_ number: Int) -> String? {
    if number == 4 || number >= 300 || number >= 200 && number % 2 == 1 { return nil }
    return number == 3 ? "third" : number % 2 == 0 ? "second" : "first"
  }

  @Test(arguments: useless.indices, [false, true])
  func `Of a closed log other parts count for nothing as well, once all of them were asked for`(
    _ number: Int, readOnly: Bool
  ) throws {
    let (name, change) = Self.useless[number]
    var forgery = Forgery()
    change(&forgery)
    forgery.isClosed = true
    let store = try SedimentStore(
      path: LogBuilder.path, options: SedimentOptions(readOnly: readOnly), disk: try Self.disk(forgery))
    #expect(store.recovery.wasClosed)
    var count = 0
    try store.forEachKey(withPrefix: "") { _ in
      count += 1
      return .continue
    }
    #expect(count == (0..<300).count { Self.expected($0) != nil } + 1, "\(name)")
    for number in 0..<300 {
      let value = try store.retrieve(forKey: "key \(number)", as: String.self)
      #expect(value == Self.expected(number), "\(name)")
    }
    #expect(try store.count() == count, "\(name)")
    #expect(store.accountFindings() == [], "\(name)")
    try store.close()
  }

  @Test func `Parts that claim more entries than the file has room for take no memory for them`() throws {
    var log = try LogBuilder(slotCount: 4, fileSlotCount: 64)
    try log.open()
    try log.put("key", "value")
    let (moment, sequence) = (log.position, SequenceNumber(log.sequence)!)
    let limit = Generation(1 << 40)!
    func entry(
      _ partitions: Range<UInt32>, _ pages: UInt32, _ count: UInt64, _ segment: SegmentIdentity,
      _ sum: Checksum
    )
      -> CatalogueEntry
    {
      .indexPart(
        IndexPartEntry(
          partitions: partitions, of: 1 << 16, splitBy: 8, pageCount: pages, segment: segment, checksum: sum,
          replayFrom: moment, generationLimit: limit, entryCount: count, keyHash: Self.keyHash, build: 1)!)
    }
    // Sixteen of them lie far behind the end of the file; the last has the accounts of all, for segments that are gone.
    let far = (0..<16).map { log.newSegment(.index, slot: 100 + $0 * 65_537, count: 65_537) }
    let pageCount = IndexPartEntry.pageCountMax(of: far[0])
    let claim = UInt64(pageCount) * IndexPartEntry.pageEntryCountMax
    var accounts: [IndexAccount] = []
    for number in 0..<16 {
      accounts.append(
        IndexAccount(
          generation: Generation(1_000 + UInt64(number))!, collection: 0, recordCount: UInt32(claim),
          expiringCount: 0, byteCount: claim * 64)!)
    }
    let last = log.newSegment(.index, slot: 40, count: 1)
    var pages = IndexPages()
    IndexPartHead(sequence: sequence, entryCounts: [0], accounts: accounts).encode(into: &pages)
    let lastPageCount = UInt32(pages.pageCount)
    let checksum = pages.seal(seed: last.seed(in: log.identity))
    let words = pages.words
    try log.file.write(unsafe words.span.bytes, at: last.recordRange.lowerBound.byteOffset)
    var entries = far.enumerated().map { number, segment in
      let first = UInt32(number)
      return entry(first..<(number == 15 ? 1 << 16 - 1 : first + 1), pageCount, claim, segment, Checksum(0))
    }
    entries.append(entry(1 << 16 - 1..<1 << 16, lastPageCount, 0, last, checksum))
    try log.change(entries)
    try log.close()
    let store = try SedimentStore(
      path: LogBuilder.path, options: SedimentOptions(readOnly: true), disk: log.durable())
    // The fewest words for so many partitions, and no more for entries.
    #expect(store.statistics.indexByteCount < 3 << 20)
    #expect(try store.retrieve(forKey: "key", as: String.self) == "value")
    try store.close()
  }

  @Test func `Accounts that say too little make no counts that are less than nothing`() throws {
    var forgery = Forgery()
    forgery.account = {
      IndexAccount(
        generation: $0.generation, collection: 7, recordCount: $0.recordCount,
        expiringCount: $0.recordCount, byteCount: UInt64($0.recordCount) * 16)!
    }
    let disk = try Self.disk(forgery)
    let (_, report) = try BuiltIndex.of(disk, path: LogBuilder.path, usingStoredIndex: true)
    #expect(report.storedCount == 250)
    let store = try SedimentStore(path: LogBuilder.path, disk: disk)
    for number in 0..<250 { try store.set("again", forKey: "key \(number)") }
    #expect(store.statistics.liveKeyCount >= 0)
    try store.close()
  }

  @Test(arguments: 0..<TestEffort.of(60, long: 3000))
  func `Whatever words a part has, opening it ends, and nothing is read that is not there`(_ seed: Int) throws
  {
    var forgery = Forgery()
    let generator = SeededGenerator(seed: UInt64(seed))
    forgery.words = { words in
      var generator = generator
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        // The head has 10 or 18 words, which are half of what is changed.
        let isHead = Bool.random(using: &generator)
        let place = Int.random(in: 0..<(isHead ? 18 : words.count), using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: words[place] = generator.next()
        case 1: words[place] = generator.next() >> UInt64.random(in: 32..<64, using: &generator)
        case 2: words[place] ^= 1 << UInt64.random(in: 0..<64, using: &generator)
        case 3: words[place] = [0, .max, 1 << 62, 1 << 63, 1 << 32].randomElement(using: &generator)!
        default: words.swapAt(place, Int.random(in: 0..<words.count, using: &generator))
        }
      }
    }
    let disk = try Self.disk(forgery)
    let store = try SedimentStore(path: LogBuilder.path, disk: disk)
    for number in 0..<250 {
      do {
        let value: [UInt8]? = try store.retrieve(forKey: "key \(number)")
        let text = value.map { String(decoding: $0, as: UTF8.self) }
        #expect([nil, "first", "second", "third"].contains(text))
      } catch let error as SedimentError {
        #expect(error.code == .damaged)
      }
      try store.set("again", forKey: "key \(number)")
    }
    try store.close()
  }

  @Test func `Entries that agree in their hashes by forgery are told from one another by their keys`() throws
  {
    var forgery = Forgery()
    forgery.entry = { $0 & ~((1 << 25 - 1) << 38) }
    let disk = try Self.disk(forgery)
    // No key is found by a wrong hash, but nothing is read that is not there.
    let store = try SedimentStore(path: LogBuilder.path, disk: disk)
    for number in 0..<250 { _ = try store.retrieve(forKey: "key \(number)") as [UInt8]? }
    try store.close()
  }
}
