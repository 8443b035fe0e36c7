import SedimentFormat
import Testing

/// Each field of each entry, out of its range and at the edge of it.
@Suite struct CatalogueFieldTests {
  private func expect(_ damage: Damage, in entry: CatalogueEntry) {
    var bytes = entry.encode()
    bytes.put(damage.bytes, at: damage.offset)
    #expect(fault { () throws(FormatError) in try CatalogueEntry.decode(bytes) } == damage.fault)
  }

  @Test(arguments: Sample.entries)
  func `Bytes that no field uses are zero`(entry: CatalogueEntry) {
    let unused: [Int]
    switch entry {
    case .numbers: unused = [2, 3] + Array(24..<40)
    case .freed, .collectionDropped, .collectionCleared, .everythingCleared, .dictionary, .dictionaryGone:
      unused = [2, 3]
    case .segment: unused = [2, 3]
    case .collection: unused = [3, 26, 31]
    case .indexPart: unused = [2, 3]
    case .ignorable: unused = []
    }
    for offset in unused { expect(Damage(0x40 as UInt8, at: offset, .field(.reserved)), in: entry) }
  }

  @Test(arguments: [
    Damage(0 as UInt32, at: 4, .field(.collection)), Damage(1 as UInt32, at: 4, nil),
    Damage(0xffff_fffe as UInt32, at: 4, nil), Damage(0xffff_ffff as UInt32, at: 4, .field(.collection)),
    Damage(0 as UInt64, at: 8, .field(.generation)), Damage(1 << 62 as UInt64, at: 8, nil),
    Damage(1 << 62 + 1 as UInt64, at: 8, .field(.generation)),
    Damage(0 as UInt32, at: 16, .field(.dictionary)), Damage(0x100_0000 as UInt32, at: 16, nil),
    Damage(0x100_0001 as UInt32, at: 16, .field(.dictionary)), Damage(1 << 27 as UInt32, at: 20, nil),
    Damage(1 << 27 + 1 as UInt32, at: 20, .field(.slots)),
    Damage(1 << 62 + 1 as UInt64, at: 40, .field(.sequence)), Damage(1 << 62 as UInt64, at: 40, nil),
    Damage(1 << 48 as UInt64, at: 48, .field(.clock)), Damage(1 << 48 - 1 as UInt64, at: 48, nil),
    Damage(0 as UInt64, at: 48, .field(.clock)), Damage(0x1112_1314_1516 as UInt64, at: 56, nil),
    Damage(0x1112_1314_1517 as UInt64, at: 56, .field(.clock)),
    Damage(0x1112_1314_1516 as UInt64, at: 64, nil),
    Damage(0x1112_1314_1517 as UInt64, at: 64, .field(.clock)),
    Damage(1 << 48 as UInt64, at: 72, .field(.clock)), Damage(0x0312_1314_1516 as UInt64, at: 80, nil),
    Damage(0x0312_1314_1517 as UInt64, at: 80, .field(.clock)), Damage(UInt64.max, at: 88, nil),
    Damage(UInt64.max, at: 96, nil), Damage(UInt64.max, at: 104, nil), Damage(UInt64.max, at: 112, nil),
    Damage(UInt64.max, at: 120, nil),
  ])
  func `A number of the store has its range`(damage: Damage) {
    expect(damage, in: .numbers(Sample.numbers))
  }

  @Test(arguments: [
    Damage(1 as UInt32, at: 4, .field(.slots)), Damage(7 as UInt32, at: 12, .newer(.kind)),
    Damage(5 as UInt32, at: 12, .newer(.kind)),
    Damage(0 as UInt32, at: 12, .field(.kind)), Damage(3 as UInt32, at: 12, .field(.end)),
    Damage(1 as UInt32, at: 12, .field(.sequence)), Damage(0 as UInt64, at: 16, .field(.generation)),
    Damage(0x0203 as UInt64, at: 32, nil), Damage(0x0204 as UInt64, at: 32, .field(.sequence)),
    Damage(0x0101 as UInt64, at: 40, .field(.sequence)), Damage(0x0101 as UInt64, at: 56, .field(.sequence)),
    Damage(0x0102 as UInt64, at: 56, nil), Damage(1 << 62 + 1 as UInt64, at: 56, .field(.sequence)),
    Damage(0 as UInt64, at: 48, .field(.end)), Damage(82_048 / 8 as UInt64, at: 48, nil),
    Damage(82_040 / 8 as UInt64, at: 48, .field(.end)), Damage(147_456 / 8 as UInt64, at: 48, nil),
    Damage(147_464 / 8 as UInt64, at: 48, .field(.end)), Damage(UInt64.max, at: 48, .field(.end)),
    Damage(1 << 48 - 1 as UInt64, at: 64, nil), Damage(1 << 48 as UInt64, at: 64, .field(.expiry)),
    Damage(0x0505 as UInt32, at: 72, .field(.count)), Damage(0x0507 as UInt32, at: 72, nil),
    Damage(0x0101 as UInt32, at: 84, .field(.count)), Damage(UInt32.max, at: 84, .field(.count)),
    Damage(0 as UInt32, at: 84, nil), Damage(0x0407 as UInt32, at: 76, .field(.count)),
    Damage(1 as UInt32, at: 80, .newer(.dataKey)),
  ])
  func `A field of a segment has its range`(damage: Damage) {
    expect(damage, in: .segment(Sample.segmentEntry))
  }

  @Test func `Only the tail may have no end, and only what holds records has one`() throws {
    for kind in SegmentKind.allCases {
      for end in [nil, UnitOffset(byteOffset: 98_304)] {
        var entry = Sample.segmentEntry
        entry.identity = Sample.segment(kind, first: 5, count: 4)
        if kind == .hot { entry.floor = entry.base }
        entry.end = end
        let found = fault { () throws(FormatError) in
          try CatalogueEntry.decode(CatalogueEntry.segment(entry).encode())
        }
        let isSound =
          switch kind {
          case .hot: true
          case .survivors: end != nil
          case .extent, .index, .window: end == nil
          }
        #expect(found == (isSound ? nil : .field(.end)), "\(kind), \(String(describing: end))")
      }
    }
  }

  private static let shortEntryDamage: [(CatalogueEntry, Damage)] = [
    (.freed(slot: 2, generation: .first), Damage(1 as UInt32, at: 4, .field(.slots))),
    (.freed(slot: 2, generation: .first), Damage(1 << 27 as UInt32, at: 4, .field(.slots))),
    (.freed(slot: 2, generation: .first), Damage(1 << 27 - 1 as UInt32, at: 4, nil)),
    (.freed(slot: 2, generation: .first), Damage(0 as UInt64, at: 8, .field(.generation))),
    (.collectionDropped(number: 1), Damage(0 as UInt32, at: 4, .field(.collection))),
    (.collectionDropped(number: 1), Damage(0xffff_fffd as UInt32, at: 4, nil)),
    (.collectionDropped(number: 1), Damage(0xffff_fffe as UInt32, at: 4, .field(.collection))),
    (.collectionDropped(number: 1), Damage(0xffff_ffff as UInt32, at: 4, .field(.collection))),
    (.collectionCleared(number: 1), Damage(0 as UInt32, at: 4, nil)),
    (.collectionCleared(number: 1), Damage(0xffff_fffd as UInt32, at: 4, nil)),
    (.collectionCleared(number: 1), Damage(0xffff_fffe as UInt32, at: 4, .field(.collection))),
    (.dictionaryGone(number: 1), Damage(0 as UInt32, at: 4, .field(.dictionary))),
    (.dictionaryGone(number: 1), Damage(0xff_ffff as UInt32, at: 4, nil)),
    (.dictionaryGone(number: 1), Damage(0x100_0000 as UInt32, at: 4, .field(.dictionary))),
  ]

  @Test(arguments: shortEntryDamage)
  func `A field of a short entry has its range`(entry: CatalogueEntry, damage: Damage) {
    expect(damage, in: entry)
  }

  @Test(arguments: [
    Damage(0 as UInt8, at: 2, .field(.collection)), Damage(17 as UInt8, at: 2, .field(.name)),
    Damage(255 as UInt8, at: 2, .field(.name)), Damage(7 as UInt8, at: 2, .field(.length)),
    Damage(8 as UInt8, at: 2, .field(.collection)),
    Damage(9 as UInt8, at: 2, .field(.reserved)), Damage(11 as UInt8, at: 2, .field(.collection)),
    Damage(0 as UInt32, at: 4, .field(.collection)),
    Damage(0xffff_fffe as UInt32, at: 4, .field(.collection)),
    Damage(0xffff_fffd as UInt32, at: 4, nil), Damage(1 << 62 + 1 as UInt64, at: 8, .field(.sequence)),
    Damage(0xff as UInt8, at: 16, .field(.collection)), Damage(0 as UInt8, at: 18, .field(.collection)),
  ])
  func `A field of a collection has its range`(damage: Damage) {
    expect(damage, in: .collection(Sample.collectionEntry))
  }

  @Test(arguments: [
    Damage(0 as UInt32, at: 4, .field(.dictionary)), Damage(0x100_0000 as UInt32, at: 4, .field(.dictionary)),
    Damage(0xff_ffff as UInt32, at: 4, nil), Damage(UInt32.max, at: 8, nil), Damage(0 as UInt32, at: 12, nil),
    Damage(4095 as UInt64, at: 16, .field(.dictionary)), Damage(4096 as UInt64, at: 16, nil),
    Damage(1 << 38 + 1 as UInt64, at: 16, .field(.dictionary)),
  ])
  func `A field of a dictionary has its range`(damage: Damage) {
    expect(damage, in: .dictionary(Sample.dictionaryEntry))
  }

  @Test(arguments: [
    Damage(1 as UInt32, at: 16, .field(.slots)), Damage(1 as UInt32, at: 24, .field(.kind)),
    Damage(0 as UInt32, at: 24, .field(.kind)), Damage(7 as UInt32, at: 24, .newer(.kind)),
    Damage(0 as UInt64, at: 48, .field(.position)), Damage(5 as UInt64, at: 48, .field(.generation)),
    Damage(1 << 38 + 1 as UInt64, at: 56, .field(.position)),
    Damage(4 as UInt64, at: 64, .field(.generation)),
    Damage(UInt64.max, at: 64, .field(.generation)), Damage(1 << 62 as UInt64, at: 64, nil),
    Damage(0 as UInt32, at: 8, .field(.count)), Damage(UInt32.max, at: 4, .field(.count)),
    Damage(0x0304 as UInt32, at: 104, .field(.count)), Damage(0x0305 as UInt32, at: 104, nil),
    Damage(24 as UInt32, at: 12, .field(.count)), Damage(23 as UInt32, at: 12, nil),
    Damage(9 as UInt32, at: 12, .field(.count)), Damage(0x16 * 511 as UInt64, at: 72, nil),
    Damage(0x16 * 511 + 1 as UInt64, at: 72, .field(.count)), Damage(UInt64.max, at: 72, .field(.count)),
    Damage(0 as UInt64, at: 80, nil), Damage(UInt64.max, at: 96, nil),
  ])
  func `A field of an index part has its range`(damage: Damage) {
    expect(damage, in: .indexPart(Sample.indexPart))
  }
}
