/// A sentence about the catalogue (DESIGN.md 3.6).
///
/// Checkpoints say all of it, catalogue changes what becomes different. Each entry begins with its tag and its
/// length in units, so that later versions can add some that this one passes over.
package enum CatalogueEntry: Hashable, Sendable {
  case numbers(StoreNumbers)
  case segment(SegmentEntry)
  /// The segment of that generation that begins at the slot is no more.
  case freed(slot: UInt32, generation: Generation)
  case collection(CollectionEntry)
  /// The collection is no more, nor any of its records.
  case collectionDropped(number: UInt32)
  /// All records of the collection before this one are dead.
  case collectionCleared(number: UInt32)
  /// All records of all collections before this one are dead.
  case everythingCleared
  case dictionary(DictionaryEntry)
  /// No record names the dictionary any more.
  case dictionaryGone(number: UInt32)
  case indexPart(IndexPartEntry)
  case horizons(Horizons)
  case elsewhere(ElsewhereEntry)
  /// An entry of a newer version that this one may pass over; it is said again in the next checkpoint.
  case ignorable([UInt8])

  enum Tag: UInt8, Sendable {
    case numbers = 1
    case segment = 2
    case freed = 3
    case collection = 4
    case collectionDropped = 5
    case collectionCleared = 6
    case dictionary = 7
    case dictionaryGone = 8
    case indexPart = 9
    case horizons = 10
    case elsewhere = 11

    /// Unknown tags from here on may be passed over; lower ones are of a newer version.
    static let ignorable: UInt8 = 0x80
  }

  /// Whether the entry describes what is, as a checkpoint does.
  package var belongsInCheckpoint: Bool {
    switch self {
    case .numbers, .segment, .collection, .dictionary, .indexPart, .elsewhere, .ignorable: true
    case .freed, .collectionDropped, .collectionCleared, .everythingCleared, .dictionaryGone, .horizons: false
    }
  }

  /// Whether the entry describes what becomes different, as a catalogue change does.
  package var belongsInChange: Bool {
    switch self {
    case .elsewhere: false
    default: true
    }
  }
}

/// The numbers of a store that are neither segments nor collections (DESIGN.md 3.6).
package struct StoreNumbers: Hashable, Sendable {
  package var nextGeneration: Generation
  package var nextCollection: UInt32
  package var nextDictionary: UInt32
  /// The slots of the file when the checkpoint was made; a hint.
  package var slotCount: UInt32
  package var horizons: Horizons
  /// All records up to this sequence are dead, but for those of the system's own collections.
  package var everythingClearedAt: SequenceNumber
  package var clocks: Clocks
  package var totals: Totals

  package init(
    nextGeneration: Generation, nextCollection: UInt32, nextDictionary: UInt32, slotCount: UInt32,
    horizons: Horizons, everythingClearedAt: SequenceNumber, clocks: Clocks, totals: Totals
  ) {
    self.nextGeneration = nextGeneration
    self.nextCollection = nextCollection
    self.nextDictionary = nextDictionary
    self.slotCount = slotCount
    self.horizons = horizons
    self.everythingClearedAt = everythingClearedAt
    self.clocks = clocks
    self.totals = totals
  }

  /// Up to where the history can no longer be read.
  package typealias Horizons = SedimentFormat.Horizons

  /// What is known of time, in milliseconds; a record's deletion goes by `deletion` alone (DESIGN.md 8).
  package struct Clocks: Hashable, Sendable {
    /// The highest wall clock seen.
    package var highest: UInt64 = 0
    /// What expired before this wall clock may be deleted.
    package var deletion: UInt64 = 0
    /// The wall clock that `deletion` takes once it was confirmed.
    package var candidate: UInt64 = 0
    /// How long writers had the file open in all, by clocks that cannot jump.
    package var observed: UInt64 = 0
    /// The value of `observed` when the candidate was chosen.
    package var candidateObserved: UInt64 = 0

    package init() {}
  }

  /// What happened since the file was made; for people.
  package struct Totals: Hashable, Sendable {
    package var userByteCount: UInt64 = 0
    package var writtenByteCount: UInt64 = 0
    package var movedByteCount: UInt64 = 0
    package var evictedCount: UInt64 = 0
    package var expiredCount: UInt64 = 0

    package init() {}
  }
}

/// Up to where the history can no longer be read.
package struct Horizons: Hashable, Sendable {
  /// Records up to this sequence may be missing from the hot log.
  package var feed: SequenceNumber
  /// Removals up to this sequence may be forgotten.
  package var state: SequenceNumber

  package init(feed: SequenceNumber, state: SequenceNumber) {
    self.feed = feed
    self.state = state
  }
}

/// A segment that counts.
package struct SegmentEntry: Hashable, Sendable {
  package var identity: SegmentIdentity
  package var base: SequenceNumber
  package var floor: SequenceNumber
  /// Behind its last record; nil while it is the tail, and for kinds without records.
  package var end: UnitOffset?
  package var highest: SequenceNumber
  /// The latest expiry of its puts, 0 where one of them does not expire.
  package var latestExpiry: UInt64
  /// How many records it holds that are no control records.
  package var recordCount: UInt32
  /// How many of them are tombstones.
  package var tombstoneCount: UInt32
  /// How many of them are puts of large values.
  package var largeCount: UInt32

  package init(
    identity: SegmentIdentity, base: SequenceNumber, floor: SequenceNumber, end: UnitOffset?,
    highest: SequenceNumber, latestExpiry: UInt64, recordCount: UInt32, tombstoneCount: UInt32,
    largeCount: UInt32
  ) {
    self.identity = identity
    self.base = base
    self.floor = floor
    self.end = end
    self.highest = highest
    self.latestExpiry = latestExpiry
    self.recordCount = recordCount
    self.tombstoneCount = tombstoneCount
    self.largeCount = largeCount
  }
}

/// A named collection.
package struct CollectionEntry: Hashable, Sendable {
  /// 1 and up, and never used again; 0 for the default collection.
  package let number: UInt32
  /// Its records up to this sequence are dead.
  package let clearedAt: SequenceNumber
  /// Its name in UTF-8, without a zero byte, or nothing for the default one; names are the same if their bytes are.
  package let name: [UInt8]

  /// A collection within the limits; nil for any other.
  package init?(number: UInt32, clearedAt: SequenceNumber, name: [UInt8]) {
    guard number < Self.systemNumberMin, number == 0 ? name.isEmpty : Self.isName(name) else { return nil }
    self.number = number
    self.clearedAt = clearedAt
    self.name = name
  }

  /// Whether the bytes may be the name of a collection.
  package static func isName(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 1 && bytes.count <= Limits.collectionNameByteCountMax && !bytes.contains(0)
      && String(validating: bytes, as: UTF8.self) != nil
  }

  /// Collections from this number on belong to the system; clearing everything spares them.
  package static let systemNumberMin: UInt32 = 0xffff_fffe
  /// The collection of the dictionaries' own records.
  package static let dictionaries: UInt32 = 0xffff_fffe
  /// The number that stands for all collections in a clearing.
  package static let all: UInt32 = 0xffff_ffff
}

/// A dictionary and the record that holds it.
package struct DictionaryEntry: Hashable, Sendable {
  /// 1 and up; never used again.
  package let number: UInt32
  /// The collection whose values it was trained for.
  package let collection: UInt32
  /// The checksum of its bytes.
  package let checksum: Checksum
  /// Where the record begins.
  package let offset: UnitOffset

  /// A dictionary within the limits; nil for any other.
  package init?(number: UInt32, collection: UInt32, checksum: Checksum, offset: UnitOffset) {
    guard number >= 1, number <= Limits.dictionaryNumberMax,
      offset.slot >= Limits.headSlotCount
    else { return nil }
    self.number = number
    self.collection = collection
    self.checksum = checksum
    self.offset = offset
  }
}

/// A part of the index as it was stored: some partitions in a segment of their own.
///
/// Parts count only together: all of one build, seed and number of partitions, covering each partition once.
package struct IndexPartEntry: Hashable, Sendable {
  package let partitions: Range<UInt32>
  /// The partitions of the whole index.
  package let partitionTotal: UInt32
  package let pageCount: UInt32
  package let segment: SegmentIdentity
  /// The checksum of the pages' checksums.
  package let checksum: Checksum
  /// The hot log from here on may hold what the part lacks.
  package let replayFrom: LogPosition
  /// Segments of this generation or a higher one may hold what the part lacks.
  package let generationLimit: Generation
  package let entryCount: UInt64
  package let keyHash: KeyHash
  /// The number of the building of the index that the part belongs to.
  package let build: UInt64

  /// A part whose pages fit its segment and hold its entries; nil for any other.
  package init?(
    partitions: Range<UInt32>, of partitionTotal: UInt32, pageCount: UInt32, segment: SegmentIdentity,
    checksum: Checksum, replayFrom: LogPosition, generationLimit: Generation, entryCount: UInt64,
    keyHash: KeyHash, build: UInt64
  ) {
    guard segment.kind == .index, !partitions.isEmpty, partitions.upperBound <= partitionTotal,
      pageCount <= Self.pageCountMax(of: segment), entryCount <= UInt64(pageCount) * Self.pageEntryCountMax,
      replayFrom.generation < generationLimit
    else { return nil }
    self.partitions = partitions
    self.partitionTotal = partitionTotal
    self.pageCount = pageCount
    self.segment = segment
    self.checksum = checksum
    self.replayFrom = replayFrom
    self.generationLimit = generationLimit
    self.entryCount = entryCount
    self.keyHash = keyHash
    self.build = build
  }

  /// The bytes of a page: eight, then entries of eight.
  package static let pageByteCount = 4096
  package static let pageEntryCountMax = UInt64(pageByteCount / 8 - 1)

  /// The pages that an index segment has room for behind its header.
  package static func pageCountMax(of segment: SegmentIdentity) -> UInt32 {
    let byteCount = segment.run.byteRange.count - SegmentHeader.byteCount
    return UInt32(truncatingIfNeeded: byteCount / pageByteCount)
  }
}

/// Entries of a checkpoint that were too many for the log and lie in a segment of their own.
package struct ElsewhereEntry: Hashable, Sendable {
  package var segment: SegmentIdentity
  /// The checksum of the entries, begun from the segment's seed.
  package var checksum: Checksum
  package var entryCount: UInt32
  package var byteCount: UInt64
  /// Catalogue changes from here on are not in them.
  package var asOf: LogPosition

  package init(
    segment: SegmentIdentity, checksum: Checksum, entryCount: UInt32, byteCount: UInt64, asOf: LogPosition
  ) {
    self.segment = segment
    self.checksum = checksum
    self.entryCount = entryCount
    self.byteCount = byteCount
    self.asOf = asOf
  }
}
