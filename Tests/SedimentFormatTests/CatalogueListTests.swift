import SedimentFormat
import Testing

/// Catalogue changes and checkpoint parts: the lists that entries stand in.
@Suite struct CatalogueListTests {
  private static func found(_ bytes: [UInt8]) -> FormatError.Fault? {
    fault { () throws(FormatError) in try ControlRecord.decode(bytes) }
  }

  private static let numbers = CatalogueEntry.numbers(Sample.numbers)
  private static let segment = CatalogueEntry.segment(Sample.segmentEntry)

  @Test func `A change begins with its type and the number of its entries`() {
    let entries = Sample.change.entries.flatMap { $0.encode() }
    #expect(Sample.change.encode() == laid(8, [(0, 1, 4), (4, 4, 11)]) + entries)
  }

  @Test func `A part begins with its type, its number, that of all parts and that of its entries`() {
    let entries = Sample.part.entries.flatMap { $0.encode() }
    #expect(Sample.part.encode() == laid(8, [(0, 1, 5), (2, 2, 0), (4, 2, 0x0102), (6, 2, 6)]) + entries)
  }

  @Test(arguments: [
    Damage(1 as UInt8, at: 1, .field(.reserved)), Damage(1 as UInt8, at: 3, .field(.reserved)),
    Damage(0 as UInt32, at: 4, .field(.length)), Damage(10 as UInt32, at: 4, .field(.length)),
    Damage(12 as UInt32, at: 4, .field(.length)), Damage(UInt32.max, at: 4, .field(.count)),
    Damage(0 as UInt8, at: 8, .field(.tag)), Damage(10 as UInt8, at: 8, .newer(.tag)),
  ])
  func `A field of a change is refused out of its range`(damage: Damage) {
    var bytes = Sample.change.encode()
    bytes.put(damage.bytes, at: damage.offset)
    #expect(Self.found(bytes) == damage.fault)
  }

  @Test(arguments: [
    Damage(1 as UInt8, at: 1, .field(.reserved)), Damage(1 as UInt16, at: 2, .field(.part)),
    Damage(0 as UInt16, at: 4, .field(.part)), Damage(1 as UInt16, at: 4, nil),
    Damage(UInt16.max, at: 4, nil), Damage(5 as UInt16, at: 6, .field(.length)),
    Damage(7 as UInt16, at: 6, .field(.length)), Damage(UInt16.max, at: 6, .field(.count)),
  ])
  func `A field of a part is refused out of its range`(damage: Damage) {
    var bytes = Sample.part.encode()
    bytes.put(damage.bytes, at: damage.offset)
    #expect(Self.found(bytes) == damage.fault)
  }

  @Test func `A list of entries fills its record exactly`() {
    for bytes in [Sample.change.encode(), Sample.part.encode()] {
      for count in 1...8 {
        #expect(Self.found(bytes + [UInt8](repeating: 0, count: count)) == .field(.length))
      }
      for count in 1..<8 { #expect(Self.found(Array(bytes[..<count])) == .field(.length)) }
    }
  }

  @Test func `A change has at least one entry, of any kind`() {
    #expect(CatalogueChange([]) == nil)
    #expect(Self.found(laid(8, [(0, 1, 4)])) == .field(.tag))
    for entry in Sample.entries {
      #expect(CatalogueChange([entry]) != nil && CatalogueChange([.everythingCleared, entry]) != nil)
      let bytes = laid(8, [(0, 1, 4), (4, 4, 1)]) + entry.encode()
      #expect(Self.found(bytes) == nil)
    }
  }

  @Test func `A part has only entries that say what is`() {
    for entry in Sample.entries where entry != Self.numbers {
      #expect((CheckpointPart(number: 1, of: 2, [entry]) != nil) == entry.belongsInCheckpoint)
      let bytes = laid(8, [(0, 1, 5), (2, 2, 1), (4, 2, 2), (6, 2, 1)]) + entry.encode()
      #expect(Self.found(bytes) == (entry.belongsInCheckpoint ? nil : .field(.part)))
    }
  }

  @Test func `The numbers begin the first part and stand nowhere else`() {
    for (number, entries, isSound) in [
      (0, [Self.numbers], true), (0, [Self.numbers, Self.segment], true), (0, [], false),
      (0, [Self.segment], false), (0, [Self.segment, Self.numbers], false),
      (0, [Self.numbers, Self.numbers], false), (1, [Self.numbers], false),
      (1, [Self.segment, Self.numbers], false), (1, [Self.segment], true), (1, [], true),
    ] as [(UInt16, [CatalogueEntry], Bool)] {
      #expect((CheckpointPart(number: number, of: 2, entries) != nil) == isSound)
      let bytes =
        laid(8, [(0, 1, 5), (2, 2, UInt64(number)), (4, 2, 2), (6, 2, UInt64(entries.count))])
        + entries.flatMap { $0.encode() }
      #expect(Self.found(bytes) == (isSound ? nil : .field(.part)))
    }
  }

  @Test func `A part's number lies below that of all parts`() {
    #expect(CheckpointPart(number: 0, of: 0, [Self.numbers]) == nil)
    #expect(CheckpointPart(number: 65_534, of: 65_535, []) != nil)
    #expect(CheckpointPart(number: 65_535, of: 65_535, []) == nil)
    #expect(CheckpointPart(number: 3, of: 2, []) == nil)
  }

  @Test func `A part counts its entries in two bytes`() {
    let entry = CatalogueEntry.ignorable([0x80, 1, 0, 0, 0, 0, 0, 0])
    let most = [CatalogueEntry](repeating: entry, count: 65_535)
    #expect(CheckpointPart(number: 1, of: 2, most) != nil)
    #expect(CheckpointPart(number: 1, of: 2, most + [entry]) == nil)
  }

  @Test func `A list holds what a record can, and not a unit more`() {
    // 16,777,207 bytes of entries fit, so 8,224 of the longest and one of 7 units do.
    let longest = CatalogueEntry.ignorable([0x80, 255] + [UInt8](repeating: 0, count: 2038))
    let rest = { (unitCount: UInt8) in
      CatalogueEntry.ignorable([0x80, unitCount] + [UInt8](repeating: 0, count: Int(unitCount) * 8 - 2))
    }
    let many = [CatalogueEntry](repeating: longest, count: 8224)
    #expect(8224 * 2040 + 30 * 8 <= 16_777_207 && 8224 * 2040 + 31 * 8 > 16_777_207)
    #expect(CatalogueChange(many + [rest(30)]) != nil)
    #expect(CatalogueChange(many + [rest(31)]) == nil)
    #expect(CheckpointPart(number: 1, of: 2, many + [rest(30)]) != nil)
    #expect(CheckpointPart(number: 1, of: 2, many + [rest(31)]) == nil)
  }

  @Test func `Entries of a newer version come back in their place`() throws {
    let entries: [CatalogueEntry] = [Self.segment, .ignorable(Sample.ignorable), .everythingCleared]
    let change = try #require(CatalogueChange(entries))
    #expect(try ControlRecord.decode(change.encode()) == .catalogueChange(change))
  }
}

@Suite struct SoundEntryTests {
  private func isTaken(_ entry: CatalogueEntry) -> Bool {
    CatalogueChange([entry]) != nil
  }

  @Test func `What would not decode is not encoded`() {
    var numbers = Sample.numbers
    numbers.clocks.highest = Limits.clockMax + 1
    #expect(isTaken(.numbers(Sample.numbers)) && !isTaken(.numbers(numbers)))
    #expect(CheckpointPart(number: 0, of: 1, [.numbers(numbers)]) == nil)
    var segment = Sample.segmentEntry
    segment.latestExpiry = Limits.clockMax + 1
    #expect(!isTaken(.segment(segment)))
    segment = Sample.segmentEntry
    segment.tombstoneCount = segment.recordCount + 1
    #expect(!isTaken(.segment(segment)))
    #expect(!isTaken(.freed(slot: 1, generation: .first)))
    #expect(!isTaken(.collectionDropped(number: 0)))
    #expect(!isTaken(.collectionCleared(number: CollectionEntry.all)))
    #expect(!isTaken(.dictionaryGone(number: 0)))
    #expect(!isTaken(.ignorable([])))
    #expect(!isTaken(.ignorable([0x7f, 1, 0, 0, 0, 0, 0, 0])))
    #expect(!isTaken(.ignorable([0x80, 2, 0, 0, 0, 0, 0, 0])))
    #expect(isTaken(.ignorable([0x80, 1, 0, 0, 0, 0, 0, 0])))
  }

  @Test func `A superblock of a clock beyond its range has the latest there is`() {
    let block = Superblock(
      copy: .first, generation: .first, identity: Sample.file, state: .open,
      lineage: Lineage(low: 1, high: 2), session: 3, createdAt: .max, segment: Sample.hot,
      checkpoint: Sample.hot.recordRange.lowerBound,
      watermark: LogPosition(Sample.hot.generation, Sample.hot.recordRange.upperBound))
    let bytes = block.encode()
    #expect(block.createdAt == Limits.clockMax)
    #expect(
      fault { () throws(FormatError) in try Superblock.decode(unsafe bytes.span.bytes, copy: .first) } == nil)
  }
}
