import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Opening logs with large values, and with checkpoints of many parts.
@Suite struct RecoveryExtentTests {
  private let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  private func openStore() throws -> LogBuilder {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "1")
    return log
  }

  private func damage(_ log: LogBuilder, _ slot: Int, byte: Int = 1000) -> SimulatedDisk {
    let disk = log.durable()
    disk.flipBit(0, ofByte: slot * 16_384 + byte, in: LogBuilder.path)
    return disk
  }

  @Test func `A large value above the watermark that is torn ends the log at its put`() throws {
    var log = try openStore()
    try log.putLarge("b", pieces: [(6, bytes), (9, bytes)])
    let put = log.records[log.records.count - 1].start
    try log.put("c", "3")
    for slot in [6, 7, 9] {
      let disk = damage(log, slot)
      for _ in 0..<3 {
        let result = try recover(disk)
        #expect(try lines(result.log, on: disk) == ["a=1"])
        #expect(result.log.catalogue.segments[put.generation]?.end == put.offset)
        #expect(result.log.catalogue.slots.generation(at: UInt32(slot)) != Generation(2))
      }
    }
    let whole = log.durable()
    #expect(try lines(try recover(whole).log, on: whole) == log.lines)
  }

  @Test func `In a batch it takes the batch with it`() throws {
    var log = try openStore()
    log.batch = BatchChecksum()
    try log.put("b", "2")
    try log.putLarge("c", pieces: [(6, bytes)])
    try log.commit()
    let disk = damage(log, 6)
    #expect(try lines(try recover(disk).log, on: disk) == ["a=1"])
    let whole = log.durable()
    #expect(try lines(try recover(whole).log, on: whole) == log.lines)
  }

  @Test func `Below the watermark it is not looked at`() throws {
    var log = try openStore()
    try log.putLarge("b", pieces: [(6, bytes)])
    try log.sync()
    let disk = damage(log, 6)
    #expect(try lines(try recover(disk).log, on: disk) == log.lines)
  }

  @Test func `One that was freed again is not looked at, unless the freeing is cut off`() throws {
    var log = try openStore()
    try log.putLarge("b", pieces: [(6, bytes)])
    let first = Generation(2)!
    try log.put("c", "3")
    let change = log.position
    try log.change([.freed(slot: 6, generation: first)])
    try log.put("d", "4")
    let reused = damage(log, 6)
    #expect(try lines(try recover(reused).log, on: reused) == log.lines)
    // A later put that fails cuts the freeing, too, if it stands before it.
    var revived = try openStore()
    try revived.putLarge("b", pieces: [(6, bytes)])
    try revived.putLarge("c", pieces: [(9, bytes)])
    try revived.change([.freed(slot: 6, generation: first)])
    let both = damage(revived, 6)
    both.flipBit(0, ofByte: 9 * 16_384 + 500, in: LogBuilder.path)
    #expect(try lines(try recover(both).log, on: both) == ["a=1"])
    // The record of the freeing itself torn: the value has to be whole.
    let torn = damage(log, 6)
    torn.flipBit(0, ofByte: Int(change.offset.byteOffset) + 20, in: LogBuilder.path)
    #expect(try lines(try recover(torn).log, on: torn) == ["a=1"])
  }

  @Test func `Both superblocks keep the segment that their log begins in`() throws {
    var log = try openStore()
    let first = log.segment.generation
    try log.roll(slot: 5)
    var keeper = HeadKeeper(try Head.read(from: StoreFile(log.file)), of: StoreFile(log.file), session: 1)
    #expect(keeper.neededGeneration == first && first < log.segment.generation)
    for needed in [first, log.segment.generation] {
      try keeper.advance(to: (log.segment, log.position.offset), watermark: log.position, state: .open)
      #expect(keeper.neededGeneration == needed)
    }
  }

  @Test func `A checkpoint in many parts, across segments, is read and made`() throws {
    var log = try LogBuilder(fileSlotCount: 64)
    try log.open()
    for number in 1...600 as ClosedRange<UInt32> {
      let name = Array(
        "collection number \(number) with a long name that fills the parts of checkpoints".utf8)
      let sequence = SequenceNumber(log.sequence + 1)!
      if log.offset.byteOffset + 300 > log.segment.run.byteRange.upperBound {
        try log.roll(slot: log.segment.run.end + (log.segment.run.first == 2 ? 2 : 0), count: 4)
        let again = SequenceNumber(log.sequence + 1)!
        try log.change([.collection(CollectionEntry(number: number, clearedAt: again, name: name)!)])
      } else {
        try log.change([.collection(CollectionEntry(number: number, clearedAt: sequence, name: name)!)])
      }
    }
    try log.put("a", "1")
    let disk = log.durable()
    for _ in 0..<3 {
      let result = try recover(disk)
      #expect(result.log.catalogue.collections.count == 600)
      #expect(try lines(result.log, on: disk) == ["a=1"])
      #expect(result.log.catalogue.checkpointParts!.count > 1)
    }
  }
}
