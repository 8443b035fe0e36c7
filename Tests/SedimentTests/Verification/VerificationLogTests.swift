import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// What verifying and salvaging make of logs that are laid out for them.
struct VerificationLogTests {
  private static let path = LogBuilder.path

  private func verify(_ log: LogBuilder) throws -> VerificationReport {
    try SedimentStore.verify(path: Self.path, on: log.durable())
  }

  private func salvage(
    _ disk: SimulatedDisk, keepsUncertain: Bool = true
  ) throws -> (SalvageReport, SedimentStore) {
    let report = try SedimentStore.salvage(
      from: Self.path, to: "/saved", on: disk, keepsUncertain: keepsUncertain)
    return (report, try StoreFixture.opened("/saved", on: disk))
  }

  private func keys(_ space: some SedimentKeyspace) throws -> [String] {
    try space.keys().map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `A segment that no catalogue names is told, and is no damage`() throws {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "1")
    let entry = try log.survivors(slot: 6, floor: 9, [(1, "b", "2"), (2, "c", "3")])
    try log.sync()
    try log.close()
    let report = try verify(log)
    #expect(report.isIntact)
    #expect(report.findings.map(\.kind) == [.orphaned])
    #expect(report.findings.map(\.range) == [entry.identity.run.byteRange])
    #expect(report.segments.map(\.isInUse) == [true, false])
    #expect(report.segments.map(\.recordCount) == [1, 2])
    let (saved, store) = try salvage(log.durable())
    #expect(saved.isComplete && saved.uncertainKeyCount == 2 && saved.keyCount == 1)
    #expect(try keys(store) == ["a"])
    #expect(try keys(store.collection("salvaged")) == ["b", "c"])
    #expect(store.collectionNames == ["salvaged"])
  }

  @Test func `Unless it is asked for, what may have been removed is left out`() throws {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "1")
    _ = try log.survivors(slot: 6, floor: 9, [(1, "b", "2"), (2, "c", "3")])
    try log.sync()
    let (report, store) = try salvage(log.durable(), keepsUncertain: false)
    #expect(report.uncertainKeyCount == 2)
    #expect(try keys(store) == ["a"] && store.collectionNames == [])
  }

  @Test func `What a segment of survivors holds counts by its sequence, and so do its removals`() throws {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "old")
    try log.put("b", "new")
    let late = log.sequence + 40
    let entry = try log.survivors(
      slot: 6, floor: log.sequence, [(2, "b", "old"), (3, "c", "3"), (late, "a", nil)])
    try log.change([.segment(entry)])
    try log.sync()
    try log.close()
    #expect(try verify(log).findings == [])
    let disk = log.durable()
    let (report, store) = try salvage(disk)
    #expect(report.isComplete)
    #expect(try keys(store) == ["b", "c"])
    #expect(try store.retrieve(forKey: "b", as: String.self) == "new")
  }

  @Test func `Counts of the catalogue that are not those of the segment are told`() throws {
    for field in 0..<4 {
      var log = try LogBuilder()
      try log.open()
      try log.put("a", "1")
      var entry = try log.survivors(slot: 6, floor: 9, [(2, "b", "2"), (3, "c", nil), (4, "d", "4")])
      switch field {
      case 0: entry.recordCount += 1
      case 1: entry.tombstoneCount += 1
      case 2: entry.highest = SequenceNumber(3)!
      default: entry.latestExpiry = 5
      }
      try log.change([.segment(entry)])
      try log.sync()
      try log.close()
      let report = try verify(log)
      #expect(report.findings.map(\.kind) == [.inconsistent], "field \(field)")
      #expect(report.findings.map(\.range) == [98_304..<98_432], "field \(field)")
      #expect(report.segments.map(\.isIntact) == [true, false])
    }
  }

  @Test func `A batch and a seal behind the checkpoint's back are checked, too`() throws {
    // The replay begins behind them, so opening does not look at them.
    for isBatch in [true, false] {
      var log = try LogBuilder()
      try log.open()
      try log.put("a", "1")
      let start = log.offset.byteOffset
      if isBatch {
        log.batch = BatchChecksum()
        try log.put("b", "2")
        log.batch = BatchChecksum()
        try log.put("c", "3")
        try log.commit()
      } else {
        log.recordsInSegment += 1
      }
      try log.roll(slot: 6)
      try log.appendCheckpoint()
      try log.sync()
      try log.file.sync()
      try log.writeSuperblock(.first, .open)
      try log.writeSuperblock(.second, .closed)
      try log.file.sync()
      let report = try verify(log)
      #expect(report.findings.map(\.kind) == [.inconsistent], "\(isBatch)")
      #expect(report.findings.first?.range.lowerBound == start)
    }
  }

  @Test func `A large value that the catalogue does not know is told`() throws {
    var log = try LogBuilder()
    try log.open()
    let bytes = pattern(40_000)
    try log.putLarge("a", pieces: [(6, bytes)])
    let extent = log.catalogue.segments.first { $0.identity.kind == .extent }!
    #expect(try verify(log).findings == [])
    try log.change([.freed(slot: 6, generation: extent.identity.generation)])
    try log.sync()
    let report = try verify(log)
    #expect(report.findings.map(\.kind) == [.inconsistent, .orphaned])
  }

  /// A closed log with a part of a stored index at slot 6, of which nothing but the header is there.
  private func logWithIndexPart() throws -> (LogBuilder, IndexPartEntry) {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "1")
    let segment = log.newSegment(.index, slot: 6)
    try log.writeHeader(SegmentHeader(identity: segment, base: .zero, floor: .zero))
    let part = IndexPartEntry(
      partitions: 0..<1, of: 1, pageCount: 1, segment: segment, checksum: .empty, replayFrom: log.position,
      generationLimit: segment.generation, entryCount: 0, keyHash: KeyHash(low: 1, high: 2), build: 1)!
    try log.change([.indexPart(part)])
    try log.sync()
    try log.close()
    return (log, part)
  }

  @Test func `A part of the stored index whose pages are not there is torn, which is no damage`() throws {
    let (log, part) = try logWithIndexPart()
    let report = try verify(log)
    #expect(report.isIntact)
    #expect(report.findings.map(\.kind) == [.torn])
    #expect(report.findings.map(\.range) == [98_304..<98_304 + 16_384])
    #expect(report.segments.map(\.kind) == [.hot, .index])
    #expect(report.segments.map(\.generation) == [1, part.segment.generation.rawValue])
    let (saved, store) = try salvage(log.durable())
    #expect(try saved.isComplete && keys(store) == ["a"])
  }

  @Test func `A backup has the parts of the stored index`() throws {
    let (log, part) = try logWithIndexPart()
    let disk = log.durable()
    let store = try StoreFixture.opened(Self.path, on: disk)
    try store.set("2", forKey: "b")
    try store.backup(to: "/copy")
    let copy = try readLog(disk, "/copy")
    #expect(copy.catalogue.indexParts == [part])
    #expect(copy.isClean)
    let contents = disk.contents(of: "/copy")!
    #expect(contents[98_304..<98_432] == disk.contents(of: Self.path)![98_304..<98_432])
    #expect(try keys(StoreFixture.opened("/copy", on: disk)) == ["a", "b"])
    // Nobody needs it, so what cannot be read of it is left off.
    disk.makeUnreadable(98_304..<100_000, in: Self.path)
    try store.backup(to: "/another")
    #expect(try keys(StoreFixture.opened("/another", on: disk)) == ["a", "b"])
    let whole = try readLog(disk, Self.path)
    disk.makeUnreadable(whole.tail.identity.run.byteRange, in: Self.path)
    #expect(code { try store.backup(to: "/a third") } == .inputOutput)
    #expect(disk.paths == ["/another", "/copy", Self.path])
  }

  @Test func `Superblocks that contradict each other are told`() throws {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "1")
    try log.sync()
    var other = log.superblock(.second, .open, generation: log.superblockGeneration)
    other.copy = .first
    log.superblockGeneration -= 1
    try log.write(other.encode(), at: 0)
    try log.file.sync()
    #expect(failure(log.durable())?.code == .damaged)
    let report = try verify(log)
    #expect(!report.isIntact)
    #expect(report.superblocks.count == 2)
    #expect(report.segments.map(\.recordCount) == [1])
    let (saved, store) = try salvage(log.durable())
    #expect(try saved.keyCount == 1 && keys(store) == ["a"])
  }

  @Test func `What the log says behind its damage is honoured`() throws {
    var log = try LogBuilder()
    try log.open()
    let names = [(1 as UInt32, "users"), (2, "gone"), (3, "empty")]
    for (number, name) in names {
      let entry = CollectionEntry(
        number: number, clearedAt: SequenceNumber(log.sequence + 1)!, name: Array(name.utf8))!
      try log.change([.collection(entry)])
    }
    try log.put("x", "1", collection: 1)
    try log.put("x", "2", collection: 2)
    try log.put("x", "3", collection: 3)
    try log.put("a", "1")
    try log.put("b", "1")
    let damaged = log.records.count
    try log.put("lost", "1")
    try log.remove("b")
    try log.change([.collectionDropped(number: 2)])
    try log.roll(slot: 6)
    try log.change([.collectionCleared(number: 3)])
    try log.put("c", "1")
    try log.sync()
    let disk = log.durable()
    disk.flipBit(0, ofByte: log.records[damaged].byteRange.lowerBound + 17, in: Self.path)
    #expect(code { _ = try recover(disk) } == .damaged)
    let (report, store) = try salvage(disk)
    #expect(report.knowledge == .partial)
    #expect(report.losses.map(\.sequences) == [UInt64(damaged + 1)...UInt64(damaged + 1)])
    #expect(try keys(store) == ["a", "c"])
    #expect(store.collectionNames == ["empty", "users"])
    #expect(try keys(store.collection("users")) == ["x"])
    #expect(try keys(store.collection("empty")) == [])
  }

  @Test func `Segments that were freed behind the damage do not count`() throws {
    var log = try LogBuilder()
    try log.open()
    let old = try log.survivors(slot: 6, floor: 9, [(2, "a", "1"), (3, "b", "1")])
    try log.change([.segment(old)])
    let damaged = log.records.count
    try log.put("lost", "1")
    let new = try log.survivors(slot: 8, floor: 9, [(2, "a", "1")])
    try log.change([.segment(new), .freed(slot: 6, generation: old.identity.generation)])
    try log.sync()
    let disk = log.durable()
    disk.flipBit(0, ofByte: log.records[damaged].byteRange.lowerBound + 17, in: Self.path)
    let (report, store) = try salvage(disk)
    #expect(try keys(store) == ["a"])
    #expect(try keys(store.collection("salvaged")) == ["b"])
    #expect(report.uncertainKeyCount == 1)
  }

  @Test func `A segment whose header is lost is found by the seal that leads to it`() throws {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "1")
    try log.roll(slot: 6)
    try log.put("b", "2")
    try log.sync()
    // Neither superblocks nor a checkpoint nor the second segment's header: nothing but the seal tells of it.
    let disk = log.durable()
    for sector in [0, 32] { disk.zeroSector(sector, in: Self.path) }
    disk.flipBit(0, ofByte: log.records[0].byteRange.lowerBound + 30, in: Self.path)
    disk.overwrite([UInt8](repeating: 0, count: 128), at: 6 * 16_384, in: Self.path)
    let (report, store) = try salvage(disk)
    #expect(report.knowledge == .none)
    #expect(report.losses.map(\.range.lowerBound) == [UInt64(log.records[0].byteRange.lowerBound)])
    #expect(try keys(store) == ["a", "b"])
  }

  @Test func `What a crash leaves is intact but for a superblock that was being written`() throws {
    let fixture = try StoreFixture()
    try fixture.close()
    fixture.disk.trimHistory()
    try fixture.open()
    try VerificationLogTests.work(fixture)
    try fixture.close()
    let plans = CrashPlanOptions(exhaustiveCountMax: 16, randomCount: 4, countMax: 12)
    var (tornCount, imageCount) = (0, 0)
    for state in fixture.disk.history {
      for choice in state.plans(plans, seed: 2) {
        imageCount += 1
        let image = state.afterPowerLoss(choice)
        let report = try SedimentStore.verify(path: StoreFixture.path, on: image)
        tornCount += report.findings.contains { $0.kind == .torn } ? 1 : 0
        let damage = report.findings.filter(\.kind.isDamage)
        #expect(damage.count <= 1, "point \(state.point), \(choice): \(damage)")
        #expect(damage.allSatisfy { [0, 16_384].contains($0.range.lowerBound) }, "\(damage)")
      }
    }
    #expect(tornCount > 10 && imageCount > 200)
  }

  private static func work(_ fixture: StoreFixture) throws {
    let store = fixture.store
    for number in 0..<6 { try store.set(pattern(100, number), forKey: "key \(number)") }
    try store.sync()
    try store.set(pattern(9_000), forKey: "key 1")
    try store.set(pattern(9_000), forKey: "key 2", durability: .synced)
    try store.batch { batch in
      for number in 0..<4 { batch.set(pattern(50, number), forKey: "batch \(number)") }
    }
    try store.checkpoint()
    try store.set(pattern(132_000), forKey: "large")
    try store.remove(forKey: "key 1", durability: .synced)
  }
}
