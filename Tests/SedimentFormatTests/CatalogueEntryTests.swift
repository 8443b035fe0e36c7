import SedimentFormat
import Testing

@Suite struct CatalogueEntryTests {
  private static func found(_ bytes: [UInt8]) -> FormatError.Fault? {
    fault { () throws(FormatError) in try CatalogueEntry.decode(bytes) }
  }

  @Test(arguments: Sample.entries)
  func `An entry comes back as it was, wherever it lies`(entry: CatalogueEntry) throws {
    let bytes = entry.encode()
    #expect(bytes.count % 8 == 0)
    #expect(Int(bytes[1]) * 8 == bytes.count)
    for before in [0, 1, 8, 50] {
      let around = [UInt8](repeating: 0xee, count: before) + bytes + [0xee]
      let (found, byteCount) = try unsafe CatalogueEntry.decode(around.span.bytes, at: before)
      #expect(found == entry)
      #expect(byteCount == bytes.count)
    }
  }

  @Test(arguments: zip(Sample.entries, layouts))
  func `The fields of an entry lie where the format says`(entry: CatalogueEntry, expected: [UInt8]) {
    #expect(entry.encode() == expected)
  }

  @Test func `What becomes different does not stand in a checkpoint`() {
    let are = Sample.entries.map(\.belongsInCheckpoint)
    #expect(are == [true, true, false, true, false, false, false, true, false, true, true])
  }

  @Test func `A tag of a newer version is passed over from 0x80 on and refused below`() throws {
    for tag in UInt8.min...UInt8.max where !(1...9).contains(tag) {
      for unitCount in [1, 2, 255] as [UInt8] {
        let bytes = [tag, unitCount] + [UInt8](repeating: 0xee, count: Int(unitCount) * 8 - 2)
        switch tag {
        case 0: #expect(Self.found(bytes) == .field(.tag))
        case 0x80...: #expect(try CatalogueEntry.decode(bytes) == .ignorable(bytes))
        default: #expect(Self.found(bytes) == .newer(.tag))
        }
      }
    }
  }

  @Test func `An entry of no length, of another length or beyond the bytes is refused`() {
    for entry in Sample.entries {
      var bytes = entry.encode()
      let unitCount = bytes[1]
      bytes[1] = 0
      #expect(Self.found(bytes) == .field(.length))
      bytes[1] = unitCount + 1
      #expect(Self.found(bytes) == .field(.length))
      guard bytes[0] < 0x80 else { continue }
      #expect(Self.found(bytes + [UInt8](repeating: 0, count: 8)) == .field(.length))
      guard unitCount > 1 else { continue }
      bytes[1] = unitCount - 1
      let cut = bytes[0] == 4 ? FormatError.Field.name : .length
      #expect(Self.found(bytes) == .field(cut))
    }
  }

  @Test func `A place outside of the bytes is refused`() {
    let bytes = Sample.entries[0].encode()
    for offset in [-1, -8, .min, 121, 128, .max] {
      let found = fault { () throws(FormatError) in
        try unsafe CatalogueEntry.decode(bytes.span.bytes, at: offset).entry
      }
      #expect(found == .field(.length), "offset \(offset)")
    }
  }

  @Test func `Names and dictionaries beyond the limits cannot be made`() {
    let collection = { (number: UInt32, name: [UInt8]) in
      CollectionEntry(number: number, clearedAt: .zero, name: name)
    }
    #expect(collection(1, [0x61]) != nil)
    #expect(collection(0xffff_fffd, [UInt8](repeating: 0x61, count: 255)) != nil)
    #expect(collection(0, [0x61]) == nil)
    #expect(collection(0, []) != nil)
    #expect(collection(0xffff_fffe, [0x61]) == nil)
    #expect(collection(0xffff_ffff, [0x61]) == nil)
    #expect(collection(1, []) == nil)
    #expect(collection(1, [UInt8](repeating: 0x61, count: 256)) == nil)
    #expect(collection(1, [0x61, 0, 0x61]) == nil)
    #expect(collection(1, [0xff]) == nil)
    #expect(collection(1, [0xc3]) == nil)

    let dictionary = { (number: UInt32, byteOffset: UInt64) in
      DictionaryEntry(
        number: number, collection: 0, checksum: .empty, offset: UnitOffset(byteOffset: byteOffset)!)
    }
    #expect(dictionary(1, 32_768) != nil)
    #expect(dictionary(0xff_ffff, 32_768) != nil)
    #expect(dictionary(0, 32_768) == nil)
    #expect(dictionary(0x100_0000, 32_768) == nil)
    #expect(dictionary(1, 32_760) == nil)
  }

  @Test func `Names of every length come back as they were`() throws {
    for count in 1...255 {
      let entry = CatalogueEntry.collection(
        CollectionEntry(number: 1, clearedAt: .zero, name: [UInt8](repeating: 0x61, count: count))!)
      #expect(entry.byteCount == 16 + (count + 7) / 8 * 8)
      #expect(try CatalogueEntry.decode(entry.encode()) == entry)
    }
  }
}

extension CatalogueEntryTests {
  /// The bytes of `Sample.entries`, field by field.
  private static let layouts: [[UInt8]] = [
    laid(
      128,
      [
        (0, 1, 1), (1, 1, 16), (4, 4, 0x0102_0304), (8, 8, 0x0304), (16, 4, 0x02_0304), (20, 4, 0x0304_0506),
        (40, 8, 0x0607_0809), (48, 8, 0x1112_1314_1516),
        (56, 8, 0x0112_1314_1516), (64, 8, 0x0212_1314_1516), (72, 8, 0x0312_1314_1516),
        (80, 8, 0x0112_1314_1517), (88, 8, 0x2122_2324_2526_2728), (96, 8, 0x3132_3334_3536_3738),
        (104, 8, 0x4142_4344_4546_4748), (112, 8, 0x5152_5354_5556_5758), (120, 8, 0x6162_6364_6566_6768),
      ]),
    laid(
      128,
      [
        (0, 1, 2), (1, 1, 16), (32, 8, 0x0102), (40, 8, 0x0203), (48, 8, 98_304 / 8), (56, 8, 0x0304),
        (64, 8, 0x0405_0607), (72, 4, 0x0506), (76, 4, 0x0406), (84, 4, 0x0100),
        (88, 4, 0x0107), (92, 4, 0x0201), (96, 4, 0x0108), (100, 4, 0x0202), (104, 4, 0x0109),
        (108, 4, 0x0203),
        (112, 4, 0x010a), (116, 4, 0x0204), (120, 2, 0x0301), (122, 2, 0x0302), (124, 2, 0x0303),
        (126, 2, 0x0304),
      ] + identityFields(Sample.segmentEntry.identity, at: 4)),
    laid(16, [(0, 1, 3), (1, 1, 2), (4, 4, 0x0102), (8, 8, 0x1112)]),
    laid(32, [(0, 1, 4), (1, 1, 4), (2, 1, 10), (4, 4, 0x0102), (8, 8, 0x0203_0405)]).filled(
      Array("ångström".utf8), at: 16),
    laid(8, [(0, 1, 5), (1, 1, 1), (4, 4, 0x0102)]), laid(8, [(0, 1, 6), (1, 1, 1), (4, 4, 0x0102_0304)]),
    laid(8, [(0, 1, 6), (1, 1, 1), (4, 4, 0xffff_ffff)]),
    laid(
      24,
      [
        (0, 1, 7), (1, 1, 3), (4, 4, 0x01_0203), (8, 4, 0x1112_1314), (12, 4, 0x2122_2324),
        (16, 8, 163_840 / 8),
      ]),
    laid(8, [(0, 1, 8), (1, 1, 1), (4, 4, 0x02_0304)]),
    laid(
      112,
      [
        (0, 1, 9), (1, 1, 14), (4, 4, 0x0102), (8, 4, 0x0203), (12, 4, 0x16), (44, 4, 0x4142_4344),
        (48, 8, 4), (56, 8, 0x5152), (64, 8, 5), (72, 8, 0x1234), (80, 8, 0x7172_7374_7576_7778),
        (88, 8, 0x8182_8384_8586_8788), (96, 8, 0x9192_9394_9596_9798), (104, 4, 0x0405),
        (108, 4, 0xa1a2_a3a4),
      ] + identityFields(Sample.indexPart.segment, at: 16)),
    Sample.ignorable,
  ]
}

extension Array where Element == UInt8 {
  fileprivate func filled(_ bytes: [UInt8], at offset: Int) -> [UInt8] {
    var result = self
    result.put(bytes, at: offset)
    return result
  }
}
