import SedimentFormat
import Testing

@Suite struct ValuePlaceTests {
  private static func found(_ bytes: [UInt8]) -> FormatError.Fault? {
    fault { () throws(FormatError) in try ValuePlace.decode(bytes) }
  }

  @Test func `A place comes back as it was, with what stands behind it`() throws {
    #expect(try ValuePlace.decode(Sample.valuePlaceBytes) == Sample.valuePlace)
    #expect(Sample.valuePlace.storedByteCount == 20_008)
    #expect(Sample.valuePlace.tailOffset == 96)
    #expect(Array(Sample.valuePlaceBytes[96...]) == [0xa1, 0xa2, 0xa3])
  }

  @Test func `The fields of a place lie where the format says`() {
    let expected = laid(
      96,
      [
        (0, 8, 20_008), (8, 4, 2), (44, 4, 0x7172_7374), (48, 8, 20_000), (84, 4, 0x8182_8384), (88, 8, 5),
      ] + identityFields(Sample.segment(.extent, first: 10, count: 2), at: 16)
        + identityFields(Sample.segment(.extent, first: 20), at: 56))
    #expect(Sample.valuePlace.encode() == expected)
  }

  @Test(arguments: [
    Damage(20_009 as UInt64, at: 0, .field(.length)), Damage(20_007 as UInt64, at: 0, .field(.length)),
    Damage(0 as UInt32, at: 8, .field(.pieces)), Damage(1 as UInt32, at: 8, .field(.length)),
    Damage(3 as UInt32, at: 8, .field(.pieces)), Damage(4097 as UInt32, at: 8, .field(.pieces)),
    Damage(UInt32.max, at: 8, .field(.pieces)), Damage(1 as UInt8, at: 12, .field(.reserved)),
    Damage(0x80 as UInt8, at: 15, .field(.reserved)), Damage(1 as UInt32, at: 16, .field(.slots)),
    Damage(1 as UInt32, at: 20, .field(.pieces)), Damage(3 as UInt32, at: 20, .field(.pieces)),
    Damage(1 as UInt32, at: 24, .field(.pieces)), Damage(0 as UInt32, at: 24, .field(.kind)),
    Damage(7 as UInt32, at: 24, .newer(.kind)), Damage(0 as UInt64, at: 28, .field(.generation)),
    Damage(0 as UInt64, at: 48, .field(.pieces)), Damage(19_999 as UInt64, at: 48, .field(.length)),
    Damage(16_252 as UInt64, at: 48, .field(.pieces)), Damage(UInt64.max, at: 48, .field(.pieces)),
    Damage(1 << 30 + 1 as UInt64, at: 48, .field(.pieces)), Damage(0 as UInt64, at: 88, .field(.pieces)),
    Damage(0 as UInt32, at: 44, nil),
  ])
  func `A field of a place is refused out of its range`(damage: Damage) {
    var bytes = Sample.valuePlaceBytes
    bytes.put(damage.bytes, at: damage.offset)
    #expect(Self.found(bytes) == damage.fault)
  }

  @Test func `A piece takes just the slots of its extent`() {
    for (byteCount, slotCount) in [
      (1, 1), (16_252, 1), (16_253, 2), (1 << 20, 65), (1 << 30, 65_537),
    ] as [(UInt64, UInt32)] {
      for count in [slotCount - 1, slotCount, slotCount + 1] {
        guard let run = SlotRun(first: 2, count: count) else { continue }
        let extent = SegmentIdentity(run: run, kind: .extent, generation: .first, salt: 0)
        let piece = ValuePlace.Piece(extent: extent, checksum: .empty, storedByteCount: byteCount)
        #expect((piece != nil) == (count == slotCount), "\(byteCount) bytes in \(count) slots")
      }
    }
    let extent = Sample.segment(.extent, first: 2)
    #expect(ValuePlace.Piece(extent: extent, checksum: .empty, storedByteCount: 0) == nil)
    let largest = Sample.segment(.extent, first: 2, count: 65_537)
    #expect(ValuePlace.Piece(extent: largest, checksum: .empty, storedByteCount: 1 << 30 + 1) == nil)
    #expect(ValuePlace.Piece(extent: largest, checksum: .empty, storedByteCount: .max) == nil)
    for kind in SegmentKind.allCases where kind != .extent {
      let segment = Sample.segment(kind, first: 2)
      #expect(ValuePlace.Piece(extent: segment, checksum: .empty, storedByteCount: 1) == nil)
    }
  }

  @Test func `A place has at least one piece and at most the format's`() throws {
    let piece = Sample.valuePlace.pieces[1]
    #expect(ValuePlace(pieces: [], tailByteCount: 0) == nil)
    #expect(ValuePlace(pieces: [piece], tailByteCount: -1) == nil)
    let most = [ValuePlace.Piece](repeating: piece, count: 4096)
    let place = try #require(ValuePlace(pieces: most, tailByteCount: 0))
    #expect(try ValuePlace.decode(place.encode()) == place)
    #expect(ValuePlace(pieces: most + [piece], tailByteCount: 0) == nil)
    #expect(Self.found(laid(16 + 4097 * 40, [(8, 4, 4097)])) == .field(.pieces))
  }

  @Test func `A place holds no more than a value, and its record no more than a record`() throws {
    let whole = ValuePlace.Piece(
      extent: Sample.segment(.extent, first: 2, count: 65_537), checksum: .empty, storedByteCount: 1 << 30)!
    let place = try #require(ValuePlace(pieces: [whole], tailByteCount: 0))
    #expect(try ValuePlace.decode(place.encode()) == place)
    #expect(ValuePlace(pieces: [whole], tailByteCount: 1) == nil)
    #expect(ValuePlace(pieces: [whole, whole], tailByteCount: 0) == nil)
    var bytes = place.encode() + [0]
    bytes.put(1 << 30 + 1 as UInt64, at: 0)
    #expect(Self.found(bytes) == .field(.length))

    let piece = Sample.valuePlace.pieces[1]
    #expect(ValuePlace(pieces: [piece], tailByteCount: 16_777_215 - 56) != nil)
    #expect(ValuePlace(pieces: [piece], tailByteCount: 16_777_215 - 55) == nil)
    #expect(ValuePlace(pieces: [piece], tailByteCount: .max) == nil)
  }
}

@Suite struct ExtentLayoutTests {
  @Test(
    arguments: [
      (0, 0, 128, 1), (1, 1, 132, 1), (4, 1, 132, 1), (5, 1, 136, 1), (16_252, 1, 16_380, 1),
      (16_253, 1, 16_384, 2), (1 << 20, 1, 1_048_704, 65), (1 << 20 + 1, 2, 1_048_708, 65),
      (1 << 30, 1024, 1_073_741_952, 65_537), (1 << 30 - 1, 1024, 1_073_741_952, 65_537),
    ] as [(UInt64, Int, UInt64, UInt32)])
  func `An extent holds its header, the bytes and a checksum for each mebibyte begun`(
    byteCount: UInt64, chunkCount: Int, tableOffset: UInt64, slotCount: UInt32
  ) {
    let layout = ExtentLayout(storedByteCount: byteCount)
    #expect(layout.chunkCount == chunkCount)
    #expect(layout.tableByteCount == 4 * chunkCount)
    #expect(layout.tableOffset == tableOffset)
    #expect(layout.slotCount == slotCount)
    #expect(ExtentLayout.bytesOffset == 128)
  }

  @Test func `The most bytes that an extent of so many slots can hold take just these`() {
    for slotCount in [1, 2, 63, 64, 65, 66, 128, 129, 4_096, 65_536] as [UInt32] {
      let most = ExtentLayout.storedByteCountMax(slotCount: slotCount)
      #expect(ExtentLayout(storedByteCount: most).slotCount == slotCount)
      #expect(ExtentLayout(storedByteCount: most + 1).slotCount == slotCount + 1)
    }
  }

  @Test func `The chunks of an extent follow one another and cover its bytes`() {
    for byteCount in [1, 1 << 20, 1 << 20 + 1, 3 << 20 - 1, 1 << 30] as [UInt64] {
      let layout = ExtentLayout(storedByteCount: byteCount)
      var end: UInt64 = 0
      for number in 0..<layout.chunkCount {
        let chunk = layout.chunk(number)
        #expect(chunk.lowerBound == end)
        #expect(chunk.count == 1 << 20 || number == layout.chunkCount - 1)
        end = chunk.upperBound
      }
      #expect(end == byteCount)
    }
  }

  @Test func `A chunk's checksum covers its seed, its number and its bytes`() {
    let bytes: [UInt8] = [1, 2, 3]
    let checksum = { (number: Int, bytes: [UInt8], seed: Checksum) in
      ExtentLayout.checksum(ofChunk: number, unsafe bytes.span.bytes, seed: seed)
    }
    let whole: [UInt8] = [7, 0, 0, 0, 1, 2, 3]
    #expect(checksum(7, bytes, Checksum(5)) == Checksum(5).continued(with: unsafe whole.span.bytes))
    #expect(checksum(8, bytes, Checksum(5)) != checksum(7, bytes, Checksum(5)))
    #expect(checksum(7, bytes, Checksum(4)) != checksum(7, bytes, Checksum(5)))
    #expect(checksum(7, [1, 2, 2], Checksum(5)) != checksum(7, bytes, Checksum(5)))
  }
}
