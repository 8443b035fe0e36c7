// The fields behind the first word of each entry that has several (DESIGN.md 3.6). A decoder is given the bytes of
// one entry, at least as many as its fields take.

extension StoreNumbers {
  private enum Place {
    static let nextCollection = 4
    static let nextGeneration = 8
    static let nextDictionary = 16
    static let slotCount = 20
    static let horizons = 24
    static let everythingClearedAt = 40
    static let highest = 48
    static let deletion = 56
    static let candidate = 64
    static let observed = 72
    static let candidateObserved = 80
    static let userByteCount = 88
    static let writtenByteCount = 96
    static let movedByteCount = 104
    static let evictedCount = 112
    static let expiredCount = 120
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(nextCollection, at: offset + Place.nextCollection)
    bytes.store(nextGeneration.rawValue, at: offset + Place.nextGeneration)
    bytes.store(nextDictionary, at: offset + Place.nextDictionary)
    bytes.store(slotCount, at: offset + Place.slotCount)
    horizons.encode(into: &bytes, at: offset + Place.horizons)
    bytes.store(everythingClearedAt.rawValue, at: offset + Place.everythingClearedAt)
    bytes.store(clocks.highest, at: offset + Place.highest)
    bytes.store(clocks.deletion, at: offset + Place.deletion)
    bytes.store(clocks.candidate, at: offset + Place.candidate)
    bytes.store(clocks.observed, at: offset + Place.observed)
    bytes.store(clocks.candidateObserved, at: offset + Place.candidateObserved)
    bytes.store(totals.userByteCount, at: offset + Place.userByteCount)
    bytes.store(totals.writtenByteCount, at: offset + Place.writtenByteCount)
    bytes.store(totals.movedByteCount, at: offset + Place.movedByteCount)
    bytes.store(totals.evictedCount, at: offset + Place.evictedCount)
    bytes.store(totals.expiredCount, at: offset + Place.expiredCount)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> StoreNumbers {
    guard let nextGeneration = Generation(bytes.integer(at: Place.nextGeneration)) else {
      throw CatalogueEntry.failure(.field(.generation))
    }
    let nextCollection: UInt32 = bytes.integer(at: Place.nextCollection)
    guard nextCollection >= 1, nextCollection <= CollectionEntry.systemNumberMin else {
      throw CatalogueEntry.failure(.field(.collection))
    }
    let nextDictionary: UInt32 = bytes.integer(at: Place.nextDictionary)
    guard nextDictionary >= 1, nextDictionary <= Limits.dictionaryNumberMax + 1 else {
      throw CatalogueEntry.failure(.field(.dictionary))
    }
    let slotCount: UInt32 = bytes.integer(at: Place.slotCount)
    guard slotCount <= Limits.fileSlotCountMax else { throw CatalogueEntry.failure(.field(.slots)) }
    guard let everythingClearedAt = SequenceNumber(bytes.integer(at: Place.everythingClearedAt)) else {
      throw CatalogueEntry.failure(.field(.sequence))
    }
    var clocks = Clocks()
    clocks.highest = bytes.integer(at: Place.highest)
    clocks.deletion = bytes.integer(at: Place.deletion)
    clocks.candidate = bytes.integer(at: Place.candidate)
    clocks.observed = bytes.integer(at: Place.observed)
    clocks.candidateObserved = bytes.integer(at: Place.candidateObserved)
    guard clocks.highest <= Limits.clockMax, clocks.deletion <= clocks.highest,
      clocks.candidate <= clocks.highest, clocks.observed <= Limits.clockMax,
      clocks.candidateObserved <= clocks.observed
    else { throw CatalogueEntry.failure(.field(.clock)) }
    var totals = Totals()
    totals.userByteCount = bytes.integer(at: Place.userByteCount)
    totals.writtenByteCount = bytes.integer(at: Place.writtenByteCount)
    totals.movedByteCount = bytes.integer(at: Place.movedByteCount)
    totals.evictedCount = bytes.integer(at: Place.evictedCount)
    totals.expiredCount = bytes.integer(at: Place.expiredCount)
    return StoreNumbers(
      nextGeneration: nextGeneration, nextCollection: nextCollection, nextDictionary: nextDictionary,
      slotCount: slotCount, horizons: try Horizons.decode(bytes, at: Place.horizons),
      everythingClearedAt: everythingClearedAt, clocks: clocks, totals: totals)
  }
}

extension Horizons {
  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(feed.rawValue, at: offset)
    bytes.store(state.rawValue, at: offset + 8)
  }

  static func decode(_ bytes: RawSpan, at offset: Int) throws(FormatError) -> Horizons {
    guard let feed = SequenceNumber(bytes.integer(at: offset)),
      let state = SequenceNumber(bytes.integer(at: offset + 8))
    else { throw CatalogueEntry.failure(.field(.sequence)) }
    return Horizons(feed: feed, state: state)
  }
}

extension SegmentEntry {
  private enum Place {
    static let identity = 4
    static let base = 32
    static let floor = 40
    static let end = 48
    static let highest = 56
    static let latestExpiry = 64
    static let recordCount = 72
    static let tombstoneCount = 76
    static let dataKey = 80
    static let largeCount = 84
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    identity.encode(into: &bytes, at: offset + Place.identity)
    bytes.store(base.rawValue, at: offset + Place.base)
    bytes.store(floor.rawValue, at: offset + Place.floor)
    bytes.store(end?.rawValue ?? 0, at: offset + Place.end)
    bytes.store(highest.rawValue, at: offset + Place.highest)
    bytes.store(latestExpiry, at: offset + Place.latestExpiry)
    bytes.store(recordCount, at: offset + Place.recordCount)
    bytes.store(tombstoneCount, at: offset + Place.tombstoneCount)
    bytes.store(largeCount, at: offset + Place.largeCount)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> SegmentEntry {
    let identity = try SegmentIdentity.decode(bytes, at: Place.identity, for: .catalogueEntry)
    guard let base = SequenceNumber(bytes.integer(at: Place.base)),
      let floor = SequenceNumber(bytes.integer(at: Place.floor)),
      floor == base || floor > base && identity.kind != .hot,
      let highest = SequenceNumber(bytes.integer(at: Place.highest)), base <= highest
    else { throw CatalogueEntry.failure(.field(.sequence)) }
    let latestExpiry: UInt64 = bytes.integer(at: Place.latestExpiry)
    guard latestExpiry <= Limits.clockMax else { throw CatalogueEntry.failure(.field(.expiry)) }
    guard bytes.integer(UInt32.self, at: Place.dataKey) == 0 else {
      throw CatalogueEntry.failure(.newer(.dataKey))
    }
    let entry = SegmentEntry(
      identity: identity, base: base, floor: floor, end: try decodeEnd(bytes, of: identity), highest: highest,
      latestExpiry: latestExpiry, recordCount: bytes.integer(at: Place.recordCount),
      tombstoneCount: bytes.integer(at: Place.tombstoneCount), largeCount: bytes.integer(at: Place.largeCount)
    )
    guard UInt64(entry.tombstoneCount) + UInt64(entry.largeCount) <= UInt64(entry.recordCount) else {
      throw CatalogueEntry.failure(.field(.count))
    }
    return entry
  }

  private static func decodeEnd(
    _ bytes: RawSpan, of identity: SegmentIdentity
  ) throws(FormatError) -> UnitOffset? {
    let end: UInt64 = bytes.integer(at: Place.end)
    switch identity.kind {
    case .hot where end == 0: return nil
    case .extent, .index, .catalogue:
      guard end == 0 else { throw CatalogueEntry.failure(.field(.end)) }
      return nil
    case .hot, .survivors:
      guard let end = UnitOffset(end), identity.recordRange.contains(end) else {
        throw CatalogueEntry.failure(.field(.end))
      }
      return end
    }
  }
}

extension CollectionEntry {
  private enum Place {
    static let nameByteCount = 2
    static let number = 4
    static let clearedAt = 8
    static let name = 16
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(UInt8(truncatingIfNeeded: name.count), at: offset + Place.nameByteCount)
    bytes.store(number, at: offset + Place.number)
    bytes.store(clearedAt.rawValue, at: offset + Place.clearedAt)
    bytes.copy(unsafe name.span.bytes, at: offset + Place.name)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> CollectionEntry {
    let nameByteCount = Int(bytes.integer(UInt8.self, at: Place.nameByteCount))
    guard nameByteCount <= bytes.byteCount - Place.name else { throw CatalogueEntry.failure(.field(.name)) }
    guard let clearedAt = SequenceNumber(bytes.integer(at: Place.clearedAt)) else {
      throw CatalogueEntry.failure(.field(.sequence))
    }
    guard
      let entry = CollectionEntry(
        number: bytes.integer(at: Place.number), clearedAt: clearedAt,
        name: bytes.array(Place.name..<Place.name + nameByteCount))
    else { throw CatalogueEntry.failure(.field(.collection)) }
    return entry
  }
}

extension DictionaryEntry {
  private enum Place {
    static let number = 4
    static let collection = 8
    static let checksum = 12
    static let offset = 16
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(number, at: offset + Place.number)
    bytes.store(collection, at: offset + Place.collection)
    bytes.store(checksum.rawValue, at: offset + Place.checksum)
    bytes.store(self.offset.rawValue, at: offset + Place.offset)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> DictionaryEntry {
    guard let offset = UnitOffset(bytes.integer(at: Place.offset)),
      let entry = DictionaryEntry(
        number: bytes.integer(at: Place.number), collection: bytes.integer(at: Place.collection),
        checksum: Checksum(bytes.integer(at: Place.checksum)), offset: offset)
    else { throw CatalogueEntry.failure(.field(.dictionary)) }
    return entry
  }
}

extension LogPosition {
  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(generation.rawValue, at: offset)
    bytes.store(self.offset.rawValue, at: offset + 8)
  }

  /// Decodes a position at an offset where the caller knows 16 bytes to be; nil if it is out of range.
  static func decode(_ bytes: RawSpan, at place: Int) -> LogPosition? {
    guard let generation = Generation(bytes.integer(at: place)),
      let offset = UnitOffset(bytes.integer(at: place + 8))
    else { return nil }
    return LogPosition(generation, offset)
  }
}

extension IndexPartEntry {
  private enum Place {
    static let firstPartition = 4
    static let partitionCount = 8
    static let pageCount = 12
    static let segment = 16
    static let checksum = 44
    static let replayFrom = 48
    static let generationLimit = 64
    static let entryCount = 72
    static let keyHashLow = 80
    static let keyHashHigh = 88
    static let build = 96
    static let partitionTotal = 104
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(partitions.lowerBound, at: offset + Place.firstPartition)
    bytes.store(partitions.upperBound - partitions.lowerBound, at: offset + Place.partitionCount)
    bytes.store(pageCount, at: offset + Place.pageCount)
    segment.encode(into: &bytes, at: offset + Place.segment)
    bytes.store(checksum.rawValue, at: offset + Place.checksum)
    replayFrom.encode(into: &bytes, at: offset + Place.replayFrom)
    bytes.store(generationLimit.rawValue, at: offset + Place.generationLimit)
    bytes.store(entryCount, at: offset + Place.entryCount)
    bytes.store(keyHash.low, at: offset + Place.keyHashLow)
    bytes.store(keyHash.high, at: offset + Place.keyHashHigh)
    bytes.store(build, at: offset + Place.build)
    bytes.store(partitionTotal, at: offset + Place.partitionTotal)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> IndexPartEntry {
    let segment = try SegmentIdentity.decode(bytes, at: Place.segment, for: .catalogueEntry)
    guard segment.kind == .index else { throw CatalogueEntry.failure(.field(.kind)) }
    guard let replayFrom = LogPosition.decode(bytes, at: Place.replayFrom) else {
      throw CatalogueEntry.failure(.field(.position))
    }
    guard let generationLimit = Generation(bytes.integer(at: Place.generationLimit)) else {
      throw CatalogueEntry.failure(.field(.generation))
    }
    let first: UInt32 = bytes.integer(at: Place.firstPartition)
    let (end, overflow) = first.addingReportingOverflow(bytes.integer(at: Place.partitionCount))
    guard !overflow,
      let entry = IndexPartEntry(
        partitions: first..<end, of: bytes.integer(at: Place.partitionTotal),
        pageCount: bytes.integer(at: Place.pageCount), segment: segment,
        checksum: Checksum(bytes.integer(at: Place.checksum)), replayFrom: replayFrom,
        generationLimit: generationLimit, entryCount: bytes.integer(at: Place.entryCount),
        keyHash: KeyHash(
          low: bytes.integer(at: Place.keyHashLow), high: bytes.integer(at: Place.keyHashHigh)),
        build: bytes.integer(at: Place.build))
    else { throw CatalogueEntry.failure(.field(.count)) }
    return entry
  }
}

extension ElsewhereEntry {
  private enum Place {
    static let entryCount = 4
    static let segment = 8
    static let checksum = 36
    static let byteCount = 40
    static let asOf = 48
    static let reserved = 64
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(entryCount, at: offset + Place.entryCount)
    segment.encode(into: &bytes, at: offset + Place.segment)
    bytes.store(checksum.rawValue, at: offset + Place.checksum)
    bytes.store(byteCount, at: offset + Place.byteCount)
    asOf.encode(into: &bytes, at: offset + Place.asOf)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> ElsewhereEntry {
    let segment = try SegmentIdentity.decode(bytes, at: Place.segment, for: .catalogueEntry)
    guard segment.kind == .catalogue else { throw CatalogueEntry.failure(.field(.kind)) }
    let byteCount: UInt64 = bytes.integer(at: Place.byteCount)
    let room = UInt64(segment.run.byteRange.count - SegmentHeader.byteCount)
    let entryCount: UInt32 = bytes.integer(at: Place.entryCount)
    guard byteCount <= room, byteCount.isMultiple(of: UInt64(Limits.unitByteCount)),
      UInt64(entryCount) <= byteCount / UInt64(Limits.unitByteCount)
    else {
      throw CatalogueEntry.failure(.field(.length))
    }
    guard let asOf = LogPosition.decode(bytes, at: Place.asOf) else {
      throw CatalogueEntry.failure(.field(.position))
    }
    return ElsewhereEntry(
      segment: segment, checksum: Checksum(bytes.integer(at: Place.checksum)), entryCount: entryCount,
      byteCount: byteCount, asOf: asOf)
  }
}
