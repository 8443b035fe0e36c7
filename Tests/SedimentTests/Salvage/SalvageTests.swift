import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// What is saved of damaged files.
struct SalvageTests {
  static let path = StoreFixture.path
  static let saved = "data/saved"

  static func salvage(
    _ disk: SimulatedDisk, keepsUncertain: Bool = false
  ) throws -> (report: SalvageReport, store: SedimentStore) {
    let before = disk.contents(of: path).map(FileImage.init)
    let report = try SedimentStore.salvage(
      from: path, to: saved, on: disk, keepsUncertain: keepsUncertain)
    #expect(disk.contents(of: path).map(FileImage.init) == before)
    #expect(disk.paths == [saved, path])
    #expect(try SedimentStore.verify(path: saved, on: disk).findings == [])
    let store = try StoreFixture.opened(saved, on: disk)
    #expect(store.recovery.wasClosed)
    #expect(store.statistics.liveKeyCount == Int(report.keyCount) || keepsUncertain)
    return (report, store)
  }

  /// A key of a collection by its number in the file, or its name.
  struct Key: Hashable {
    let collection: UInt32
    let bytes: [UInt8]
  }

  /// All that a store holds.
  static func model(_ store: SedimentStore, _ names: [UInt32: String]) throws -> [Key: [UInt8]] {
    var model: [Key: [UInt8]] = [:]
    for (number, name) in names {
      let space: SedimentKeyspace = name.isEmpty ? store : try store.collection(name)
      for key in try space.keys() {
        model[Key(collection: number, bytes: key)] = try space.retrieve(forKey: key)
      }
    }
    return model
  }

  /// The records of a file, each with its bytes, its key and its value if it has one.
  static func records(_ disk: SimulatedDisk) throws -> [(range: Range<Int>, key: Key?, value: [UInt8])] {
    let contents = disk.contents(of: path)!
    return try FileInspection.inspect(path: path, on: disk).segments.flatMap(\.records).map { record in
      let start = Int(record.offset.byteOffset)
      let bytes = Array(contents[start..<start + record.header.byteCount])
      let key = Key(collection: record.header.collection, bytes: Array(bytes[record.header.keyRange]))
      return (
        start..<start + bytes.count, record.header.kind == .control ? nil : key,
        Array(bytes[record.header.valueRange])
      )
    }
  }

  private static let names: [UInt32: String] = [0: "", 1: "users"]

  private static func held(_ disk: SimulatedDisk) throws -> [Key: [UInt8]] {
    try model(try StoreFixture.opened(path, on: disk, readOnly: true), names)
  }

  @Test(arguments: [true, false])
  func `A sound file is saved as a whole`(isClosed: Bool) throws {
    let fixture = try StoreFixture()
    try StoreFixture.fill(fixture.store)
    let before = try contents(of: fixture.store)
    let keyCount = fixture.store.statistics.liveKeyCount
    let lineage = try FileInspection.inspect(path: Self.path, on: fixture.disk).head.leading.lineage
    if isClosed { try fixture.close() }
    let disk = fixture.disk.afterProcessDeath()
    let (report, store) = try Self.salvage(disk)
    #expect(try contents(of: store) == before)
    #expect(report.isComplete)
    #expect(report.keyCount == UInt64(keyCount))
    #expect(report.uncertainKeyCount == 0 && report.inventedNames == [])
    let head = try FileInspection.inspect(path: Self.saved, on: disk).head.leading
    #expect(head.lineage.parentLow == lineage.low && head.lineage.parentHigh == lineage.high)
    #expect(head.lineage.low != lineage.low && head.lineage.fork > .zero)
  }

  /// Everything that has no record in the range must be there as it was, and the rest be something it once was.
  private func compare(
    _ found: [Key: [UInt8]], _ before: [Key: [UInt8]], _ range: Range<Int>,
    _ records: [(range: Range<Int>, key: Key?, value: [UInt8])], _ largeRange: Range<Int>, _ comment: Comment
  ) {
    let touched = Set(records.filter { $0.range.overlaps(range) }.compactMap(\.key))
    for (key, value) in before where !touched.contains(key) {
      if key.bytes == Array("large".utf8), largeRange.overlaps(range) { continue }
      #expect(same(found[key], value), comment)
    }
    for (key, value) in found where !same(before[key], value) {
      #expect(touched.contains(key), "\(comment): \(key)")
      #expect(records.contains { $0.key == key && $0.value == value }, "\(comment): \(key)")
    }
  }

  @Test(arguments: [false, true])
  func `Whichever sector is lost, all is saved that has no record in it`(isUnreadable: Bool) throws {
    let disk = try VerificationTests.filled()
    let before = try Self.held(disk)
    let records = try Self.records(disk)
    let sound = try VerificationTests.verify(disk)
    let extent = sound.segments.first { $0.kind == .extent }!.range
    let large = Int(extent.lowerBound)..<Int(extent.upperBound)
    let contents = disk.contents(of: Self.path)!
    let used = VerificationTests.usedRanges(sound)
    var lossCount = 0
    for sector in 0..<contents.count / 512 {
      let range = sector * 512..<sector * 512 + 512
      let wide = UInt64(range.lowerBound)..<UInt64(range.upperBound)
      guard used.contains(where: { $0.overlaps(wide) }),
        !large.contains(range.lowerBound) || sector % 16 == 0
      else { continue }
      let old = Array(contents[range])
      if isUnreadable {
        disk.makeUnreadable(wide, in: Self.path)
      } else {
        disk.zeroSector(sector, in: Self.path)
      }
      let comment = Comment("sector \(sector)")
      let (report, store) = try Self.salvage(disk)
      let names = report.inventedNames.contains("collection-1") ? [0: "", 1: "collection-1"] : Self.names
      compare(try Self.model(store, names), before, range, records, large, comment)
      let isInRecords = records.contains { $0.range.overlaps(range) }
      if isInRecords {
        lossCount += 1
        #expect(report.losses.contains { $0.range.overlaps(wide) }, comment)
        #expect(!report.isComplete, comment)
      }
      try store.close()
      try disk.remove(Self.saved)
      disk.makeReadable(Self.path)
      disk.overwrite(old, at: range.lowerBound, in: Self.path)
      disk.trimHistory()
    }
    #expect(lossCount > 40)
  }

  @Test func `A file that has lost both superblocks is saved as a whole`() throws {
    for isClosed in [true, false] {
      let disk = try VerificationTests.filled(isClosed: isClosed)
      let before = try Self.held(disk.afterProcessDeath())
      for sector in [0, 32] { disk.zeroSector(sector, in: Self.path) }
      #expect(code { _ = try StoreFixture.opened(Self.path, on: disk) } == .foreign)
      #expect(try !VerificationTests.verify(disk).isIntact)
      let (report, store) = try Self.salvage(disk)
      #expect(report.knowledge == .whole)
      #expect(report.isComplete && report.inventedNames == [])
      #expect(try Self.model(store, Self.names) == before)
    }
  }

  @Test func `Without superblocks and checkpoints the records themselves tell all they can`() throws {
    let disk = try VerificationTests.filled()
    let before = try Self.held(disk)
    for sector in [0, 32] { disk.zeroSector(sector, in: Self.path) }
    let inspected = try FileInspection.inspect(path: Self.path, on: VerificationTests.filled())
    for record in inspected.segments.flatMap(\.records) {
      guard case .checkpointPart? = record.control else { continue }
      disk.flipBit(0, ofByte: Int(record.offset.byteOffset) + 20, in: Self.path)
    }
    let (report, store) = try Self.salvage(disk)
    #expect(report.knowledge == .none)
    #expect(report.losses.count >= 2)
    #expect(report.inventedNames == [])
    #expect(try Self.model(store, Self.names) == before)
  }

  @Test func `A collection whose name is lost gets another`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("1", forKey: "collection-1")
    try fixture.store.collection("users").set("Ada", forKey: "1")
    try fixture.close()
    let records = try FileInspection.inspect(path: Self.path, on: fixture.disk).segments.flatMap(\.records)
    for record in records {
      switch record.control {
      case .catalogueChange?, .checkpointPart?:
        fixture.disk.flipBit(0, ofByte: Int(record.offset.byteOffset) + 20, in: Self.path)
      default: break
      }
    }
    let (report, store) = try Self.salvage(fixture.disk)
    #expect(report.inventedNames == ["collection-1"])
    #expect(store.collectionNames == ["collection-1"])
    #expect(try store.collection("collection-1").retrieve(forKey: "1", as: String.self) == "Ada")
    #expect(try store.contains("collection-1"))
  }

  @Test func `Expiry is kept, also one that has passed`() throws {
    let fixture = try StoreFixture()
    let now = fixture.disk.wallClock()
    try fixture.store.set("1", forKey: "past", expiry: .at(milliseconds: now + 5))
    try fixture.store.set("2", forKey: "future", expiry: .at(milliseconds: now + 5_000))
    try fixture.close()
    fixture.disk.advanceClocks(by: .seconds(1))
    let (report, store) = try Self.salvage(fixture.disk)
    #expect(report.keyCount == 2)
    #expect(try store.keys().map { String(decoding: $0, as: UTF8.self) } == ["future"])
    #expect(try store.expiry(forKey: "future") == .at(milliseconds: now + 5_000))
    // A clock that was wrong does not take it away.
    fixture.disk.setWallClock(to: now)
    #expect(try store.retrieve(forKey: "past", as: String.self) == "1")
  }

  @Test func `A batch of which a change is lost is told`() throws {
    let disk = try VerificationTests.filled()
    let records = try Self.records(disk)
    let member = records.first { $0.key?.bytes == Array("batch 1".utf8) }!
    disk.flipBit(0, ofByte: member.range.upperBound - 9, in: Self.path)
    let (report, store) = try Self.salvage(disk)
    #expect(report.brokenBatchCount == 1)
    #expect(report.losses.map { Int($0.range.lowerBound) } == [member.range.lowerBound])
    #expect(report.losses.first?.sequences?.count == 1)
    #expect(try store.contains("batch 0") && store.contains("batch 2") && !store.contains("batch 1"))
  }

  @Test func `A key whose large value is damaged is lost and not given an older one`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("older", forKey: "key")
    try fixture.store.set(pattern(140_000), forKey: "key")
    try fixture.store.set("1", forKey: "other")
    try fixture.close()
    let report = try VerificationTests.verify(fixture.disk)
    let extent = report.segments.first { $0.kind == .extent }!
    fixture.disk.flipBit(0, ofByte: Int(extent.range.lowerBound) + 70_000, in: Self.path)
    let (saved, store) = try Self.salvage(fixture.disk)
    #expect(saved.lostValueCount == 1 && saved.keyCount == 1)
    #expect(saved.losses.map(\.range) == [extent.range])
    #expect(try !store.contains("key") && store.contains("other"))
  }
}
