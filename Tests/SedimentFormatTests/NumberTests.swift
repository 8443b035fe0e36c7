import SedimentFormat
import Testing

@Suite struct NumberTests {
  @Test func `A sequence number lies between zero and its maximum`() {
    #expect(SequenceNumber(0) == .zero)
    #expect(SequenceNumber(1 << 62)?.rawValue == 1 << 62)
    #expect(SequenceNumber(1 << 62 + 1) == nil)
    #expect(SequenceNumber(.max) == nil)
    #expect(SequenceNumber(4)! < SequenceNumber(5)!)
  }

  @Test func `A sequence number advances up to its maximum and no further`() {
    let last = SequenceNumber(1 << 62)!
    #expect(SequenceNumber.zero.advanced(by: 1 << 62) == last)
    #expect(SequenceNumber(7)!.advanced(by: 0)?.rawValue == 7)
    #expect(last.advanced(by: 0) == last)
    #expect(last.advanced(by: 1) == nil)
    #expect(last.advanced(by: .max) == nil)
  }

  @Test func `A generation lies between one and its maximum`() {
    #expect(Generation(0) == nil)
    #expect(Generation(1) == .first)
    #expect(Generation(1 << 62)?.rawValue == 1 << 62)
    #expect(Generation(1 << 62 + 1) == nil)
    #expect(Generation(.max) == nil)
    #expect(Generation.first < Generation(2)!)
    #expect(Generation.first.advanced(by: 1 << 62 - 1)?.rawValue == 1 << 62)
    #expect(Generation.first.advanced(by: 1 << 62) == nil)
    #expect(Generation(1 << 62)!.advanced(by: .max) == nil)
  }

  @Test func `A unit offset reaches to the end of the largest file`() {
    let end: UInt64 = 1 << 38
    #expect(UnitOffset(end)?.byteOffset == 1 << 41)
    #expect(UnitOffset(end + 1) == nil)
    #expect(UnitOffset(.max) == nil)
    #expect(UnitOffset(byteOffset: 0) == .zero)
    #expect(UnitOffset(byteOffset: 16)?.rawValue == 2)
    #expect(UnitOffset(byteOffset: 1 << 41)?.rawValue == end)
    #expect(UnitOffset(byteOffset: 1 << 41 + 8) == nil)
    for odd in 17...23 as ClosedRange<UInt64> { #expect(UnitOffset(byteOffset: odd) == nil) }
  }

  @Test func `A unit offset knows its slot`() {
    #expect(UnitOffset(byteOffset: 16_376)?.slot == 0)
    #expect(UnitOffset(byteOffset: 16_384)?.slot == 1)
    #expect(UnitOffset(byteOffset: 1 << 41 - 8)?.slot == 134_217_727)
  }

  @Test func `Log positions are in order of their generations, then their offsets`() {
    let position = { (generation: UInt64, offset: UInt64) in
      LogPosition(Generation(generation)!, UnitOffset(offset)!)
    }
    #expect(position(1, 9) < position(2, 3))
    #expect(position(2, 3) < position(2, 4))
    #expect(!(position(2, 3) < position(2, 3)))
    #expect(!(position(2, 3) < position(1, 9)))
  }

  @Test(
    arguments: [
      (2, 1, true), (1, 1, false), (0, 1, false), (2, 0, false), (2, 65_537, true), (2, 65_538, false),
      (1 << 27 - 1, 1, true), (1 << 27 - 1, 2, false), (1 << 27, 1, false), (1 << 27 - 65_537, 65_537, true),
      (1 << 27 - 65_536, 65_537, false), (.max, 1, false), (.max, .max, false), (2, .max, false),
    ] as [(UInt32, UInt32, Bool)])
  func `A run of slots lies behind the head and in the largest file`(
    first: UInt32, count: UInt32, isOne: Bool
  ) {
    #expect((SlotRun(first: first, count: count) != nil) == isOne)
  }

  @Test func `A run of slots knows its bounds`() {
    let run = SlotRun(first: 3, count: 2)!
    #expect(run.end == 5)
    #expect(run.byteRange == 49_152..<81_920)
    #expect(run.unitRange == UnitOffset(6144)!...UnitOffset(10_240)!)
    let last = SlotRun(first: 1 << 27 - 1, count: 1)!
    #expect(last.byteRange.upperBound == 1 << 41)
    #expect(last.unitRange.upperBound.rawValue == 1 << 38)
  }

  @Test func `Runs overlap if they share a slot`() {
    let run = SlotRun(first: 10, count: 3)!
    #expect(run.overlaps(run))
    #expect(run.overlaps(SlotRun(first: 12, count: 9)!))
    #expect(run.overlaps(SlotRun(first: 2, count: 9)!))
    #expect(run.overlaps(SlotRun(first: 11, count: 1)!))
    #expect(run.overlaps(SlotRun(first: 2, count: 99)!))
    #expect(!run.overlaps(SlotRun(first: 13, count: 1)!))
    #expect(!run.overlaps(SlotRun(first: 2, count: 8)!))
  }

  @Test func `A file's identity is never all zero`() {
    #expect(FileIdentity(low: 0, high: 0) == nil)
    #expect(FileIdentity(low: 1, high: 0) != nil)
    #expect(FileIdentity(low: 0, high: 1) != nil)
  }

  @Test func `The records of a segment begin behind its header and before its end`() {
    let segment = Sample.hot
    #expect(segment.recordRange == UnitOffset(byteOffset: 32_896)!...UnitOffset(byteOffset: 65_536)!)
    #expect(!segment.holdsRecord(at: UnitOffset(byteOffset: 32_888)!))
    #expect(segment.holdsRecord(at: UnitOffset(byteOffset: 32_896)!))
    #expect(segment.holdsRecord(at: UnitOffset(byteOffset: 65_528)!))
    #expect(!segment.holdsRecord(at: UnitOffset(byteOffset: 65_536)!))
  }

  @Test func `The limits are those of the format`() {
    #expect(Limits.slotByteCount == 16_384)
    #expect(Limits.slotUnitCount == 2048)
    #expect(Limits.keyByteCountMax == 65_535)
    #expect(Limits.valueByteCountMax == 1_073_741_824)
    #expect(Limits.inlineValueByteCountMax == 16_777_215)
    #expect(Limits.batchRecordCountMax == 1_048_576)
    #expect(Limits.batchByteCountMax == 268_435_456)
    #expect(Limits.collectionNameByteCountMax == 255)
    #expect(Limits.extentPieceCountMax == 4096)
    #expect(Limits.dictionaryNumberMax == 16_777_215)
    #expect(Limits.clockMax == 281_474_976_710_655)
  }
}
