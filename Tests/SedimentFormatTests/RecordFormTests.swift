import SedimentFormat
import Testing

@Suite struct RecordFormTests {
  private static func found(_ bytes: [UInt8]) -> FormatError.Fault? {
    fault { () throws(FormatError) in try RecordHeader.decode(bytes) }
  }

  // MARK: Limits

  @Test func `A header within the limits breaks no rule, and one beyond them does`() {
    var header = RecordHeader(
      kind: .put, sequence: SequenceNumber(1)!, expiry: Limits.clockMax, keyByteCount: 65_535,
      valueByteCount: 16_777_215)
    #expect(header.violation == nil)
    header.expiry += 1
    #expect(header.violation == .expiry)
    header.expiry = 0
    header.sequence = .zero
    #expect(header.violation == .sequence)
    header.sequence = SequenceNumber(1)!
    for (path, beyond) in [
      (\.keyByteCount, 65_536), (\.keyByteCount, -1), (\.valueByteCount, 1 << 24), (\.valueByteCount, -1),
      (\.keyByteCount, .max), (\.valueByteCount, .min),
    ] as [(WritableKeyPath<RecordHeader, Int>, Int)] {
      var other = header
      other[keyPath: path] = beyond
      #expect(other.violation == .length)
    }
  }

  @Test func `A remove has a key and nothing that belongs to a value`() {
    var header = RecordHeader(
      kind: .remove, isBatched: true, sequence: SequenceNumber(1)!, collection: 1, keyByteCount: 1,
      valueByteCount: 0)
    #expect(header.violation == nil)
    header.expiry = 1
    #expect(header.violation == .expiry)
    header.transform = Sample.shortTransform
    #expect(header.violation == .transform)
    header.valueByteCount = 1
    #expect(header.violation == .value)

    #expect(Self.found(handmade(shape: 2, keyByteCount: 1)) == nil)
    #expect(Self.found(handmade(shape: 2, valueByteCount: 1, keyByteCount: 1)) == .field(.value))
    #expect(
      Self.found(handmade(shape: 2 | 0x20, keyByteCount: 1, optional: [1, 0, 1, 0])) == .field(.transform))
    #expect(
      Self.found(handmade(shape: 2 | 0x10, keyByteCount: 1, optional: [1, 0, 0, 0, 0, 0])) == .field(.expiry))
  }

  @Test func `A control record has a value and nothing else`() {
    let header = ControlRecord.header(valueByteCount: 1, sequence: SequenceNumber(1)!, isBatched: true)
    #expect(header.violation == nil)
    for (change, field) in [
      ({ $0.keyByteCount = 1 }, .length), ({ $0.collection = 1 }, .collection), ({ $0.expiry = 1 }, .expiry),
      ({ $0.transform = Sample.shortTransform }, .transform),
      ({ $0.valueByteCount = 0 }, .value),
    ] as [((inout RecordHeader) -> Void, FormatError.Field)] {
      var other = header
      change(&other)
      #expect(other.violation == field)
    }
    #expect(Self.found(handmade(shape: 4, valueByteCount: 1)) == nil)
    #expect(Self.found(handmade(shape: 4, valueByteCount: 1, keyByteCount: 1)) == .field(.length))
    #expect(
      Self.found(handmade(shape: 4 | 0x08, valueByteCount: 1, optional: [1, 0, 0, 0]))
        == .field(.collection))
    #expect(
      Self.found(handmade(shape: 4 | 0x10, valueByteCount: 1, optional: [1, 0, 0, 0, 0, 0]))
        == .field(.expiry))
    #expect(
      Self.found(handmade(shape: 4 | 0x20, valueByteCount: 1, optional: [1, 0, 1, 0]))
        == .field(.transform))
    #expect(Self.found(handmade(shape: 4)) == .field(.value))
  }

  @Test func `The value of a put out of line has room for a place`() {
    var header = RecordHeader(
      kind: .putLarge, sequence: SequenceNumber(1)!, keyByteCount: 0, valueByteCount: 56)
    #expect(header.violation == nil)
    header.valueByteCount = 55
    #expect(header.violation == .value)
    #expect(Self.found(handmade(shape: 3, valueByteCount: 56)) == nil)
    #expect(Self.found(handmade(shape: 3, valueByteCount: 55)) == .field(.value))
    #expect(Self.found(handmade(shape: 3, valueByteCount: 0)) == .field(.value))
  }

  // MARK: The one form

  @Test func `A field that is there although it says nothing is refused`() {
    #expect(
      Self.found(handmade(shape: 1 | 0x08, keyByteCount: 1, optional: [0, 0, 0, 0])) == .field(.collection))
    #expect(
      Self.found(handmade(shape: 1 | 0x10, keyByteCount: 1, optional: [0, 0, 0, 0, 0, 0])) == .field(.expiry))
    #expect(
      Self.found(handmade(shape: 1 | 0x20, keyByteCount: 1, optional: [0, 0, 0, 0])) == .field(.transform))
    #expect(Self.found(handmade(shape: 1 | 0x08, keyByteCount: 1, optional: [1, 0, 0, 0])) == nil)
    #expect(Self.found(handmade(shape: 1 | 0x10, keyByteCount: 1, optional: [0, 0, 0, 0, 0, 1])) == nil)
    #expect(Self.found(handmade(shape: 1 | 0x20, keyByteCount: 1, optional: [1, 0, 0, 0])) == nil)
  }

  @Test func `Padding other than zeros is refused`() {
    for keyByteCount in 1...7 {
      #expect(Self.found(handmade(shape: 1, keyByteCount: keyByteCount)) == nil)
      var bytes = handmade(shape: 1, keyByteCount: keyByteCount)
      for place in 16 + keyByteCount..<24 {
        for bit in 0..<8 {
          bytes[place] = 1 << bit
          bytes.seal(at: Sample.place)
          #expect(Self.found(bytes) == .field(.padding), "byte \(place)")
        }
        bytes[place] = 0
      }
    }
  }

  @Test func `A checksum over more or fewer bytes than the record's is refused`() {
    for extra in [8, 16] {
      var bytes = handmade(shape: 1, keyByteCount: 8) + [UInt8](repeating: 0, count: extra)
      bytes.seal(at: Sample.place)
      #expect(Self.found(bytes) == .checksum)
    }
  }

  // MARK: Transforms

  @Test(
    arguments: [
      ([0x01, 0, 0, 0], nil), ([0x07, 0, 0, 0], nil), ([0x01, 0xff, 0xff, 0xff], nil),
      ([0x10, 0, 5, 0], nil),
      ([0xf7, 1, 5, 0], nil), ([0x00, 0, 5, 0], .field(.transform)), ([0x10, 1, 5, 0], nil),
      ([0x09, 0, 1, 0, 0, 0, 0, 0], nil), ([0x09, 0xff, 0xff, 0xff, 0, 0, 0, 0x40], nil),
      ([0x09, 0, 0, 0, 0, 0, 1, 0], nil), ([0x09, 0xff, 0, 0, 0xff, 0xff, 0, 0], .field(.transform)),
      ([0x09, 0, 0, 0, 0, 0, 0, 0], .field(.transform)),
      ([0x09, 0, 1, 0, 1, 0, 0, 0x40], .field(.transform)),
      ([0x09, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], .field(.transform)),
      ([0x18, 0, 1, 0, 0, 0, 0, 0], nil), ([0x18, 0, 0, 0, 0, 0, 1, 0], nil),
      ([0x08, 0, 0, 0, 0, 0, 1, 0], .field(.transform)),
    ] as [([UInt8], FormatError.Fault?)])
  func `A transform is taken in its shortest form and within its limits`(
    transform: [UInt8], fault: FormatError.Fault?
  ) {
    #expect(Self.found(handmade(shape: 1 | 0x20, valueByteCount: 4, optional: transform)) == fault)
  }

  @Test func `No transform can be made beyond the limits`() {
    let make = { (compression: UInt8, dictionary: UInt32, count: UInt32) in
      Transform(compression: compression, dictionary: dictionary, originalByteCount: count)
    }
    #expect(make(0xf7, 0xff_ffff, 1 << 30) != nil)
    #expect(make(8, 0, 0) == nil)
    #expect(make(0, 0, 0) == nil)
    #expect(make(1, 0x100_0000, 0) == nil)
    #expect(make(1, 0, 1 << 30 + 1) == nil)
  }

  @Test func `Both forms of a transform come back as they were, at the edge between them`() throws {
    for (dictionary, count, byteCount) in [
      (0, 0, 4), (255, 65_535, 4), (256, 65_535, 8), (255, 65_536, 8), (0xff_ffff, 1 << 30, 8),
    ] as [(UInt32, UInt32, Int)] {
      let header = RecordHeader(
        kind: .put, sequence: SequenceNumber(1)!,
        transform: Transform(compression: 1, dictionary: dictionary, originalByteCount: count)!,
        keyByteCount: 0, valueByteCount: 0)
      #expect(header.headByteCount == 16 + byteCount)
      #expect(try RecordHeader.decode(record(header, key: [], value: [], at: Sample.place)) == header)
    }
  }

  // MARK: Newer versions, and nothing

  @Test func `A kind of a newer version is told apart from damage`() {
    // The bit of 0x40 makes another kind of each.
    for kind in [5, 6, 7, 0x41, 0x42, 0x43, 0x44, 0x47] as [UInt8] {
      for bits in [0, 0x08, 0x80, 0x88] as [UInt8] {
        var bytes = handmade(shape: kind | bits, valueByteCount: 8, keyByteCount: 8, optional: [1, 0, 0, 0])
        bytes.put(bits & 0x08 == 0 ? 12 : 8 as UInt16, at: 8)
        bytes.seal(at: Sample.place)
        #expect(Self.found(bytes) == .newer(.kind))
        bytes[20] ^= 1
        #expect(Self.found(bytes) == .checksum)
      }
    }
  }

  @Test func `Kind zero is no record, whatever else is there and whatever its checksum`() {
    for shape in stride(from: 0, through: 0xf8, by: 8) as StrideThrough<UInt8> {
      let bytes = handmade(
        shape: shape, valueByteCount: 8, keyByteCount: 8, body: [UInt8](repeating: 1, count: 64))
      #expect(Self.found(bytes) == .absent)
    }
  }

  @Test func `A length that reaches beyond the bytes is refused before anything is read there`() {
    for (offset, value) in [(5, 0xff), (6, 0xff), (7, 0xff), (8, 0xff), (9, 0xff)] as [(Int, UInt8)] {
      var bytes = Sample.records[2]
      bytes[offset] = value
      #expect(Self.found(bytes) == .truncated)
    }
    for (shape, byteCount) in [(0x21, 16), (0x39, 26), (0x29, 20), (0x31, 22)] as [(UInt8, Int)] {
      let bytes = laid(byteCount, [(4, 1, UInt64(shape)), (10, 1, 1)])
      #expect(Self.found(bytes) == .truncated, "shape \(shape)")
    }
  }
}
