import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

typealias Finding = VerificationReport.Finding

/// Files that are verified.
struct VerificationTests {
  static let path = StoreFixture.path

  static func verify(_ disk: SimulatedDisk, path: String = path) throws -> VerificationReport {
    try SedimentStore.verify(path: path, on: disk)
  }

  /// A closed store with something of each kind in a few slots.
  static func filled(isClosed: Bool = true) throws -> SimulatedDisk {
    let fixture = try StoreFixture()
    let store = fixture.store
    for number in 0..<8 { try store.set(pattern(30, number), forKey: "key \(number)") }
    try store.sync()
    try store.remove(forKey: "key 3")
    try store.batch { batch in
      for number in 0..<3 { batch.set("\(number)", forKey: "batch \(number)") }
    }
    try store.set(pattern(12_000), forKey: "key 1")
    try store.set(pattern(9_000), forKey: "key 2")
    try store.checkpoint()
    try store.set(pattern(132_000), forKey: "large")
    try store.collection("users").set("Ada", forKey: "1", expiry: .at(milliseconds: 1 << 45))
    try store.set("last", forKey: "key 5")
    if isClosed { try fixture.close() }
    return fixture.disk.afterProcessDeath()
  }

  @Test func `Slots of large values to which no record leads are told until compaction has freed them`()
    throws
  {
    let fixture = try StoreFixture(compaction: .off)
    for number in 0..<3 { try fixture.store.set(pattern(200_000, number), forKey: "\(number)") }
    try fixture.close()
    let before = try Self.verify(fixture.disk)
    #expect(before.findings == [])
    let extents = before.segments.filter { $0.kind == .extent }.map(\.range)
    #expect(extents.count == 3)
    try fixture.open()
    try fixture.store.remove(forKey: "0")
    try fixture.store.set("small", forKey: "1")
    try fixture.store.batch { batch in
      batch.set(pattern(200_000, 3), forKey: "2")
      batch.set("small", forKey: "2")
    }
    try fixture.close()
    let report = try Self.verify(fixture.disk)
    #expect(report.isIntact)
    #expect(report.findings.map(\.kind) == [.orphaned, .orphaned])
    // Three lie side by side, and are told of together.
    let last = try #require(report.segments.last { $0.kind == .extent }).range
    #expect(report.findings.map(\.range) == [extents[0].lowerBound..<extents[2].upperBound, last])
    #expect(report.findings[0].message.contains("\(3 * extents[0].count) bytes"))
    fixture.options.compaction = .automatic
    try fixture.open()
    fixture.scheduler.advance(by: 1_000_000_000)
    try fixture.close()
    let after = try Self.verify(fixture.disk)
    #expect(after.findings == [])
    #expect(after.segments.filter { $0.kind == .extent && $0.isInUse } == [])
  }

  @Test func `Where records are damaged nothing is said to belong to nobody`() throws {
    let fixture = try StoreFixture(compaction: .off)
    try fixture.store.set(pattern(200_000), forKey: "large")
    try fixture.store.sync()
    try fixture.close()
    let record = try #require(
      FileInspection.inspect(path: Self.path, on: fixture.disk).segments.flatMap(\.records)
        .first { $0.header.kind == .putLarge })
    fixture.disk.flipBit(1, ofByte: Int(record.offset.byteOffset) + 20, in: Self.path)
    let report = try Self.verify(fixture.disk)
    #expect(report.findings.map(\.kind) == [.corrupt])
  }

  /// The records of a file, by their bytes.
  static func records(_ disk: SimulatedDisk) throws -> [Range<UInt64>] {
    try FileInspection.inspect(path: path, on: disk).segments.flatMap(\.records).map { record in
      record.offset.byteOffset..<record.offset.byteOffset + UInt64(record.header.byteCount)
    }
  }

  /// The bytes that mean something: those of the superblocks and of what the segments hold.
  static func usedRanges(_ report: VerificationReport) -> [Range<UInt64>] {
    [0..<4096, 16_384..<20_480]
      + report.segments.map { $0.range.lowerBound..<$0.range.lowerBound + $0.usedByteCount }
  }

  @Test func `A sound store is intact, and its figures are those of the store`() throws {
    let fixture = try StoreFixture(compaction: .off)
    try StoreFixture.fill(fixture.store)
    // What was cleared is taken out of the figures when the store is opened again.
    try fixture.reopen()
    let statistics = fixture.store.statistics
    try fixture.close()
    let report = try Self.verify(fixture.disk)
    // The value that was replaced, which a store without compaction keeps.
    #expect(report.findings.map(\.kind) == [.orphaned])
    #expect(report.isIntact)
    #expect(report.wasClosed == true)
    #expect(report.path == Self.path)
    #expect(report.fileByteCount == UInt64(fixture.contents.count))
    #expect(report.segments.allSatisfy { $0.isIntact && $0.isInUse && $0.fill > 0 && $0.fill <= 1 })
    let logs = report.segments.filter { $0.kind == .hot }
    #expect(logs.reduce(0) { $0 + $1.liveByteCount! } == statistics.liveByteCount)
    // What was live at the last moment, and the numbers that the close says.
    #expect(logs.reduce(0) { $0 + $1.deadByteCount! } >= statistics.deadByteCount)
    let extents = report.segments.filter { $0.kind == .extent }
    #expect(extents.map(\.liveByteCount) == [196_472, 0])
    #expect(extents.map(\.deadByteCount) == [0, 147_320])
    #expect(report.sequence! >= statistics.sequence)
    let states = report.superblocks.map(\.state)
    #expect(report.superblocks.map(\.offset) == [0, 16_384])
    #expect(states.contains { if case .closed = $0 { true } else { false } })
  }

  @Test func `Nothing is written, and two may verify at once`() throws {
    for isClosed in [true, false] {
      let disk = try Self.filled(isClosed: isClosed)
      let before = disk.contents(of: Self.path).map(FileImage.init)
      let call = disk.callCount
      _ = try SedimentStore.verify(path: Self.path, on: disk) { _ in
        #expect(throws: Never.self) { try Self.verify(disk) }
        return .continue
      }
      #expect(changes(disk, since: call) == [])
      #expect(disk.contents(of: Self.path).map(FileImage.init) == before)
      #expect(disk.paths == [Self.path])
    }
  }

  @Test func `A store that is open is locked, and so is one that is verified`() throws {
    let fixture = try StoreFixture()
    #expect(code { _ = try Self.verify(fixture.disk) } == .locked)
    try fixture.close()
    _ = try SedimentStore.verify(path: Self.path, on: fixture.disk) { _ in
      #expect(code { try fixture.open() } == .locked)
      return .continue
    }
    try fixture.open()
    try fixture.close()
    let reader = try StoreFixture.opened(Self.path, on: fixture.disk, readOnly: true)
    #expect(try Self.verify(fixture.disk).isIntact)
    try reader.close()
  }

  @Test func `What is no store is an error, as it is for opening`() throws {
    let disk = SimulatedDisk(seed: 1)
    #expect(code { _ = try Self.verify(disk) } == .notFound)
    for bytes in [[], [1], pattern(100), pattern(100_000), [UInt8](repeating: 0, count: 70_000)] {
      disk.install(bytes, at: Self.path)
      #expect(code { _ = try Self.verify(disk) } == .foreign)
    }
    let directory = try StoreDirectory()
    #expect(code { _ = try SedimentStore.verify(path: directory.path) } == .foreign)
    #expect(code { _ = try SedimentStore.verify(path: directory["absent"]) } == .notFound)
  }

  @Test func `A file of a newer version is not taken for damaged`() throws {
    let disk = try Self.filled()
    let head = try FileInspection.inspect(path: Self.path, on: disk).head.leading
    var newer = head
    newer.features.neededToRead = 2
    disk.overwrite(newer.encode(), at: Int(newer.copy.byteOffset), in: Self.path)
    #expect(code { _ = try Self.verify(disk) } == .newer)
  }

  @Test func `Progress rises to the length of the file, and stopping it is an error`() throws {
    let disk = try Self.filled()
    var all: [SedimentProgress] = []
    let report = try SedimentStore.verify(path: Self.path, on: disk) { progress in
      all.append(progress)
      return .continue
    }
    #expect(all.allSatisfy { $0.totalByteCount == report.fileByteCount })
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.completedByteCount <= $1.completedByteCount })
    #expect(all.count { $0.completedByteCount == $0.totalByteCount } == 1)
    for moment in 1..<all.count {
      var count = 0
      #expect(
        code {
          _ = try SedimentStore.verify(path: Self.path, on: disk) { _ in
            count += 1
            return count == moment ? .stop : .continue
          }
        } == .cancelled)
    }
  }

  // MARK: Damage

  @Test func `Each bit that turns in what is used is found at its place, and no other matters`() throws {
    let disk = try Self.filled()
    let sound = try Self.verify(disk)
    #expect(sound.findings == [])
    let records = try Self.records(disk)
    let used = Self.usedRanges(sound)
    let length = Int(sound.fileByteCount)
    // Every byte of headers and records; of what is long, some.
    let places = (0..<length).filter { place in
      let segment = sound.segments.first { $0.range.contains(UInt64(place)) }
      let isLong = place < 32_768 || segment?.kind != .hot
      let isUsed = used.contains { $0.contains(UInt64(place)) }
      let step = isLong ? 97 : TestEffort.isLong ? 1 : hasSanitizer ? 53 : 11
      return isUsed ? place % step == 0 || place % 16_384 < 200 : place % 701 == 0
    }
    var foundCount = 0
    for place in places {
      disk.flipBit(place % 8, ofByte: place, in: Self.path)
      let report = try Self.verify(disk)
      let comment = Comment("byte \(place)")
      if used.contains(where: { $0.contains(UInt64(place)) }) {
        foundCount += 1
        #expect(!report.isIntact, comment)
        #expect(
          report.findings.contains { $0.kind.isDamage && $0.range.contains(UInt64(place)) },
          "byte \(place): \(report.findings)")
        if let record = records.first(where: { $0.contains(UInt64(place)) }) {
          #expect(report.findings.map(\.range) == [record], "byte \(place): \(report.findings)")
          #expect(report.findings.map(\.kind) == [.corrupt], comment)
        }
      } else {
        #expect(report == sound, comment)
      }
      disk.flipBit(place % 8, ofByte: place, in: Self.path)
      disk.trimHistory()
    }
    #expect(foundCount > 1_500)
    #expect(try Self.verify(disk) == sound)
  }

  @Test func `In a log that was not closed, what rots behind the last sync is taken for torn`() throws {
    let disk = try Self.filled(isClosed: false)
    let sound = try Self.verify(disk)
    #expect(sound.isIntact && sound.findings == [] && sound.wasClosed == false)
    let log = try readLog(disk, Self.path)
    var tornCount = 0
    for record in try Self.records(disk) {
      disk.flipBit(5, ofByte: Int(record.upperBound) - 9, in: Self.path)
      let report = try Self.verify(disk)
      let isKnown = log.watermark.offset.byteOffset > record.lowerBound
      let inTail = log.end.generation == log.watermark.generation
      if inTail, !isKnown, report.isIntact {
        tornCount += 1
        // A segment that the log went on in behind it is lost with it.
        #expect(report.findings.filter { $0.kind != .orphaned }.map(\.kind) == [.torn])
        #expect(report.findings.first?.range.lowerBound == record.lowerBound)
        #expect(report.logEnd == record.lowerBound)
      } else {
        #expect(!report.isIntact, "record at \(record)")
        #expect(report.findings.contains { $0.range.lowerBound == record.lowerBound })
      }
      disk.flipBit(5, ofByte: Int(record.upperBound) - 9, in: Self.path)
    }
    #expect(tornCount >= 2)
  }

  @Test func `A file that was cut short is not intact, unless what is missing was not used`() throws {
    let disk = try Self.filled()
    let sound = try Self.verify(disk)
    let contents = disk.contents(of: Self.path)!
    // An extent must be there as a whole.
    let extentEnd = sound.segments.filter { $0.kind == .extent }.map(\.range.upperBound).max()!
    let usedEnd = max(Self.usedRanges(sound).map(\.upperBound).max()!, extentEnd)
    let ends = [usedEnd, usedEnd - 1].map(Int.init)
    for length in Array(stride(from: 0, through: contents.count, by: 331)) + ends {
      let cut = SimulatedDisk(seed: 1)
      cut.install(Array(contents[..<length]), at: Self.path)
      do {
        let report = try Self.verify(cut)
        #expect(report.isIntact == (length >= usedEnd), "\(length) of \(usedEnd) bytes: \(report.findings)")
      } catch {
        #expect((error as? SedimentError)?.code == .foreign)
        #expect(length < 12)
      }
    }
  }

  @Test func `A zeroed sector is found with all that lies behind it`() throws {
    let disk = try Self.filled()
    let contents = disk.contents(of: Self.path)!
    let sound = try Self.verify(disk)
    let used = Self.usedRanges(sound)
    for sector in 0..<contents.count / 512 {
      let range = UInt64(sector * 512)..<UInt64(sector * 512 + 512)
      let old = Array(contents[sector * 512..<sector * 512 + 512])
      disk.zeroSector(sector, in: Self.path)
      let report = try Self.verify(disk)
      let isChanged = used.contains { part in
        range.clamped(to: part).contains { contents[Int($0)] != 0 }
      }
      #expect(report.isIntact == !isChanged, "sector \(sector): \(report.findings)")
      if isChanged {
        #expect(
          report.findings.contains { $0.kind == .corrupt && $0.range.overlaps(range) },
          "sector \(sector): \(report.findings)")
        // What lies in other segments is told as before.
        let others = sound.segments.filter { !$0.range.overlaps(range) && $0.kind == .extent }
        for other in others where report.segments.contains(where: { $0.liveByteCount != nil }) {
          #expect(report.segments.contains(where: { $0.range == other.range }), "sector \(sector)")
        }
      }
      disk.overwrite(old, at: sector * 512, in: Self.path)
      disk.trimHistory()
    }
  }

  @Test func `What the disk cannot read is told, and reading goes on behind it`() throws {
    let disk = try Self.filled()
    let sound = try Self.verify(disk)
    let length = sound.fileByteCount
    for start in stride(from: 0, to: length, by: 1_537) {
      let range = start / 512 * 512..<min(start / 512 * 512 + 512, length)
      disk.makeUnreadable(range, in: Self.path)
      // Another place, which must be found as well.
      let other = Self.usedRanges(sound).last!.lowerBound + 5_000
      disk.flipBit(1, ofByte: Int(other), in: Self.path)
      let report = try Self.verify(disk)
      disk.flipBit(1, ofByte: Int(other), in: Self.path)
      disk.makeReadable(Self.path)
      #expect(!report.isIntact)
      #expect(
        report.findings.contains { $0.kind == .unreadable && $0.range.overlaps(range) },
        "byte \(start): \(report.findings)")
      guard report.segments.contains(where: { $0.liveByteCount != nil }) else { continue }
      #expect(report.findings.contains { $0.range.contains(other) }, "byte \(start): \(report.findings)")
    }
  }
}
