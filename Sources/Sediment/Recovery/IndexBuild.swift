package import SedimentFormat

/// Fills the index from its stored parts as far as they count, and by scanning the rest, or every hot and survivors
/// segment of a recovered log (DESIGN.md 7, step 8).
///
/// The highest sequence of a key wins, and of equal ones a tombstone. Tombstones, and records that have expired,
/// are entries like any other until all segments are in, or what they hide would come back; then tombstones leave.
package struct IndexBuild {
  private let file: StoreFile
  private let log: RecoveredLog
  private let usesStoredIndex: Bool
  private let segments: [SegmentEntry]
  /// Where the dictionaries lie.
  private let dictionaries: Set<UInt64>

  package init(_ log: RecoveredLog, of file: StoreFile, usingStoredIndex: Bool = true) {
    self.log = log
    self.file = file
    usesStoredIndex = usingStoredIndex
    var segments: [SegmentEntry] = []
    segments.reserveCapacity(log.catalogue.segments.count)
    for entry in log.catalogue.segments where entry.holdsRecords { segments.append(entry) }
    self.segments = segments
    dictionaries = Set(log.catalogue.dictionaries.values.map(\.offset.byteOffset))
  }

  /// Fills an empty index that nobody else uses yet; records are read again from `source` where keys may be equal.
  package func run(
    into index: HashIndex, _ source: RecordSource
  ) throws(SedimentError) -> IndexBuildResult {
    try run(into: index, source, leavingParts: false).result
  }

  /// The same; with `leavingParts`, stored parts that no scanned record asks for may be left to the filling that is
  /// returned then.
  func run(
    into index: HashIndex, _ source: RecordSource, leavingParts: Bool
  ) throws(SedimentError) -> (result: IndexBuildResult, filling: IndexFilling?) {
    if usesStoredIndex, let coverage = IndexCoverage(log.catalogue.indexParts),
      coverage.fits(segments, end: log.end)
    {
      let keyHash = index.view.keyHash
      if let built = try byParts(coverage, into: index, source, leavingParts) { return built }
      index.removeAll(keyHash: keyHash, WritePermit())
    }
    let recordCount = segments.reduce(0) { $0 + Self.recordCountMax($1) }
    index.reserve(min(recordCount, Self.reservedCountMax), WritePermit())
    let visitor = IndexVisitor(index, source, log.catalogue, segments)
    return (try run(segments.indices.map { scan($0) }, visitor, index), nil)
  }

  /// Fills the index from the parts and scans what they do not know; nil if that did not go well.
  private func byParts(
    _ coverage: IndexCoverage, into index: HashIndex, _ source: RecordSource, _ leavingParts: Bool
  ) throws(SedimentError) -> (result: IndexBuildResult, filling: IndexFilling?)? {
    let found: StoredParts?
    do throws(SedimentError) {
      found = try StoredParts(coverage, of: segments, in: log.catalogue, file, log.head.leading.identity)
    } catch {
      guard error.isOfUnreadable else { throw error }
      found = nil
    }
    guard let parts = found else { return nil }
    let filling = IndexFilling(parts, into: index)
    var scans: [Scans.Numbered] = []
    for (number, entry) in segments.enumerated() {
      switch coverage.rest(of: entry) {
      case .nothing: continue
      case .everything: scans.append(scan(number))
      case .behind(let offset): scans.append(scan(number, from: (offset, parts.sequence)))
      }
    }
    let isShort = scans.reduce(0) { $0 + $1.scan.byteCount } <= Self.shortByteCountMax
    if !leavingParts || !isShort, try !filling.fillAll() { return nil }
    let visitor = IndexVisitor(index, source, log.catalogue, segments, with: parts.accounts, filling)
    do throws(SedimentError) {
      var result = try run(scans, visitor, index)
      result.storedCount = parts.accounts.entryCount
      result.cleared = parts.accounts.clearedCollections
      return (result, filling.isOver ? nil : filling)
    } catch {
      // What a scan of everything says of the file counts.
      if error.systemError != nil { throw error }
      return nil
    }
  }

  /// The scan of a segment, or of what follows a record in it.
  private func scan(
    _ number: Int, from first: (offset: UnitOffset, behind: SequenceNumber)? = nil
  ) -> Scans.Numbered {
    let entry = segments[number]
    return Scans.Numbered(
      number: number,
      scan: SegmentScan(
        entry, from: first, upTo: entry.end ?? log.end.offset, of: file, log.head.leading.identity,
        passing: dictionaries))
  }

  private func run(
    _ numbered: [Scans.Numbered], _ visitor: IndexVisitor, _ index: HashIndex
  ) throws(SedimentError) -> IndexBuildResult {
    let scans = Scans(scans: numbered, keyHash: index.view.keyHash)
    var visitor = visitor
    var found: SegmentScan.Totals?
    if scans.byteCount > Self.aloneByteCountMax { found = try beside(scans, &visitor) }
    let totals =
      if let found { found } else {
        try scans.run { (batch) throws(SedimentError) in
          try visitor.take(batch)
          return batch
        }
      }
    visitor.removeTombstones()
    index.trim(WritePermit())
    var result = IndexBuildResult()
    result.scannedRecordCount = totals.recordCount
    result.scannedByteCount = totals.byteCount
    result.segments = segments.indices.map { number in
      IndexBuildResult.Segment(identity: segments[number].identity, live: visitor.live[number])
    }
    result.collections = visitor.collections
    return result
  }

  /// Scans with a thread beside this one, which fills the index; nil, with nothing done, if there is none to be had.
  private func beside(
    _ scans: Scans, _ visitor: inout IndexVisitor
  ) throws(SedimentError) -> SegmentScan.Totals? {
    let queue = BatchQueue(batchCount: Self.batchCount)
    let isStarted = startThread {
      do throws(SedimentError) {
        queue.end(.success(try scans.run(queue.exchange)))
      } catch {
        queue.end(.failure(error))
      }
    }
    guard isStarted else { return nil }
    return try queue.takeAll { (batch) throws(SedimentError) in try visitor.take(batch) }
  }

  /// How many records a segment can have: those it claims, as far as there are bytes for them.
  private static func recordCountMax(_ entry: SegmentEntry) -> Int {
    min(Int(entry.recordCount), entry.identity.run.byteRange.count / Limits.recordFixedByteCount)
  }

  /// The entries that the index is given room for before it is known how many keys are alike.
  private static let reservedCountMax = 1 << 24

  /// Where more is to be scanned, the records ask for all parts, which two threads read more quickly.
  private static let shortByteCountMax: UInt64 = 256 << 10

  /// A log that is longer is scanned by one thread while another fills the index.
  private static let aloneByteCountMax: UInt64 = 4 << 20

  /// The batches between the two, of 1,024 records each: as many as a processor's cache holds.
  private static let batchCount = 16
}

/// The scans of segments, one after the other.
private struct Scans: Sendable {
  let scans: [Numbered]
  let keyHash: KeyHash

  struct Numbered: Sendable {
    /// The segment's number among all.
    let number: Int
    let scan: SegmentScan
  }

  var byteCount: UInt64 { scans.reduce(0) { $0 + $1.scan.byteCount } }

  /// Passes batches of all records to `exchange`, which returns one to go on with.
  func run(
    _ exchange: @escaping (ScannedBatch) throws(SedimentError) -> ScannedBatch
  ) throws(SedimentError) -> SegmentScan.Totals {
    var totals = SegmentScan.Totals()
    var filler = BatchFiller(keyHash, exchange: exchange)
    let buffer = ScanBuffer()
    for next in scans {
      try filler.begin(next.number)
      let found = try next.scan.run(buffer, &filler)
      totals.recordCount += found.recordCount
      totals.byteCount += found.byteCount
    }
    try filler.end()
    return totals
  }
}

/// What building the index found out besides.
package struct IndexBuildResult: Sendable {
  /// What lives in each hot and survivors segment, in the order of their generations.
  package internal(set) var segments: [Segment] = []
  /// The keys of each collection that has some.
  package internal(set) var collections: [UInt32: Keys] = [:]
  package internal(set) var scannedRecordCount: UInt64 = 0
  package internal(set) var scannedByteCount: UInt64 = 0
  /// The entries that came from the stored index.
  package internal(set) var storedCount: UInt64 = 0
  /// The collections that were cleared, and to whose records the index leads.
  var cleared = CollectionTags.none
  /// Whether there are any.
  package var hasDead: Bool { !cleared.isEmpty }

  package struct Segment: Hashable, Sendable {
    package let identity: SegmentIdentity
    package let live: Live
  }

  /// What lives in a segment; nil if it is not there, or of another kind.
  package func live(in generation: Generation) -> Live? {
    let place = segments.firstIndexByHalving { $0.identity.generation >= generation }
    guard place < segments.count, segments[place].identity.generation == generation else { return nil }
    return segments[place].live
  }

  /// Records that the index points to, expired ones among them, tombstones not.
  package struct Live: Hashable, Sendable {
    package internal(set) var recordCount: UInt32 = 0
    /// Their whole bytes in the segment, padding included.
    package internal(set) var byteCount: UInt64 = 0

    package init(recordCount: UInt32 = 0, byteCount: UInt64 = 0) {
      self.recordCount = recordCount
      self.byteCount = byteCount
    }
  }

  package struct Keys: Hashable, Sendable {
    package internal(set) var count: UInt64 = 0
    /// How many of them expire some day.
    package internal(set) var expiringCount: UInt64 = 0
    /// The slots of the extents of their values.
    package internal(set) var extentSlotCount: UInt64 = 0
  }
}
