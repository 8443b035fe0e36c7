import SedimentFormat
import Testing

@Suite struct ControlRecordTests {
  private static func found(_ bytes: [UInt8]) -> FormatError.Fault? {
    fault { () throws(FormatError) in try ControlRecord.decode(bytes) }
  }

  @Test(arguments: Sample.controls)
  func `A control record comes back as it was, alone and in its record`(control: ControlRecord) throws {
    let value = try #require(control.encode())
    #expect(try ControlRecord.decode(value) == control)
    let header = ControlRecord.header(valueByteCount: value.count, sequence: SequenceNumber(3)!)
    let bytes = record(header, key: [], value: value, at: Sample.place)
    let found = try RecordHeader.decode(bytes)
    #expect(found == header)
    #expect(try ControlRecord.decode(Array(bytes[found.valueRange])) == control)
  }

  @Test func `The fields of marks, seals and commits lie where the format says`() {
    #expect(
      Sample.mark.encode()
        == laid(
          32,
          [
            (0, 1, 1), (2, 6, 0x0102_0304_0506), (8, 8, 0x1112_1314), (16, 8, 0x21_2223_2425),
            (24, 8, 0x3132_3334_3536_3738),
          ]))
    #expect(
      Sample.seal.encode()
        == laid(
          40,
          [(0, 1, 2), (4, 4, 0x0102_0304)]
            + identityFields(Sample.segment(.hot, first: 7, count: 3), at: 8)))
    #expect(
      Sample.commit.encode() == laid(16, [(0, 1, 3), (4, 4, 0x0001_0203), (8, 4, 0x1112_1314)]))
    #expect(Mark.recordByteCount == 48)
    #expect(Seal.recordByteCount == 56)
  }

  @Test(arguments: [
    Damage(1 as UInt8, at: 1, .field(.reserved)), Damage(0 as UInt64, at: 8, .field(.watermark)),
    Damage(1 << 62 as UInt64, at: 8, nil), Damage(1 << 62 + 1 as UInt64, at: 8, .field(.watermark)),
    Damage(0 as UInt64, at: 16, nil), Damage(1 << 38 as UInt64, at: 16, nil),
    Damage(1 << 38 + 1 as UInt64, at: 16, .field(.watermark)), Damage(0 as UInt64, at: 24, nil),
    Damage(UInt32.max, at: 2, nil), Damage(UInt16.max, at: 6, nil),
  ])
  func `A field of a mark is refused out of its range`(damage: Damage) {
    var bytes = Sample.mark.encode()
    bytes.put(damage.bytes, at: damage.offset)
    #expect(Self.found(bytes) == damage.fault)
  }

  @Test(arguments: [
    Damage(1 as UInt8, at: 1, .field(.reserved)), Damage(1 as UInt8, at: 3, .field(.reserved)),
    Damage(UInt32.max, at: 4, nil), Damage(0 as UInt32, at: 4, nil),
    Damage(1 as UInt32, at: 8, .field(.slots)),
    Damage(2 as UInt32, at: 16, .field(.kind)), Damage(0 as UInt32, at: 16, .field(.kind)),
    Damage(7 as UInt32, at: 16, .newer(.kind)), Damage(0 as UInt64, at: 20, .field(.generation)),
    Damage(1 as UInt8, at: 36, .field(.reserved)), Damage(0x80 as UInt8, at: 39, .field(.reserved)),
  ])
  func `A field of a seal is refused out of its range`(damage: Damage) {
    var bytes = Sample.seal.encode()
    bytes.put(damage.bytes, at: damage.offset)
    #expect(Self.found(bytes) == damage.fault)
  }

  @Test(arguments: [
    Damage(1 as UInt8, at: 1, .field(.reserved)), Damage(1 as UInt8, at: 3, .field(.reserved)),
    Damage(0 as UInt32, at: 4, .field(.count)), Damage(1 as UInt32, at: 4, nil),
    Damage(1 << 20 as UInt32, at: 4, nil), Damage(1 << 20 + 1 as UInt32, at: 4, .field(.count)),
    Damage(1 as UInt8, at: 12, .field(.reserved)), Damage(0x80 as UInt8, at: 15, .field(.reserved)),
  ])
  func `A field of a commit is refused out of its range`(damage: Damage) {
    var bytes = Sample.commit.encode()
    bytes.put(damage.bytes, at: damage.offset)
    #expect(Self.found(bytes) == damage.fault)
  }

  @Test func `Marks, seals and commits have one length each`() {
    for value in [Sample.mark.encode(), Sample.seal.encode(), Sample.commit.encode()] {
      for count in 1..<value.count { #expect(Self.found(Array(value[..<count])) == .field(.length)) }
      #expect(Self.found(value + [0]) == .field(.length))
      #expect(Self.found(value + [UInt8](repeating: 0, count: 8)) == .field(.length))
    }
  }

  @Test func `A clock beyond the limit is written as the limit`() throws {
    for clock in [1 << 48 - 1, 1 << 48, .max] as [UInt64] {
      let mark = Mark(clock: clock, watermark: Sample.mark.watermark, salt: 1)
      #expect(mark.clock == 1 << 48 - 1)
      #expect(try ControlRecord.decode(mark.encode()) == .mark(mark))
    }
  }

  @Test func `Unknown types are of a newer version, passed over from 0x80 on, and zero is none`() throws {
    for type in UInt8.min...UInt8.max where !(1...5).contains(type) {
      for count in [1, 8, 32] {
        let bytes = [type] + [UInt8](repeating: 0xee, count: count - 1)
        switch type {
        case 0: #expect(Self.found(bytes) == .field(.type))
        case 0x80...: #expect(try ControlRecord.decode(bytes) == .ignorable(type: type))
        default: #expect(Self.found(bytes) == .newer(.type))
        }
      }
    }
    #expect(ControlRecord.ignorable(type: 0x80).encode() == nil)
    #expect(Self.found([]) == .field(.value))
  }
}

@Suite struct BatchChecksumTests {
  private func added(_ records: [[UInt8]]) -> BatchChecksum {
    var batch = BatchChecksum()
    for bytes in records { #expect(unsafe batch.add(bytes.span.bytes)) }
    return batch
  }

  @Test func `A commit counts the members and covers their checksum fields in order`() {
    let fields = Sample.records.flatMap { $0[0..<4] }
    let expected = Commit(
      memberCount: UInt32(Sample.records.count),
      checksum: Checksum.empty.continued(with: unsafe fields.span.bytes))
    #expect(added(Sample.records).commit == expected)
  }

  @Test func `A batch that lacks a member, has another or another order has another commit`() {
    let commit = added(Sample.records).commit
    for index in Sample.records.indices {
      var records = Sample.records
      records.remove(at: index)
      #expect(added(records).commit != commit)
      records = Sample.records
      records[index][0] ^= 1
      #expect(added(records).commit != commit)
      records = Sample.records
      records.swapAt(index, (index + 1) % records.count)
      #expect(added(records).commit != commit)
    }
  }

  @Test func `A batch has at least one member and at most the format's`() {
    var batch = BatchChecksum()
    #expect(batch.commit == nil)
    let bytes = Sample.records[0]
    for _ in 0..<1 << 20 {
      guard unsafe batch.add(bytes.span.bytes) else {
        Issue.record("refused after \(batch.memberCount) members")
        return
      }
    }
    let full = batch.commit
    #expect(full?.memberCount == 1 << 20)
    #expect(unsafe !batch.add(bytes.span.bytes))
    #expect(batch.commit == full)
    #expect(Commit(memberCount: 0, checksum: .empty) == nil)
    #expect(Commit(memberCount: 1 << 20, checksum: .empty) != nil)
    #expect(Commit(memberCount: 1 << 20 + 1, checksum: .empty) == nil)
  }
}
