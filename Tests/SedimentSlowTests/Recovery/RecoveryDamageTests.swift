import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Opening logs that are not sound.
@Suite struct RecoveryDamageTests {
  /// Checks that opening finds the damage, where it is told to be, and writes nothing.
  private func expectDamage(
    _ disk: SimulatedDisk, at offset: UInt64? = nil, _ comment: Comment? = nil,
    code: SedimentError.Code = .damaged
  ) {
    let call = disk.callCount
    let before = disk.contents(of: LogBuilder.path)
    for mode in [Opening.Mode.readWrite, .readOnly] {
      let error = failure(disk, mode)
      #expect(error?.code == code, comment)
      if let offset { #expect(error?.offset == offset, comment) }
    }
    #expect(changes(disk, since: call).isEmpty, comment)
    #expect(disk.contents(of: LogBuilder.path) == before, comment)
  }

  private func openStore() throws -> LogBuilder {
    var log = try LogBuilder()
    try log.open()
    return log
  }

  // MARK: Below and above the watermark

  @Test func `A bad record below a superblock's watermark is damage`() throws {
    var log = try openStore()
    try log.put("a", "1")
    try log.put("b", "2")
    try log.close()
    let place = log.records[1].byteRange.lowerBound
    for byte in log.records[1].byteRange {
      let disk = log.durable()
      disk.flipBit(byte % 8, ofByte: byte, in: LogBuilder.path)
      expectDamage(disk, at: UInt64(place), "byte \(byte)")
    }
  }

  @Test func `A bad record below a mark's watermark is damage, wherever the mark stands`() throws {
    for rolls in [false, true] {
      var log = try openStore()
      try log.put("a", "1")
      let bad = log.records.count
      try log.put("b", "2")
      try log.put("c", "3")
      if rolls { try log.roll(slot: 6) }
      try log.sync()
      let disk = log.durable()
      disk.flipBit(0, ofByte: log.records[bad].byteRange.lowerBound + 17, in: LogBuilder.path)
      expectDamage(disk, at: UInt64(log.records[bad].byteRange.lowerBound))
    }
  }

  @Test func `A mark is found behind a bad seal, and by seals through several segments`() throws {
    var log = try openStore()
    try log.put("a", "1")
    try log.roll(slot: 6)
    try log.put("b", "2")
    let bad = log.records.count
    try log.roll(slot: 8)
    try log.put("c", "3")
    try log.roll(slot: 10)
    try log.sync()
    let disk = log.durable()
    disk.flipBit(0, ofByte: log.records[bad].byteRange.lowerBound + 20, in: LogBuilder.path)
    expectDamage(disk, at: UInt64(log.records[bad].byteRange.lowerBound))
  }

  @Test func `A good record behind a bad one proves nothing, nor does a mark that states less`() throws {
    var log = try openStore()
    try log.put("a", "1")
    try log.sync()
    let known = log.records[1].start
    let bad = log.records.count
    try log.put("b", "2")
    try log.put("c", "3")
    try log.mark(known)
    let disk = log.durable()
    disk.flipBit(0, ofByte: log.records[bad].byteRange.lowerBound + 17, in: LogBuilder.path)
    let result = try recover(disk)
    #expect(try lines(result.log, on: disk) == ["a=1"])
    #expect(result.report.cut?.reason == "record whose checksum does not match")
  }

  @Test func `A mark of another segment's salt, or one that states more than itself, is damage`() throws {
    var wrongSalt = try openStore()
    let end = wrongSalt.position
    try wrongSalt.control(.mark(Mark(clock: 1, watermark: end, salt: 1)))
    expectDamage(wrongSalt.durable(), at: end.offset.byteOffset)
    var ahead = try openStore()
    let start = ahead.position
    try ahead.mark(LogPosition(start.generation, UnitOffset(byteOffset: start.offset.byteOffset + 8)!))
    expectDamage(ahead.durable(), at: start.offset.byteOffset)
  }

  @Test func `A log whose superblock knows more than there is is damaged`() throws {
    var log = try openStore()
    try log.put("a", "1")
    let beyond = LogPosition(
      log.segment.generation, UnitOffset(byteOffset: log.position.offset.byteOffset + 8)!)
    try log.writeSuperblock(.first, .open, watermark: beyond)
    expectDamage(log.durable(), at: log.position.offset.byteOffset)
  }

  // MARK: Batches

  @Test func `A batch without its commit is cut at its first member, also across segments`() throws {
    var log = try openStore()
    try log.put("a", "1")
    log.batch = BatchChecksum()
    let start = log.position
    try log.put("b", "2")
    try log.roll(slot: 6)
    try log.put("c", "3")
    let disk = log.durable()
    let result = try recover(disk)
    #expect(result.log.catalogue.segments[start.generation]?.end == start.offset)
    #expect(result.log.catalogue.segments[log.segment.generation] == nil)
    #expect(result.log.catalogue.segments[start.generation]?.recordCount == 1)
    #expect(try lines(result.log, on: disk) == ["a=1"])
    #expect(try lines(try recover(disk).log, on: disk) == ["a=1"])
  }

  @Test func `A commit that does not fit, or has no batch, is damage, and so is an interrupted batch`() throws
  {
    var other = try openStore()
    other.batch = BatchChecksum()
    try other.put("a", "1")
    try other.put("b", "2")
    let commit = try other.control(
      .commit(Commit(memberCount: 1, checksum: other.batch!.checksum)!))
    expectDamage(other.durable(), at: commit.offset.byteOffset)
    var lonely = try openStore()
    let place = try lonely.control(.commit(Commit(memberCount: 1, checksum: .empty)!))
    expectDamage(lonely.durable(), at: place.offset.byteOffset)
    var interrupted = try openStore()
    interrupted.batch = BatchChecksum()
    try interrupted.put("a", "1")
    interrupted.batch = nil
    let next = interrupted.position
    try interrupted.put("b", "2")
    expectDamage(interrupted.durable(), at: next.offset.byteOffset)
  }

  // MARK: The catalogue

  @Test func `What contradicts the catalogue is damage`() throws {
    let entries: [(inout LogBuilder) throws -> [CatalogueEntry]] = [
      { _ in [.freed(slot: 9, generation: Generation(9)!)] },
      { log in [.freed(slot: 2, generation: log.segment.generation)] },
      { log in [.segment(try log.survivors(slot: 3, floor: 9, [(1, "a", "b")]))] },
      { _ in [.collectionDropped(number: 5)] },
      { _ in [.dictionaryGone(number: 5)] },
      { _ in [.collection(CollectionEntry(number: 1, clearedAt: .zero, name: [0x61])!)] },
      { log in
        var entry = try log.survivors(slot: 6, floor: 9, [(1, "a", "b")])
        entry.recordCount = .max
        return [.segment(entry)]
      },
    ]
    for make in entries {
      var log = try openStore()
      let list = try make(&log)
      let place = try log.control(.catalogueChange(CatalogueChange(list)!))
      try log.put("x", "y")
      expectDamage(log.durable(), at: place.offset.byteOffset, "\(list)")
    }
  }

  @Test func `A seal that leads back or counts wrong is damage, one that leads beyond the file ends the log`()
    throws
  {
    var back = try openStore()
    let old = SegmentIdentity(
      run: SlotRun(first: 6, count: 1)!, kind: .hot, generation: Generation(1)!, salt: 1)
    let place = try back.control(.seal(Seal(recordCount: back.recordsInSegment, next: old)))
    expectDamage(back.durable(), at: place.offset.byteOffset)
    var wrong = try openStore()
    let next = wrong.newSegment(.hot, slot: 6)
    let seal = try wrong.control(.seal(Seal(recordCount: 7, next: next)))
    expectDamage(wrong.durable(), at: seal.offset.byteOffset)
    var beyond = try openStore()
    try beyond.put("a", "1")
    let far = beyond.newSegment(.hot, slot: 100)
    try beyond.control(.seal(Seal(recordCount: beyond.recordsInSegment, next: far)))
    let disk = beyond.durable()
    for _ in 0..<2 {
      let result = try recover(disk)
      #expect(try lines(result.log, on: disk) == ["a=1"])
      #expect(result.log.tail.identity.generation.rawValue > far.generation.rawValue + 1 << 31)
    }
  }

  @Test func `A segment below the watermark whose header is another is damage`() throws {
    var log = try openStore()
    try log.put("a", "1")
    try log.roll(slot: 6)
    try log.put("b", "2")
    let survivors = try log.survivors(slot: 8, floor: 3, [(2, "z", "1")])
    try log.change([.segment(survivors)])
    try log.putLarge("c", pieces: [(9, [1, 2, 3])])
    try log.sync()
    for slot in [2, 6, 8, 9] {
      for byte in [8, 20, 35, 60, 70] {
        let disk = log.durable()
        disk.flipBit(1, ofByte: slot * 16_384 + byte, in: LogBuilder.path)
        expectDamage(disk, at: UInt64(slot) * 16_384, "slot \(slot), byte \(byte)")
      }
    }
  }

  @Test func `A header above the watermark may be missing, and is written again`() throws {
    var log = try openStore()
    try log.put("a", "1")
    try log.roll(slot: 6)
    try log.put("b", "2")
    try log.putLarge("c", pieces: [(9, [1, 2, 3])])
    let disk = log.durable()
    for slot in [6, 9] { disk.zeroSector(slot * 32, in: LogBuilder.path) }
    // The sector held the first records, too, so that only the header is taken.
    let contents = log.disk.contents(of: LogBuilder.path)!
    for slot in [6, 9] {
      let rest = Array(contents[slot * 16_384 + 128..<slot * 16_384 + 512])
      disk.overwrite(rest, at: slot * 16_384 + 128, in: LogBuilder.path)
    }
    let result = try recover(disk)
    #expect(try lines(result.log, on: disk) == log.lines)
    let inspection = try FileInspection.inspect(path: LogBuilder.path, on: disk)
    #expect(inspection.segments.contains { $0.header.identity == log.segment })
    #expect(try lines(try recover(disk).log, on: disk) == log.lines)
  }

  // MARK: Superblocks

  @Test func `With either superblock gone the log is the same`() throws {
    for isClosed in [true, false] {
      var log = try openStore()
      try log.put("a", "1")
      try log.sync()
      if isClosed { try log.close() }
      for slot in [0, 1] {
        let disk = log.durable()
        disk.zeroSector(slot * 32, in: LogBuilder.path)
        let result = try recover(disk)
        #expect(try lines(result.log, on: disk) == ["a=1"])
        #expect(result.log.isClean == (isClosed && slot == 1))
        #expect(try FileInspection.inspect(path: LogBuilder.path, on: disk).head.other != nil || isClosed)
      }
    }
  }

  @Test func `Superblocks that are bad, newer or at odds are refused`() throws {
    let log = try openStore()
    let both = log.durable()
    for slot in [0, 1] { both.flipBit(0, ofByte: slot * 16_384 + 100, in: LogBuilder.path) }
    expectDamage(both)
    var newer = log.superblock(.first, .open, generation: 9)
    newer.features.neededToRead = 2
    let unknown = log.durable()
    unknown.overwrite(newer.encode(), at: 0, in: LogBuilder.path)
    expectDamage(unknown, code: .newer)
    let twice = log.durable()
    twice.overwrite(
      log.superblock(.first, .open, generation: log.superblockGeneration).encode(), at: 0,
      in: LogBuilder.path)
    expectDamage(twice)
  }

  @Test func `What only writers must know lets the file be read alone`() throws {
    var log = try openStore()
    try log.put("a", "1")
    var block = log.superblock(.first, .open, generation: 9, watermark: log.records[1].start)
    block.features.neededToWrite = 1
    let disk = log.durable()
    disk.overwrite(block.encode(), at: 0, in: LogBuilder.path)
    #expect(failure(disk)?.code == .newer)
    #expect(try lines(try recover(disk, .readOnly).log, on: disk) == ["a=1"])
  }

  @Test func `A superblock that names a place without a checkpoint is damaged`() throws {
    var log = try openStore()
    let place = log.position.offset
    try log.put("a", "1")
    log.checkpoint.offset = place
    try log.writeSuperblock(.first, .open)
    expectDamage(log.durable(), at: place.byteOffset)
  }

  // MARK: Reading

  @Test func `A sector that cannot be read is an error of the system, and nothing is written`() throws {
    var log = try openStore()
    try log.put("a", "1")
    try log.sync()
    try log.roll(slot: 6)
    try log.putLarge("b", pieces: [(9, [UInt8](repeating: 1, count: 20_000))])
    for sector in [64, 6 * 32, 9 * 32, 9 * 32 + 5] {
      let disk = log.durable()
      disk.makeUnreadable(UInt64(sector) * 512..<UInt64(sector + 1) * 512, in: LogBuilder.path)
      expectDamage(disk, "sector \(sector)", code: .inputOutput)
    }
  }

  @Test func `Records that a slot held before are never read`() throws {
    var log = try openStore()
    try log.roll(slot: 6)
    try log.put("stale", "1")
    try log.put("stale", "2")
    try log.roll(slot: 7)
    try log.appendCheckpoint()
    try log.sync()
    for copy in Superblock.Copy.allCases {
      try log.writeSuperblock(copy, .open)
      try log.file.sync()
    }
    try log.change([.freed(slot: 6, generation: Generation(2)!)])
    try log.sync()
    // The new use begins as the old one did, so that its first record ends where another stale one begins.
    try log.roll(slot: 6)
    try log.put("fresh", "1")
    let disk = log.durable()
    let result = try recover(disk)
    #expect(try lines(result.log, on: disk) == ["fresh=1"])
    #expect(result.report.cut?.offset == log.position.offset.byteOffset)
  }
}
