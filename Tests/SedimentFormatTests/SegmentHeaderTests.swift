import SedimentFormat
import Testing

@Suite struct SegmentHeaderTests {
  private static let header = Sample.segmentHeader
  private static let bytes = header.encode(in: Sample.file)

  @Test func `A header comes back as it was, of whatever kind`() throws {
    #expect(try SegmentHeader.decode(Self.bytes) == Self.header)
    for kind in SegmentKind.allCases {
      let header = SegmentHeader(
        identity: Sample.segment(kind, first: 2), base: .zero, floor: .zero)
      #expect(try SegmentHeader.decode(header.encode(in: Sample.file)) == header)
    }
  }

  @Test func `A header's fields lie where the format says`() {
    var expected = laid(
      128,
      [
        (0, 8, 0x4d47_4553_4944_4553), (40, 8, 0x0706_0504_0302_0100), (48, 8, 0x0f0e_0d0c_0b0a_0908),
        (56, 8, 0x4142), (64, 8, 0x4142), (72, 8, 8), (80, 8, 90_000 / 8),
      ] + identityFields(Self.header.identity, at: 12))
    expected.mend(128)
    #expect(Self.bytes == expected)
    #expect(Array(expected[0..<8]) == Array("SEDISEGM".utf8))
  }

  @Test func `A header of another slot is refused`() {
    for slot in [0, 1, 3, 4, .max] as [UInt32] {
      #expect(
        fault { () throws(FormatError) in try SegmentHeader.decode(Self.bytes, at: slot) } == .field(.slots))
    }
  }

  @Test func `A header of another file is refused, and tells its file to who does not know it`() throws {
    for (low, high) in [(1, 0), (0, 1), (1 << 63, 0), (0, 1 << 63)] as [(UInt64, UInt64)] {
      let other = FileIdentity(low: Sample.file.low ^ low, high: Sample.file.high ^ high)!
      #expect(
        fault { () throws(FormatError) in try SegmentHeader.decode(Self.bytes, in: other) }
          == .field(.identity))
      let bytes = Self.header.encode(in: other)
      let (file, header) = try unsafe SegmentHeader.decode(bytes.span.bytes, at: 2)
      #expect(file == other)
      #expect(header == Self.header)
    }
  }

  @Test(arguments: [
    Damage(0 as UInt64, at: 0, .absent), Damage(1 as UInt32, at: 12, .field(.slots)),
    Damage(3 as UInt32, at: 12, .field(.slots)), Damage(0 as UInt32, at: 16, .field(.slots)),
    Damage(65_537 as UInt32, at: 16, nil), Damage(65_538 as UInt32, at: 16, .field(.slots)),
    Damage(0 as UInt32, at: 20, .field(.kind)), Damage(7 as UInt32, at: 20, .newer(.kind)),
    Damage(UInt32.max, at: 20, .newer(.kind)), Damage(2 as UInt32, at: 20, .field(.predecessor)),
    Damage(0 as UInt64, at: 24, .field(.generation)), Damage(8 as UInt64, at: 24, .field(.predecessor)),
    Damage(1 << 62 as UInt64, at: 24, nil), Damage(1 << 62 + 1 as UInt64, at: 24, .field(.generation)),
    Damage(UInt64.max, at: 32, nil), Damage(0x4141 as UInt64, at: 56, .field(.floor)),
    Damage(0x4143 as UInt64, at: 56, .field(.floor)), Damage(UInt64.max, at: 56, .field(.base)),
    Damage(0x4143 as UInt64, at: 64, .field(.floor)), Damage(0x4141 as UInt64, at: 64, .field(.floor)),
    Damage(1 << 62 + 1 as UInt64, at: 64, .field(.floor)),
    Damage(0 as UInt64, at: 72, .field(.predecessor)), Damage(9 as UInt64, at: 72, .field(.predecessor)),
    Damage(1 as UInt64, at: 72, nil), Damage(0 as UInt64, at: 80, nil),
    Damage(1 << 38 + 1 as UInt64, at: 80, .field(.predecessor)),
    Damage(1 as UInt32, at: 88, nil), Damage(UInt32.max, at: 88, nil),
    Damage(1 as UInt32, at: 92, .newer(.dataKey)),
    Damage(1 as UInt8, at: 96, .field(.reserved)), Damage(0x80 as UInt8, at: 127, .field(.reserved)),
  ])
  func `A field of a header is refused out of its range and taken at its edge`(damage: Damage) {
    var bytes = Self.bytes
    bytes.put(damage.bytes, at: damage.offset)
    bytes.mend(128)
    #expect(fault { () throws(FormatError) in try SegmentHeader.decode(bytes) } == damage.fault)
  }

  @Test func `A header without an identity of its file is refused`() {
    var bytes = Self.bytes
    bytes.put([UInt8](repeating: 0, count: 16), at: 40)
    bytes.mend(128)
    #expect(fault { () throws(FormatError) in try SegmentHeader.decode(bytes) } == .field(.identity))
  }

  @Test func `Only other than hot segments have a floor above their base, and none below it`() {
    for kind in SegmentKind.allCases {
      for (floor, isSound) in [(7, false), (8, true), (9, kind != .hot), (1 << 62, kind != .hot)]
        as [(UInt64, Bool)]
      {
        let header = SegmentHeader(
          identity: Sample.segment(kind, first: 2), base: SequenceNumber(8)!, floor: SequenceNumber(floor)!)
        let found = fault { () throws(FormatError) in try SegmentHeader.decode(header.encode(in: Sample.file))
        }
        #expect(found == (isSound ? nil : .field(.floor)), "\(kind), \(floor)")
      }
    }
  }

  @Test func `The header of a freed segment is read without its magic, and only so`() throws {
    var bytes = Self.bytes
    bytes.put(0 as UInt64, at: 0)
    #expect(fault { () throws(FormatError) in try SegmentHeader.decode(bytes) } == .absent)
    #expect(
      try unsafe SegmentHeader.decode(bytes.span.bytes, in: Sample.file, at: 2, mayBeFreed: true)
        == Self.header)
    #expect(
      try unsafe SegmentHeader.decode(Self.bytes.span.bytes, in: Sample.file, at: 2, mayBeFreed: true)
        == Self.header)
    let decode = { (bytes: [UInt8]) in
      fault { () throws(FormatError) in
        try unsafe SegmentHeader.decode(bytes.span.bytes, in: Sample.file, at: 2, mayBeFreed: true)
      }
    }
    #expect(decode(Array(bytes[..<127])) == .truncated)
    #expect(decode([UInt8](repeating: 0, count: 128)) == .checksum)
    bytes.put(1 as UInt64, at: 0)
    #expect(decode(bytes) == .absent)
    let other = Self.header.encode(in: FileIdentity(low: 1, high: 1)!)
    #expect(decode(other) == .field(.identity))
    withEveryBitFlipped(Array(Self.bytes[8...])) { damaged, bit in
      #expect(decode([UInt8](repeating: 0, count: 8) + damaged) == .checksum, "bit \(bit)")
    }
  }

  @Test func `What a header of version 0.1 has at 88 is not looked at, whatever the kind`() throws {
    for kind in SegmentKind.allCases {
      let header = SegmentHeader(identity: Sample.segment(kind, first: 2), base: .zero, floor: .zero)
      for number in [1, 2, 3, 4, 1 << 27, .max] as [UInt32] {
        var bytes = header.encode(in: Sample.file)
        bytes.put(number, at: 88)
        bytes.mend(128)
        #expect(try SegmentHeader.decode(bytes) == header)
      }
    }
  }

  @Test func `Only hot segments have predecessors`() {
    for kind in SegmentKind.allCases where kind != .hot {
      for offset in [72, 80] {
        var bytes = SegmentHeader(identity: Sample.segment(kind, first: 2), base: .zero, floor: .zero)
          .encode(in: Sample.file)
        bytes.put(4 as UInt32, at: offset)
        bytes.mend(128)
        #expect(fault { () throws(FormatError) in try SegmentHeader.decode(bytes) } == .field(.predecessor))
      }
    }
  }
}

@Suite struct SegmentIdentityTests {
  @Test func `An identity comes back as it was, wherever it lies`() throws {
    for offset in [0, 1, 12] {
      var bytes = [UInt8](repeating: 0xee, count: 40)
      var elements = bytes.mutableSpan
      var span = unsafe elements.mutableBytes
      Sample.hot.encode(into: &span, at: offset)
      let found = try unsafe SegmentIdentity.decode(bytes.span.bytes, at: offset, for: .seal)
      #expect(found == Sample.hot)
      #expect(
        Array(bytes[offset..<offset + 28]) == laid(28, identityFields(Sample.hot, at: 0)))
      #expect(bytes.filter { $0 == 0xee }.count == 12)
    }
  }

  @Test func `An identity that is cut short is refused, and so is a place outside`() {
    let bytes = laid(28, identityFields(Sample.hot, at: 0))
    for offset in [-1, 1, 28, .max] {
      let found = fault { () throws(FormatError) in
        try unsafe SegmentIdentity.decode(bytes.span.bytes, at: offset, for: .seal)
      }
      #expect(found == .field(.length), "offset \(offset)")
    }
    for count in 0..<28 {
      let found = fault { () throws(FormatError) in
        try unsafe SegmentIdentity.decode(bytes.span.bytes.extracting(0..<count), at: 0, for: .seal)
      }
      #expect(found == .field(.length), "\(count) bytes")
    }
  }

  @Test func `An error names the structure that the identity is part of`() {
    let bytes = [UInt8](repeating: 0, count: 28)
    for structure in [.superblock, .segmentHeader, .seal, .valuePlace] as [FormatError.Structure] {
      #expect(throws: FormatError(structure, .field(.slots))) {
        try unsafe SegmentIdentity.decode(bytes.span.bytes, at: 0, for: structure)
      }
    }
  }

  @Test func `A seed is the checksum of the file's identity and the block`() {
    let bytes =
      laid(16, [(0, 8, Sample.file.low), (8, 8, Sample.file.high)])
      + laid(28, identityFields(Sample.hot, at: 0))
    #expect(Sample.hot.seed(in: Sample.file) == Checksum.empty.continued(with: unsafe bytes.span.bytes))
  }

  @Test func `Every bit of file and identity changes the seed`() {
    let bytes =
      laid(16, [(0, 8, Sample.file.low), (8, 8, Sample.file.high)])
      + laid(28, identityFields(Sample.hot, at: 0))
    withEveryBitFlipped(bytes) { other, bit in
      let seed = Checksum.empty.continued(with: unsafe other.span.bytes)
      #expect(seed != Sample.hot.seed(in: Sample.file), "bit \(bit)")
    }
  }
}
