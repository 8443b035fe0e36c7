import SedimentFormat
import Testing

@Suite struct RecordTests {
  @Test func `Every combination of kind and fields comes back as it was, or breaks a rule`() throws {
    var soundCount = 0
    for kind in RecordKind.allCases {
      for choice in 0..<32 {
        var header = RecordHeader(
          kind: kind, isBatched: choice & 1 != 0, sequence: SequenceNumber(77)!,
          collection: choice & 2 != 0 ? .max : 0, expiry: choice & 4 != 0 ? Limits.clockMax : 0,
          keyByteCount: kind == .control ? 0 : 11, valueByteCount: kind == .remove ? 0 : 57)
        header.transform = [nil, Sample.shortTransform, Sample.longTransform, nil][choice >> 3]
        guard choice >> 3 < 3, header.violation == nil else { continue }
        soundCount += 1
        let key = [UInt8](repeating: 0xaa, count: header.keyByteCount)
        let value = [UInt8](repeating: 0xbb, count: header.valueByteCount)
        let bytes = record(header, key: key, value: value, at: Sample.place)
        let found = try RecordHeader.decode(bytes)
        #expect(found == header)
        #expect(Array(bytes[found.keyRange]) == key)
        #expect(Array(bytes[found.valueRange]) == value)
        #expect(bytes[found.valueRange.upperBound...].allSatisfy { $0 == 0 })
        #expect(found.byteCount == bytes.count && bytes.count % 8 == 0)
        #expect(try RecordHeader.decode(bytes + Sample.records[0]) == header)
      }
    }
    // Puts of both kinds may have all four; a remove has neither expiry nor transform, a control record only
    // the batched bit.
    #expect(soundCount == 2 * 24 + 4 + 2)
  }

  @Test func `The fields of a full record lie where the format says`() {
    var expected = laid(
      48,
      [
        (4, 1, 0b1011_1001), (5, 3, 9), (8, 2, 5), (10, 6, 0x0102_0304_0506), (16, 4, 0x1112_1314),
        (20, 6, 0x2122_2324_2526), (26, 1, 0x29), (27, 3, 0x21_2223), (30, 4, 0x3132_3334),
      ])
    expected.put(Array("a keythe value".utf8), at: 34)
    expected.put(
      Sample.place.seed.continued(with: 32_896 / 8 as UInt32)
        .continued(with: unsafe expected.span.bytes.extracting(4..<48)).rawValue, at: 0)
    #expect(Sample.records[2] == expected)
  }

  @Test func `The fields of the least record lie where the format says`() {
    var expected = laid(24, [(4, 1, 1), (5, 3, 5), (8, 2, 3), (10, 6, 1)])
    expected.put(Array("keyvalue".utf8), at: 16)
    expected.put(
      Sample.place.seed.continued(with: 32_896 / 8 as UInt32)
        .continued(with: unsafe expected.span.bytes.extracting(4..<24)).rawValue, at: 0)
    #expect(Sample.records[0] == expected)
  }

  @Test func `The longest fields come back as they were`() throws {
    let header = RecordHeader(
      kind: .put, sequence: SequenceNumber(1)!, collection: 1, expiry: 1, transform: Sample.longTransform,
      keyByteCount: 65_535, valueByteCount: 16_777_215)
    #expect(header.violation == nil)
    let bytes = record(
      header, key: [UInt8](repeating: 1, count: 65_535), value: [UInt8](repeating: 2, count: 16_777_215),
      at: Sample.place)
    #expect(try RecordHeader.decode(bytes) == header)
  }

  // MARK: Place

  @Test func `A record is good in one place of one use of one file`() {
    let salt = SegmentIdentity(
      run: Sample.run, kind: .hot, generation: Generation(1)!, salt: Sample.hot.salt ^ 1)
    let generation = SegmentIdentity(
      run: Sample.run, kind: .hot, generation: Generation(2)!, salt: Sample.hot.salt)
    let kind = SegmentIdentity(
      run: Sample.run, kind: .survivors, generation: Generation(1)!, salt: Sample.hot.salt)
    let slots = SegmentIdentity(
      run: SlotRun(first: 2, count: 3)!, kind: .hot, generation: Generation(1)!, salt: Sample.hot.salt)
    let otherFile = FileIdentity(low: Sample.file.low, high: Sample.file.high ^ 1)!
    var places = [salt, generation, kind, slots].map {
      RecordPlace(seed: $0.seed(in: Sample.file), base: .zero, offset: Sample.place.offset)
    }
    places.append(
      RecordPlace(seed: Sample.hot.seed(in: otherFile), base: .zero, offset: Sample.place.offset))
    for bit in 0..<32 as Range<UInt64> {
      places.append(
        RecordPlace(
          seed: Sample.place.seed, base: .zero,
          offset: UnitOffset(Sample.place.offset.rawValue ^ (1 << bit))!))
    }
    for bytes in Sample.records {
      #expect(fault { () throws(FormatError) in try RecordHeader.decode(bytes) } == nil)
      for place in places {
        #expect(fault { () throws(FormatError) in try RecordHeader.decode(bytes, at: place) } == .checksum)
      }
    }
  }

  @Test func `A record sealed under one seed never counts under another, as CRC is linear`() {
    let seed: UInt64 = 3
    var random = SplitMix(seed: seed)
    for round in 0..<20_000 {
      let first = UInt32(truncatingIfNeeded: random.next())
      // Half of the other seeds differ in one bit, where accidents of the arithmetic would be likeliest.
      let difference =
        round % 2 == 0 ? UInt32(truncatingIfNeeded: random.next()) : 1 << UInt32(round / 2 % 32)
      guard difference != 0 else { continue }
      let offset = UnitOffset(UInt64.random(in: 4112..<1 << 38, using: &random))!
      let place = RecordPlace(seed: Checksum(first), base: .zero, offset: offset)
      let other = RecordPlace(seed: Checksum(first ^ difference), base: .zero, offset: offset)
      let length = Int.random(in: 0..<60, using: &random)
      let bytes = record(
        RecordHeader(kind: .put, sequence: SequenceNumber(9)!, keyByteCount: 0, valueByteCount: length),
        key: [], value: random.bytes(length), at: place)
      #expect(fault { () throws(FormatError) in try RecordHeader.decode(bytes, at: place) } == nil)
      #expect(
        fault { () throws(FormatError) in try RecordHeader.decode(bytes, at: other) } == .checksum,
        "seed \(seed), round \(round)")
    }
  }

  // MARK: Sequences

  @Test(
    arguments: [
      (0, 1), (0, 1 << 48 - 1), (1, 2), (1, 1 << 48), (5, 1 << 48), (1 << 48 - 1, 1 << 48),
      (1 << 48 - 1, 1 << 48 + 1), (1 << 48 - 2, 1 << 48 - 1), (1 << 48, 1 << 48 + 1),
      (1 << 48 - 1, 1 << 49 - 2), (3 << 48 + 7, 4 << 48), (3 << 48 + 7, 4 << 48 + 6),
      (1 << 62 - 1, 1 << 62), (1 << 62 - 1 << 47, 1 << 62),
    ] as [(UInt64, UInt64)])
  func `A sequence is completed from its segment's base`(base: UInt64, sequence: UInt64) throws {
    let place = RecordPlace(
      seed: Sample.place.seed, base: SequenceNumber(base)!, offset: Sample.place.offset)
    let header = RecordHeader(
      kind: .put, sequence: SequenceNumber(sequence)!, keyByteCount: 1, valueByteCount: 1)
    let bytes = record(header, key: [1], value: [2], at: place)
    #expect(try RecordHeader.decode(bytes, at: place).sequence.rawValue == sequence)
  }

  @Test(
    arguments: [
      (0, 0), (7, 7), (1 << 48, 0), (3 << 48 + 7, 7), (1 << 62, 1), (1 << 62, 0), (1 << 62 - 1, 1),
      (1 << 62 - 9, 1 << 48 - 10), (1 << 62 - 9, 1 << 47),
    ] as [(UInt64, UInt64)])
  func `A sequence that no record of the segment can have is refused`(base: UInt64, low: UInt64) {
    let place = RecordPlace(
      seed: Sample.place.seed, base: SequenceNumber(base)!, offset: Sample.place.offset)
    #expect(place.sequence(low: low) == nil)
    let bytes = handmade(shape: 1, keyByteCount: 1, sequence: low, at: place)
    #expect(
      fault { () throws(FormatError) in try RecordHeader.decode(bytes, at: place) } == .field(.sequence))
  }
}
