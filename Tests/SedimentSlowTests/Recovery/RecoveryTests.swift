import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Opening logs that are sound.
@Suite struct RecoveryTests {
  /// A store in use: two segments, marks, a batch, removals.
  private func store() throws -> LogBuilder {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "1")
    try log.put("b", "2")
    try log.sync()
    try log.remove("a")
    try log.putBatch([("c", "3"), ("d", "4")])
    try log.roll(slot: 6)
    try log.put("e", "5")
    return log
  }

  @Test func `A new file opens clean and empty, for writing as for reading, and nothing is changed`() throws {
    for mode in [Opening.Mode.readWrite, .readOnly] {
      let disk = SimulatedDisk(seed: 1)
      try FileCreation(path: LogBuilder.path, on: disk).run()
      let call = disk.callCount
      let result = try recover(disk, mode)
      #expect(changes(disk, since: call).isEmpty)
      #expect(result.log.isClean)
      #expect(result.report.wasClosed && result.report.isDurable && result.report.cut == nil)
      #expect(result.log.end == result.log.head.leading.watermark)
      #expect(result.log.lastSequence == SequenceNumber(1))
      #expect(result.report.replayedRecordCount == 1)
    }
  }

  @Test func `A closed log opens with all of its records and its catalogue, and nothing is changed`() throws {
    var log = try store()
    try log.close()
    let disk = log.durable()
    let call = disk.callCount
    let result = try recover(disk)
    #expect(changes(disk, since: call).isEmpty)
    #expect(result.log.isClean)
    #expect(try lines(result.log, on: disk) == ["a=1", "b=2", "-a", "c=3", "d=4", "e=5"])
    #expect(result.log.end == log.position)
    #expect(result.log.catalogue.segments == log.catalogue.segments)
    #expect(result.log.tail == log.catalogue.segments[log.segment.generation])
    #expect(result.log.lastSequence.rawValue == log.sequence)
    #expect(result.log.clock == 5)
  }

  @Test func `A log that was not closed is secured, and its next segment is far above`() throws {
    let log = try store()
    let disk = log.durable()
    let result = try recover(disk)
    #expect(!result.log.isClean && !result.report.wasClosed && result.report.isDurable)
    #expect(result.report.cut?.offset == log.position.offset.byteOffset)
    #expect(try lines(result.log, on: disk) == log.lines)
    #expect(result.log.tail.identity.generation.rawValue == log.segment.generation.rawValue + 1 << 32)
    #expect(result.log.tail.base.rawValue == log.sequence + 1 << 32)
    #expect(disk.crashState.units.isEmpty)
    let again = try recover(disk)
    #expect(try lines(again.log, on: disk) == log.lines)
    #expect(!again.log.isClean)
  }

  @Test func `Both superblocks then name the new segment, and its header what came before`() throws {
    let log = try store()
    let disk = log.durable()
    let result = try recover(disk)
    let inspection = try FileInspection.inspect(path: LogBuilder.path, on: disk)
    #expect(inspection.head.leading.segment == result.log.tail.identity)
    #expect(inspection.head.other?.segment == result.log.tail.identity)
    #expect(result.log.head.leading == inspection.head.leading)
    #expect(result.log.head.other == inspection.head.other)
    #expect(inspection.head.leading.state == .open && inspection.head.other?.state == .open)
    #expect(inspection.head.leading.watermark == result.log.end)
    let header = try #require(
      inspection.segments.last { $0.header.identity == result.log.tail.identity }
    ).header
    #expect(header.predecessor == log.position)
    #expect(header.base == result.log.tail.base)
  }

  @Test func `Reading alone recovers the same and writes nothing, and says that it is not durable`() throws {
    let log = try store()
    let disk = log.durable()
    let before = disk.contents(of: LogBuilder.path)
    let result = try recover(disk, .readOnly)
    #expect(try lines(result.log, on: disk) == log.lines)
    #expect(!result.report.isDurable && result.keeper == nil)
    #expect(disk.contents(of: LogBuilder.path) == before)
  }

  @Test func `Cut at any byte above the watermark, the log is just the records before it`() throws {
    let log = try store()
    let contents = log.disk.contents(of: LogBuilder.path)!
    // The mark that follows the sync may be gone itself; what it states is then not known.
    let first = try #require(log.records.firstIndex { $0.line == "b=2" })
    var counts: Set<Int> = []
    for number in first..<log.records.count {
      for byte in log.records[number].byteRange {
        var bytes = contents
        for later in log.records[number...] {
          for place in later.byteRange where later.start > log.records[number].start || place >= byte {
            bytes[place] = 0
          }
        }
        let disk = SimulatedDisk(seed: 9)
        disk.install(bytes, at: LogBuilder.path)
        let expected = log.lines(in: bytes)
        counts.insert(expected.count)
        let result = try recover(disk)
        #expect(try lines(result.log, on: disk) == expected, "record \(number), byte \(byte)")
        #expect(try lines(try recover(disk, .readOnly).log, on: disk) == expected)
      }
    }
    #expect(counts == [1, 2, 3, 5, 6])
  }
}
