import SedimentFormat
import Testing

@Suite struct SuperblockTests {
  @Test func `A superblock comes back as it was, whichever copy and state`() throws {
    for copy in Superblock.Copy.allCases {
      for state in Superblock.State.allCases {
        var block = Sample.superblock
        block.copy = copy
        block.state = state
        #expect(try Superblock.decode(block.encode(), copy: copy) == block)
      }
    }
  }

  @Test func `A superblock's fields lie where the format says`() {
    var expected = laid(
      4096,
      [
        (0, 8, 0x544e_454d_4944_4553), (12, 2, 1), (14, 2, 0), (32, 8, 0xc1c2_c3c4_c5c6_c7c8),
        (40, 8, 0x0706_0504_0302_0100), (48, 8, 0x0f0e_0d0c_0b0a_0908), (56, 8, 0x0102_0304), (64, 4, 0),
        (68, 1, 14), (69, 1, 1), (72, 8, 0xa1a2_a3a4_a5a6_a7a8), (80, 8, 0xb1b2_b3b4_b5b6_b7b8),
        (88, 8, 0xd1d2_d3d4_d5d6_d7d8), (96, 8, 0xe1e2_e3e4_e5e6_e7e8), (104, 8, 0x2122_2324),
        (112, 8, 0x3132_3334_3536_3738), (120, 8, 1_800_000_000_000), (160, 8, 32_896 / 8), (168, 8, 1),
        (176, 8, 33_400 / 8),
      ] + identityFields(Sample.hot, at: 128))
    expected.mend(4096)
    #expect(Sample.superblock.encode() == expected)
    #expect(Array(expected[0..<8]) == Array("SEDIMENT".utf8))
  }

  @Test func `The copies lie at the beginnings of the first two slots`() {
    #expect(Superblock.Copy.first.byteOffset == 0)
    #expect(Superblock.Copy.second.byteOffset == 16_384)
    #expect(Superblock.Copy.first.other == .second)
    #expect(Superblock.Copy.second.other == .first)
  }

  @Test func `A superblock in the place of the other copy is refused`() {
    #expect(
      fault { () throws(FormatError) in try Superblock.decode(Sample.superblock.encode(), copy: .second) }
        == .field(.copy))
    var second = Sample.superblock
    second.copy = .second
    #expect(
      fault { () throws(FormatError) in try Superblock.decode(second.encode(), copy: .first) }
        == .field(.copy))
  }

  @Test func `Another magic is another kind of file, whatever follows it`() {
    var bytes = Sample.superblock.encode()
    bytes.put(0x4547_4150_0000_0000 as UInt64, at: 0)
    #expect(fault { () throws(FormatError) in try Superblock.decode(bytes) } == .absent)
    bytes.mend(4096)
    #expect(fault { () throws(FormatError) in try Superblock.decode(bytes) } == .absent)
    #expect(fault { () throws(FormatError) in try Superblock.decode(Array(bytes[..<100])) } == .absent)
  }

  @Test(arguments: [
    Damage(2 as UInt16, at: 12, .newer(.major)), Damage(0 as UInt16, at: 12, .newer(.major)),
    Damage(2 as UInt64, at: 16, .newer(.features)), Damage(1 << 63 as UInt64, at: 16, .newer(.features)),
    Damage(1 as UInt64, at: 24, nil), Damage(UInt64.max, at: 32, nil),
    Damage(0 as UInt64, at: 48, nil), Damage(0 as UInt64, at: 56, .field(.generation)),
    Damage(1 << 62 as UInt64, at: 56, nil), Damage(1 << 62 + 1 as UInt64, at: 56, .field(.generation)),
    Damage(2 as UInt32, at: 64, .field(.copy)), Damage(256 as UInt32, at: 64, .field(.copy)),
    Damage(13 as UInt8, at: 68, .newer(.slots)), Damage(15 as UInt8, at: 68, .newer(.slots)),
    Damage(2 as UInt8, at: 69, .field(.state)), Damage(1 << 62 + 1 as UInt64, at: 104, .field(.sequence)),
    Damage(1 << 62 as UInt64, at: 104, nil), Damage(1 << 48 - 1 as UInt64, at: 120, nil),
    Damage(1 << 48 as UInt64, at: 120, .field(.clock)),
    Damage(1 as UInt32, at: 128, .field(.slots)), Damage(0 as UInt32, at: 132, .field(.slots)),
    Damage(65_538 as UInt32, at: 132, .field(.slots)), Damage(2 as UInt32, at: 136, .field(.kind)),
    Damage(0 as UInt32, at: 136, .field(.kind)), Damage(6 as UInt32, at: 136, .field(.kind)),
    Damage(0 as UInt64, at: 140, .field(.generation)), Damage(2 as UInt64, at: 140, .field(.watermark)),
    Damage(32_888 / 8 as UInt64, at: 160, .field(.offset)),
    Damage(65_536 / 8 as UInt64, at: 160, .field(.offset)),
    Damage(UInt64.max, at: 160, .field(.offset)), Damage(33_400 / 8 as UInt64, at: 160, .field(.watermark)),
    Damage(33_392 / 8 as UInt64, at: 160, nil), Damage(0 as UInt64, at: 168, .field(.watermark)),
    Damage(2 as UInt64, at: 168, nil), Damage(32_896 / 8 as UInt64, at: 176, .field(.watermark)),
    Damage(32_904 / 8 as UInt64, at: 176, nil), Damage(1 << 38 as UInt64, at: 176, nil),
    Damage(1 << 38 + 1 as UInt64, at: 176, .field(.watermark)),
  ])
  func `A field of a superblock is refused out of its range and taken at its edge`(damage: Damage) {
    var bytes = Sample.superblock.encode()
    bytes.put(damage.bytes, at: damage.offset)
    #expect(fault { () throws(FormatError) in try Superblock.decode(bytes) } == .checksum)
    bytes.mend(4096)
    #expect(fault { () throws(FormatError) in try Superblock.decode(bytes) } == damage.fault)
  }

  @Test func `A superblock without an identity is refused`() {
    var bytes = Sample.superblock.encode()
    bytes.put([UInt8](repeating: 0, count: 16), at: 40)
    bytes.mend(4096)
    #expect(fault { () throws(FormatError) in try Superblock.decode(bytes) } == .field(.identity))
  }

  @Test func `A newer version is told apart from damage before any of its fields is looked at`() {
    var bytes = [UInt8](repeating: 0xff, count: 4096)
    bytes.put(Array("SEDIMENT".utf8), at: 0)
    bytes.mend(4096)
    #expect(fault { () throws(FormatError) in try Superblock.decode(bytes) } == .newer(.major))
    bytes.put(1 as UInt16, at: 12)
    bytes.mend(4096)
    #expect(fault { () throws(FormatError) in try Superblock.decode(bytes) } == .newer(.features))
  }

  @Test func `What a later minor version adds in the reserved bytes changes nothing`() throws {
    for place in [14, 15, 70, 71, 156, 159, 184, 4095] {
      var bytes = Sample.superblock.encode()
      bytes[place] = 0xff
      bytes.mend(4096)
      #expect(try Superblock.decode(bytes) == Sample.superblock, "byte \(place)")
    }
  }

  @Test func `Unknown features are refused by word`() {
    #expect(Features().mayRead && Features().mayWrite)
    #expect(!Features(neededToRead: 2).mayRead)
    #expect(!Features(neededToRead: 2).mayWrite)
    #expect(Features(neededToWrite: 1 << 63).mayRead)
    #expect(!Features(neededToWrite: 1 << 63).mayWrite)
    #expect(Features(ignorable: .max).mayRead && Features(ignorable: .max).mayWrite)
  }
}

@Suite struct OwnerNoteTests {
  @Test func `A note comes back as it was`() throws {
    for note in [
      Sample.ownerNote, OwnerNote(processNumber: 0, openedAt: 0),
      OwnerNote(processNumber: .max, openedAt: .max),
    ] {
      #expect(try OwnerNote.decode(note.encode()) == note)
    }
  }

  @Test func `A note's fields lie where the format says`() {
    var expected = laid(
      64, [(0, 8, 0x5245_4e57_4f44_4553), (16, 8, 0x1112_1314), (24, 8, 1_800_000_000_002)])
    expected.mend(64)
    #expect(Sample.ownerNote.encode() == expected)
    #expect(Array(expected[0..<8]) == Array("SEDOWNER".utf8))
    #expect(OwnerNote.byteOffset == 4096)
  }

  @Test func `Bytes that are no note are told apart from a torn one`() {
    var bytes = Sample.ownerNote.encode()
    bytes[16] ^= 1
    #expect(fault { () throws(FormatError) in try OwnerNote.decode(bytes) } == .checksum)
    bytes[0] ^= 1
    #expect(fault { () throws(FormatError) in try OwnerNote.decode(bytes) } == .absent)
  }
}
