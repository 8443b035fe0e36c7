import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Opening logs that were synced, and a seal of which has rotted since.
@Suite struct RottenSealTests {
  // MARK: Stores

  /// A store with two holes, of which the log takes the second, since it is the shorter one.
  private static func store() throws -> StoreFixture {
    let fixture = try StoreFixture()
    // The window would have the seal, too.
    fixture.options.windowedSlotCount = .max
    try fixture.reopen()
    let sizes = ["long": 1_200_000, "first wall": 140_000, "short": 140_000, "second wall": 200_000]
    for key in ["long", "first wall", "short", "second wall"] {
      try fixture.store.set(pattern(sizes[key]!), forKey: key)
    }
    for key in ["long", "short"] { try fixture.store.remove(forKey: key) }
    try fixture.store.sync()
    fixture.scheduler.advance(by: 1_000_000)
    return fixture
  }

  /// The segments of the store's file in ascending order.
  private static func segments(_ fixture: StoreFixture) throws -> [FileGlance.Segment] {
    try FileInspection.inspect(path: StoreFixture.path, on: fixture.disk).segments
  }

  /// The hot segments in the order of their generations.
  private static func hotSegments(_ fixture: StoreFixture) throws -> [FileGlance.Segment] {
    try segments(fixture).filter { $0.header.identity.kind == .hot }
      .sorted { $0.header.identity.generation < $1.header.identity.generation }
  }

  @Test func `A rotten seal of a synced log is damage, whichever hole the log went on in`() throws {
    let fixture = try Self.store()
    var number = 0
    while try Self.hotSegments(fixture).count < 3 {
      try fixture.store.set(pattern(3000, number), forKey: "\(number)")
      number += 1
    }
    // Nothing but the marks of the last segment knows that the seal was synced.
    for key in ["one more", "another"] {
      try fixture.store.set("1", forKey: key)
      try fixture.store.sync()
    }
    let segments = try Self.hotSegments(fixture)
    let seal = try #require(segments[1].records.last)
    guard case .seal(let link)? = seal.control, link.next == segments[2].header.identity else {
      Issue.record("the second segment is not sealed")
      return
    }
    // Before the slots that the log went on in there is a hole that is as long.
    let before = try Self.segments(fixture).map(\.header.identity.run)
    let hole = zip(before, before.dropFirst()).contains { $1.first > $0.end && $1.end <= link.next.run.first }
    #expect(hole)
    func expectDamage(_ disk: SimulatedDisk) {
      for readOnly in [true, false] {
        var options = fixture.options
        options.readOnly = readOnly
        let error = #expect(throws: SedimentError.self) {
          _ = try SedimentStore(
            path: StoreFixture.path, options: options, disk: disk, scheduler: ManualScheduler())
        }
        #expect(error?.code == .damaged)
        #expect(error?.offset == seal.offset.byteOffset)
      }
    }
    for byte in Int(seal.offset.byteOffset)..<Int(seal.offset.byteOffset) + seal.header.byteCount {
      let disk = fixture.disk.afterProcessDeath()
      disk.flipBit(byte % 8, ofByte: byte, in: StoreFixture.path)
      expectDamage(disk)
    }
    let disk = fixture.disk.afterProcessDeath()
    disk.overwrite(
      [UInt8](repeating: 0, count: seal.header.byteCount), at: Int(seal.offset.byteOffset),
      in: StoreFixture.path)
    expectDamage(disk)
    // The price of a header that is lost as well.
    disk.overwrite(
      [UInt8](repeating: 0, count: 8), at: Int(link.next.run.byteRange.lowerBound), in: StoreFixture.path)
    let store = try SedimentStore(
      path: StoreFixture.path, options: fixture.options, disk: disk, scheduler: ManualScheduler())
    #expect(try !store.contains("one more"))
  }

  // MARK: Logs

  /// A log of four segments whose marks stand in the last one, and its seals.
  private func log() throws -> (log: LogBuilder, seals: [LogBuilder.Record]) {
    var log = try LogBuilder()
    try log.open()
    var seals: [Int] = []
    for slot in [9, 5, 12] as [UInt32] {
      try log.put("in the segment before \(slot)", "1")
      seals.append(log.records.count)
      try log.roll(slot: slot)
    }
    try log.put("last", "1")
    try log.sync()
    return (log, seals.map { log.records[$0] })
  }

  private func damage(_ records: [LogBuilder.Record], of disk: SimulatedDisk) {
    for record in records { disk.flipBit(0, ofByte: record.byteRange.lowerBound, in: LogBuilder.path) }
  }

  @Test func `However many seals have rotted, the first of them is where the log is damaged`() throws {
    let (log, seals) = try log()
    for pattern in 1..<8 {
      let disk = log.durable()
      let bad = seals.indices.filter { pattern >> $0 & 1 == 1 }.map { seals[$0] }
      damage(bad, of: disk)
      for mode in [Opening.Mode.readOnly, .readWrite] {
        let error = failure(disk, mode)
        #expect(error?.code == .damaged)
        #expect(error?.offset == bad[0].start.offset.byteOffset)
      }
    }
  }

  @Test func `A record and the seal behind it are found to be damaged`() throws {
    let (log, seals) = try log()
    let disk = log.durable()
    let before = try #require(log.records.last { $0.start < seals[1].start })
    damage([before, seals[1]], of: disk)
    #expect(failure(disk)?.offset == before.start.offset.byteOffset)
  }

  /// Headers at slot 12 that lead nowhere: what is wrong with each, and how it is made of the one that is there.
  private static let wrongHeaders: [(String, @Sendable (SegmentHeader) -> SegmentHeader)] = [
    ("an older segment before it", { with($0, predecessor: LogPosition(.first, $0.predecessor!.offset)) }),
    (
      "a place before the end of the log",
      { with($0, predecessor: LogPosition($0.predecessor!.generation, UnitOffset(byteOffset: 5 * 16_384)!)) }
    ),
    (
      "the end of the log, as behind a cut",
      { header in
        let seal = header.predecessor!.offset.byteOffset - UInt64(Seal.recordByteCount)
        return with(
          header, predecessor: LogPosition(header.predecessor!.generation, UnitOffset(byteOffset: seal)!))
      }
    ),
    (
      "a place behind the segment",
      { with($0, predecessor: LogPosition($0.predecessor!.generation, UnitOffset(byteOffset: 7 * 16_384)!)) }
    ),
    ("no segment before it", { with($0, predecessor: nil) }),
    ("another kind", { with($0, kind: .survivors, predecessor: nil) }),
    ("another salt", { with($0, salt: 5, predecessor: $0.predecessor) }),
  ]

  private static func with(
    _ header: SegmentHeader, kind: SegmentKind = .hot, salt: UInt64? = nil, predecessor: LogPosition?
  ) -> SegmentHeader {
    let identity = SegmentIdentity(
      run: header.identity.run, kind: kind, generation: header.identity.generation,
      salt: salt ?? header.identity.salt)
    return SegmentHeader(
      identity: identity, base: header.base, floor: header.floor, predecessor: predecessor)
  }

  @Test(arguments: wrongHeaders.indices)
  func `Marks behind a header that names something else prove nothing`(number: Int) throws {
    let (log, seals) = try log()
    let disk = log.durable()
    damage([seals[2]], of: disk)
    let place = 12 * 16_384
    let bytes = disk.contents(of: LogBuilder.path)![place..<place + SegmentHeader.byteCount]
    let header = try unsafe SegmentHeader.decode(Array(bytes).span.bytes, in: log.identity, at: 12)
    #expect(failure(disk, .readOnly)?.code == .damaged)
    let wrong = Self.wrongHeaders[number].1(header)
    disk.overwrite(wrong.encode(in: log.identity), at: place, in: LogBuilder.path)
    let result = try recover(disk)
    #expect(try lines(result.log, on: disk) == log.lines.dropLast(), "\(Self.wrongHeaders[number].0)")
    #expect(result.report.cut?.offset == seals[2].start.offset.byteOffset)
  }

  @Test func `Of two segments that name the same one before them both are searched`() throws {
    for isHigher in [false, true] {
      let (log, seals) = try log()
      let disk = log.durable()
      damage([seals[2]], of: disk)
      let other = SegmentIdentity(
        run: SlotRun(first: 7, count: 1)!, kind: .hot,
        generation: isHigher ? Generation(1000)! : log.segment.generation, salt: 9)
      let header = SegmentHeader(
        identity: other, base: log.base, floor: log.base,
        predecessor: LogPosition(
          seals[2].start.generation,
          UnitOffset(byteOffset: UInt64(seals[2].byteRange.upperBound))!))
      disk.overwrite(header.encode(in: log.identity), at: 7 * 16_384, in: LogBuilder.path)
      #expect(failure(disk)?.offset == seals[2].start.offset.byteOffset)
    }
  }

  // MARK: What it costs

  /// The reads and the searches for data that an opening makes.
  private func calls(_ disk: SimulatedDisk) throws -> (reads: Int, searches: Int) {
    let call = disk.callCount
    try recover(disk, .readOnly)
    let operations = disk.calls[call...].map(\.operation)
    return (operations.count { $0 == .read }, operations.count { $0 == .findData })
  }

  @Test func `Free slots are read a MiB at a time, holes and those of a closed store not at all`() throws {
    func disk(slotCount: Int, isClosed: Bool = false) throws -> SimulatedDisk {
      var log = try LogBuilder(slotCount: 1, fileSlotCount: slotCount)
      try log.open()
      try log.put("a", "1")
      try log.sync()
      if isClosed { try log.close() }
      return log.durable()
    }
    let small = try calls(disk(slotCount: 3))
    let large = try calls(disk(slotCount: 3 + 10 * 64))
    #expect(large.reads == small.reads + 10)
    #expect(large.searches == small.searches + 1)
    let hollow = try disk(slotCount: 3 + 10 * 64)
    let file = try hollow.open(LogBuilder.path, .readWrite)
    try file.punchHole(3 * 16_384..<(3 + 10 * 64) * 16_384)
    try file.close()
    let found = try calls(hollow)
    #expect(found.reads == small.reads)
    #expect(found.searches == small.searches + 1)
    let closed = try calls(disk(slotCount: 3, isClosed: true))
    let largeClosed = try calls(disk(slotCount: 3 + 10 * 64, isClosed: true))
    #expect(closed == largeClosed)
  }

  @Test func `Of free slots only the headers need be readable`() throws {
    let (log, _) = try log()
    for sector in [7 * 32 + 1, 7 * 32 + 31, 15 * 32 + 8] {
      let disk = log.durable()
      disk.makeUnreadable(UInt64(sector) * 512..<UInt64(sector + 1) * 512, in: LogBuilder.path)
      let result = try recover(disk, .readOnly)
      #expect(try lines(result.log, on: disk) == log.lines)
    }
    let disk = log.durable()
    disk.makeUnreadable(7 * 16_384..<7 * 16_384 + 512, in: LogBuilder.path)
    #expect(failure(disk, .readOnly)?.code == .inputOutput)
  }
}
