/// A part of the index as it was stored: some partitions in a segment of their own.
///
/// Parts count only together: all of one build, seed and number of partitions, covering each partition once.
package struct IndexPartEntry: Hashable, Sendable {
  package let partitions: Range<UInt32>
  /// The partitions of the whole index, a power of two.
  package let partitionTotal: UInt32
  /// How many of the hash bits that choose a partition are held by its entries, too.
  package let splitBitCount: UInt8
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
  /// The version of the hash, whose seed the part names: see `KeyHash.version`.
  package let hashVersion: UInt32
  /// The number of the building of the index that the part belongs to.
  package let build: UInt64

  /// A part whose pages fit its segment and hold its entries; nil for any other.
  package init?(
    partitions: Range<UInt32>, of partitionTotal: UInt32, splitBy splitBitCount: UInt8 = 0,
    pageCount: UInt32, segment: SegmentIdentity, checksum: Checksum, replayFrom: LogPosition,
    generationLimit: Generation, entryCount: UInt64,
    keyHash: KeyHash, hashVersion: UInt32 = KeyHash.version, build: UInt64
  ) {
    guard hashVersion & Self.splitMask == 0, segment.kind == .index, !partitions.isEmpty,
      partitions.upperBound <= partitionTotal,
      pageCount <= Self.pageCountMax(of: segment), entryCount <= UInt64(pageCount) * Self.pageEntryCountMax,
      replayFrom.generation < generationLimit
    else { return nil }
    self.partitions = partitions
    self.partitionTotal = partitionTotal
    self.splitBitCount = splitBitCount
    self.pageCount = pageCount
    self.segment = segment
    self.checksum = checksum
    self.replayFrom = replayFrom
    self.generationLimit = generationLimit
    self.entryCount = entryCount
    self.keyHash = keyHash
    self.hashVersion = hashVersion
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
    static let hashVersion = 108
  }

  /// Where the version of the hash has the split bits: earlier versions, which know none, pass over such parts.
  private static let splitShift: UInt32 = 8
  private static let splitMask: UInt32 = 0xFF << splitShift

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
    bytes.store(hashVersion | UInt32(splitBitCount) << Self.splitShift, at: offset + Place.hashVersion)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> IndexPartEntry {
    let segment = try SegmentIdentity.decode(bytes, at: Place.segment, for: .catalogueEntry)
    guard segment.kind == .index else { throw CatalogueEntry.failure(.field(.kind)) }
    guard let replayFrom = LogPosition.decode(bytes, at: Place.replayFrom) else {
      throw CatalogueEntry.failure(.field(.position))
    }
    guard let generationLimit = Generation(bytes.integer(at: Place.generationLimit)),
      replayFrom.generation < generationLimit
    else {
      throw CatalogueEntry.failure(.field(.generation))
    }
    let version: UInt32 = bytes.integer(at: Place.hashVersion)
    let first: UInt32 = bytes.integer(at: Place.firstPartition)
    let (end, overflow) = first.addingReportingOverflow(bytes.integer(at: Place.partitionCount))
    guard !overflow,
      let entry = IndexPartEntry(
        partitions: first..<end, of: bytes.integer(at: Place.partitionTotal),
        splitBy: UInt8(truncatingIfNeeded: version >> splitShift),
        pageCount: bytes.integer(at: Place.pageCount), segment: segment,
        checksum: Checksum(bytes.integer(at: Place.checksum)), replayFrom: replayFrom,
        generationLimit: generationLimit, entryCount: bytes.integer(at: Place.entryCount),
        keyHash: KeyHash(
          low: bytes.integer(at: Place.keyHashLow), high: bytes.integer(at: Place.keyHashHigh)),
        hashVersion: version & ~splitMask, build: bytes.integer(at: Place.build))
    else { throw CatalogueEntry.failure(.field(.count)) }
    return entry
  }
}
