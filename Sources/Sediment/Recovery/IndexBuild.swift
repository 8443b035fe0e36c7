internal import SedimentFormat

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

  package init(_ log: RecoveredLog, of file: StoreFile, usingStoredIndex: Bool = true) {
    self.log = log
    self.file = file
    usesStoredIndex = usingStoredIndex
    segments = log.catalogue.segments.values
      .filter(\.holdsRecords)
      .sorted { $0.identity.generation < $1.identity.generation }
  }

  /// Fills an empty index that nobody else uses yet; records are read again from `source` where keys may be equal.
  package func run(
    into index: HashIndex, _ source: RecordSource
  ) throws(SedimentError) -> IndexBuildResult {
    if usesStoredIndex, let coverage = IndexCoverage(log.catalogue.indexParts),
      coverage.fits(segments, end: log.end)
    {
      let keyHash = index.view.keyHash
      if let result = try byParts(coverage, into: index, source) { return result }
      index.removeAll(keyHash: keyHash, WritePermit())
    }
    let recordCount = segments.reduce(0) { $0 + Self.recordCountMax($1) }
    index.reserve(min(recordCount, Self.reservedCountMax), WritePermit())
    var visitor = IndexVisitor(index, source, log.catalogue, segments)
    return try scan(segments.indices.map { Stretch(number: $0) }, &visitor, index)
  }

  /// Fills the index from the parts and scans what they do not know; nil if that did not go well.
  private func byParts(
    _ coverage: IndexCoverage, into index: HashIndex, _ source: RecordSource
  ) throws(SedimentError) -> IndexBuildResult? {
    let reading = StoredIndexReading(
      file: file, identity: log.head.leading.identity, catalogue: log.catalogue, segments: segments,
      coverage: coverage)
    guard let stored = try reading.run(into: index) else { return nil }
    var stretches: [Stretch] = []
    for (number, entry) in segments.enumerated() {
      switch coverage.rest(of: entry) {
      case .nothing: continue
      case .everything: stretches.append(Stretch(number: number))
      case .behind(let offset): stretches.append(Stretch(number: number, first: (offset, stored.sequence)))
      }
    }
    var visitor = IndexVisitor(index, source, log.catalogue, segments)
    visitor.begin(with: stored)
    do throws(SedimentError) {
      var result = try scan(stretches, &visitor, index)
      result.storedCount = stored.entryCount
      result.hasDead = stored.hasDead
      return result
    } catch {
      // What a scan of everything says of the file counts.
      if error.systemError != nil { throw error }
      return nil
    }
  }

  private func scan(
    _ stretches: [Stretch], _ visitor: inout IndexVisitor, _ index: HashIndex
  ) throws(SedimentError) -> IndexBuildResult {
    var result = IndexBuildResult()
    let scans = Scans(
      file: file, identity: log.head.leading.identity, segments: segments, stretches: stretches,
      end: log.end.offset, dictionaries: Set(log.catalogue.dictionaries.values.map(\.offset.byteOffset)),
      keyHash: index.view.keyHash)
    let totals: SegmentScan.Totals
    if scans.byteCount > Self.aloneByteCountMax, let found = try beside(scans, &visitor) {
      totals = found
    } else {
      totals = try alone(scans, &visitor)
    }
    result.scannedRecordCount = totals.recordCount
    result.scannedByteCount = totals.byteCount
    visitor.removeTombstones()
    index.trim(WritePermit())
    for (number, entry) in segments.enumerated() {
      result.segments[entry.identity.generation] = visitor.live[number]
    }
    result.collections = visitor.collections
    return result
  }

  /// How many records a segment can have: those it claims, as far as there are bytes for them.
  private static func recordCountMax(_ entry: SegmentEntry) -> Int {
    min(Int(entry.recordCount), entry.identity.run.byteRange.count / Limits.recordFixedByteCount)
  }

  /// The entries that the index is given room for before it is known how many keys are alike.
  private static let reservedCountMax = 1 << 24

  /// A log that is longer is scanned by one thread while another fills the index.
  private static let aloneByteCountMax: UInt64 = 4 << 20

  /// The batches between the two, of 1,024 records each: as many as a processor's cache holds.
  private static let batchCount = 16

  private func alone(
    _ scans: Scans, _ visitor: inout IndexVisitor
  ) throws(SedimentError) -> SegmentScan.Totals {
    let taker = Taker(visitor)
    let totals = try scans.run(ScannedBatch()) { (batch) throws(SedimentError) in
      try taker.visitor.take(batch)
      return batch
    }
    visitor = taker.visitor
    return totals
  }

  private final class Taker {
    var visitor: IndexVisitor

    init(_ visitor: IndexVisitor) {
      self.visitor = visitor
    }
  }

  /// The same with a thread that scans beside this one; nil, with nothing done, if there is none to be had.
  private func beside(
    _ scans: Scans, _ visitor: inout IndexVisitor
  ) throws(SedimentError) -> SegmentScan.Totals? {
    let queue = BatchQueue(batchCount: Self.batchCount)
    let totals = Totals()
    let isStarted = startThread {
      do throws(SedimentError) {
        guard let first = queue.first() else { return queue.end(.success(())) }
        totals.value = try scans.run(first) { (batch) throws(SedimentError) in
          guard let next = queue.exchange(batch) else { throw .closed(scans.file.path) }
          return next
        }
        queue.end(.success(()))
      } catch {
        queue.end(.failure(error))
      }
    }
    guard isStarted else { return nil }
    do throws(SedimentError) {
      while let batch = try queue.next() {
        try visitor.take(batch)
        queue.giveBack(batch)
      }
    } catch {
      queue.cancel()
      throw error
    }
    return totals.value
  }

  /// What the other thread came to.
  ///
  /// Sendable: it is read once that thread has ended.
  private final class Totals: @unchecked Sendable {
    var value = SegmentScan.Totals()
  }
}

/// What is to be scanned of a segment.
private struct Stretch: Sendable {
  /// The segment's number among all.
  let number: Int
  /// Where the scan begins, and the sequence of the record before; nil for all of the segment.
  var first: (offset: UnitOffset, behind: SequenceNumber)?
}

/// The scans of segments, one after the other.
private struct Scans: Sendable {
  let file: StoreFile
  let identity: FileIdentity
  let segments: [SegmentEntry]
  let stretches: [Stretch]
  /// Where the last segment ends.
  let end: UnitOffset
  /// Where the dictionaries lie.
  let dictionaries: Set<UInt64>
  let keyHash: KeyHash

  /// No less than all scans read together.
  var byteCount: UInt64 {
    stretches.reduce(0) { sum, stretch in
      let run = segments[stretch.number].identity.run.byteRange
      let start = max(stretch.first?.offset.byteOffset ?? 0, run.lowerBound)
      return sum + run.upperBound - min(start, run.upperBound)
    }
  }

  /// Passes batches of all records to `exchange`, which returns one to go on with.
  func run(
    _ first: ScannedBatch, _ exchange: @escaping (ScannedBatch) throws(SedimentError) -> ScannedBatch
  ) throws(SedimentError) -> SegmentScan.Totals {
    var totals = SegmentScan.Totals()
    var filler = BatchFiller(keyHash, first, exchange: exchange)
    let buffer = ScanBuffer()
    for stretch in stretches {
      try filler.begin(stretch.number)
      let entry = segments[stretch.number]
      let scan = SegmentScan(
        entry, from: stretch.first, upTo: entry.end ?? end, of: file, identity, passing: dictionaries)
      let found = try scan.run(buffer, &filler)
      totals.recordCount += found.recordCount
      totals.byteCount += found.byteCount
    }
    try filler.end()
    return totals
  }
}
