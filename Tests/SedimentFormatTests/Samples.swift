import SedimentFormat

/// The values that the tests share.
enum Sample {
  static let file = FileIdentity(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)!
  static let run = SlotRun(first: 2, count: 2)!
  static let hot = SegmentIdentity(
    run: run, kind: .hot, generation: Generation(1)!, salt: 0x1122_3344_5566_7788)
  static let place = RecordPlace(
    seed: hot.seed(in: file), base: SequenceNumber(0)!, offset: UnitOffset(byteOffset: 32_896)!)

  static let superblock = Superblock(
    copy: .first, generation: Generation(0x0102_0304)!,
    features: Features(ignorable: 0xc1c2_c3c4_c5c6_c7c8), identity: file, state: .closed,
    lineage: Lineage(
      low: 0xa1a2_a3a4_a5a6_a7a8, high: 0xb1b2_b3b4_b5b6_b7b8, parentLow: 0xd1d2_d3d4_d5d6_d7d8,
      parentHigh: 0xe1e2_e3e4_e5e6_e7e8, fork: SequenceNumber(0x2122_2324)!),
    session: 0x3132_3334_3536_3738, createdAt: 1_800_000_000_000, segment: hot,
    checkpoint: UnitOffset(byteOffset: 32_896)!,
    watermark: LogPosition(Generation(1)!, UnitOffset(byteOffset: 33_400)!))

  static let ownerNote = OwnerNote(processNumber: 0x1112_1314, openedAt: 1_800_000_000_002)

  static let segmentHeader = SegmentHeader(
    identity: segment(.hot, first: 2, count: 2, generation: 9), base: SequenceNumber(0x4142)!,
    floor: SequenceNumber(0x4142)!,
    predecessor: LogPosition(Generation(8)!, UnitOffset(byteOffset: 90_000)!))

  static func segment(
    _ kind: SegmentKind, first: UInt32, count: UInt32 = 1, generation: UInt64 = 3
  ) -> SegmentIdentity {
    SegmentIdentity(
      run: SlotRun(first: first, count: count)!, kind: kind, generation: Generation(generation)!,
      salt: 0x6162_6364_6566_6768)
  }

  // MARK: Records

  /// A put with every field that a record can have.
  static let fullHeader = RecordHeader(
    kind: .put, isBatched: true, sequence: SequenceNumber(0x0102_0304_0506)!, collection: 0x1112_1314,
    expiry: 0x2122_2324_2526, transform: longTransform, keyByteCount: 5, valueByteCount: 9)
  static let shortTransform = Transform(compression: 1, dictionary: 0x21, originalByteCount: 0x3132)!
  static let longTransform = Transform(
    compression: 0x21, dictionary: 0x21_2223, originalByteCount: 0x3132_3334)!

  static let records: [[UInt8]] = [
    record(
      RecordHeader(
        kind: .put, sequence: SequenceNumber(1)!, keyByteCount: 3, valueByteCount: 5),
      key: Array("key".utf8), value: Array("value".utf8), at: place),
    record(
      RecordHeader(kind: .put, sequence: SequenceNumber(2)!, keyByteCount: 0, valueByteCount: 0), key: [],
      value: [], at: place),
    record(
      fullHeader, key: Array("a key".utf8), value: Array("the value".utf8), at: place),
    record(
      RecordHeader(
        kind: .remove, isBatched: true, sequence: SequenceNumber(3)!, collection: 1, keyByteCount: 7,
        valueByteCount: 0),
      key: Array("removed".utf8), value: [], at: place),
    record(
      RecordHeader(
        kind: .putLarge, sequence: SequenceNumber(4)!, expiry: 1, transform: shortTransform, keyByteCount: 2,
        valueByteCount: valuePlaceBytes.count),
      key: [0, 0xff], value: valuePlaceBytes, at: place),
    record(
      ControlRecord.header(valueByteCount: Mark.byteCount, sequence: SequenceNumber(5)!), key: [],
      value: mark.encode(), at: place),
  ]

  // MARK: Values out of line

  static let valuePlace = ValuePlace(
    pieces: [
      ValuePlace.Piece(
        extent: segment(.extent, first: 10, count: 2), checksum: Checksum(0x7172_7374),
        storedByteCount: 20_000)!,
      ValuePlace.Piece(
        extent: segment(.extent, first: 20), checksum: Checksum(0x8182_8384), storedByteCount: 5)!,
    ], tailByteCount: 3)!
  static let valuePlaceBytes = valuePlace.encode() + [0xa1, 0xa2, 0xa3]

  // MARK: Control records

  static let mark = Mark(
    clock: 0x0102_0304_0506,
    watermark: LogPosition(Generation(0x1112_1314)!, UnitOffset(0x21_2223_2425)!),
    salt: 0x3132_3334_3536_3738)
  static let seal = Seal(recordCount: 0x0102_0304, next: segment(.hot, first: 7, count: 3))
  static let commit = Commit(memberCount: 0x0001_0203, checksum: Checksum(0x1112_1314))!
  static let change = CatalogueChange(entries)!
  static let part = CheckpointPart(number: 0, of: 0x0102, entries.filter(\.belongsInCheckpoint))!

  static let controls: [ControlRecord] = [
    .mark(mark), .seal(seal), .commit(commit), .catalogueChange(change), .checkpointPart(part),
  ]

  // MARK: Catalogue

  static let numbers: StoreNumbers = {
    var clocks = StoreNumbers.Clocks()
    clocks.highest = 0x1112_1314_1516
    clocks.deletion = 0x0112_1314_1516
    clocks.candidate = 0x0212_1314_1516
    clocks.observed = 0x0312_1314_1516
    clocks.candidateObserved = 0x0112_1314_1517
    var totals = StoreNumbers.Totals()
    totals.userByteCount = 0x2122_2324_2526_2728
    totals.writtenByteCount = 0x3132_3334_3536_3738
    totals.movedByteCount = 0x4142_4344_4546_4748
    totals.evictedCount = 0x5152_5354_5556_5758
    totals.expiredCount = 0x6162_6364_6566_6768
    return StoreNumbers(
      nextGeneration: Generation(0x0304)!, nextCollection: 0x0102_0304, nextDictionary: 0x02_0304,
      slotCount: 0x0304_0506, everythingClearedAt: SequenceNumber(0x0607_0809)!, clocks: clocks,
      totals: totals)
  }()

  static let segmentEntry = SegmentEntry(
    identity: segment(.survivors, first: 5, count: 4), base: SequenceNumber(0x0102)!,
    floor: SequenceNumber(0x0203)!, end: UnitOffset(byteOffset: 98_304)!, highest: SequenceNumber(0x0304)!,
    latestExpiry: 0x0405_0607, recordCount: 0x0506, tombstoneCount: 0x0406,
    largeCount: 0x0100, expiring: expiryClasses)

  static let expiryClasses: ExpiryClasses = {
    var classes = ExpiryClasses()
    classes.unitCounts = [0x0107, 0x0108, 0x0109, 0x010a]
    classes.steps = [0x0201, 0x0202, 0x0203, 0x0204]
    classes.largeCounts = [0x0301, 0x0302, 0x0303, 0x0304]
    return classes
  }()

  static let collectionEntry = CollectionEntry(
    number: 0x0102, clearedAt: SequenceNumber(0x0203_0405)!, name: Array("ångström".utf8))!

  static let dictionaryEntry = DictionaryEntry(
    number: 0x01_0203, collection: 0x1112_1314, checksum: Checksum(0x2122_2324),
    offset: UnitOffset(byteOffset: 163_840)!)!

  static let indexPart = IndexPartEntry(
    partitions: 0x0102..<0x0305, of: 0x0405, splitBy: 0xa3, pageCount: 0x0016,
    segment: segment(.index, first: 30, count: 6), checksum: Checksum(0x4142_4344),
    replayFrom: LogPosition(Generation(4)!, UnitOffset(0x5152)!), generationLimit: Generation(5)!,
    entryCount: 0x1234, keyHash: KeyHash(low: 0x7172_7374_7576_7778, high: 0x8182_8384_8586_8788),
    hashVersion: 0xa1a2_00a4, build: 0x9192_9394_9596_9798)!

  /// An entry with a tag that no version has given a meaning yet.
  static let ignorable: [UInt8] = [0x80, 2] + [UInt8](1...14)

  /// An entry of each kind.
  static let entries: [CatalogueEntry] = [
    .numbers(numbers), .segment(segmentEntry), .freed(slot: 0x0102, generation: Generation(0x1112)!),
    .collection(collectionEntry), .collectionDropped(number: 0x0102), .collectionCleared(number: 0x0102_0304),
    .everythingCleared, .dictionary(dictionaryEntry), .dictionaryGone(number: 0x02_0304),
    .indexPart(indexPart), .ignorable(ignorable),
  ]
}
