package import SedimentDisk
internal import SedimentFormat

/// Fills the index by scanning every hot and survivors segment of a recovered log (DESIGN.md 7, step 8).
///
/// The highest sequence of a key wins, and of equal ones a tombstone. Tombstones, and records that have expired,
/// are entries like any other until all segments are in, or what they hide would come back; then tombstones leave.
package struct IndexBuild {
  private let file: any DiskFile
  private let log: RecoveredLog

  package init(_ log: RecoveredLog, of file: any DiskFile) {
    self.log = log
    self.file = file
  }

  /// Fills an empty index that nobody else uses yet; records are read again from `source` where keys may be equal.
  package func run(
    into index: HashIndex, _ source: RecordSource
  ) throws(SedimentError) -> IndexBuildResult {
    let entries = log.catalogue.segments.values
      .filter { $0.identity.kind == .hot || $0.identity.kind == .survivors }
      .sorted { $0.identity.generation < $1.identity.generation }
    let recordCount = entries.reduce(0) { $0 + Self.recordCountMax($1) }
    index.reserve(min(recordCount, Self.reservedCountMax))
    var visitor = IndexVisitor(index, source, log.catalogue, entries)
    var result = IndexBuildResult()
    let scans = Scans(
      file: file, identity: log.head.leading.identity, entries: entries, end: log.end.offset,
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
    index.trim()
    for (number, entry) in entries.enumerated() {
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
    let queue = BatchQueue(batchCount: 8)
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

  /// What the other thread came to; read once it has ended.
  private final class Totals: @unchecked Sendable {
    var value = SegmentScan.Totals()
  }
}

/// The scans of all segments, one after the other.
private struct Scans: Sendable {
  let file: any DiskFile
  let identity: FileIdentity
  let entries: [SegmentEntry]
  /// Where the last segment ends.
  let end: UnitOffset
  let keyHash: KeyHash

  var byteCount: UInt64 {
    entries.reduce(0) { $0 + UInt64($1.identity.run.count) * UInt64(Limits.slotByteCount) }
  }

  /// Passes batches of all records to `exchange`, which returns one to go on with.
  func run(
    _ first: ScannedBatch, _ exchange: @escaping (ScannedBatch) throws(SedimentError) -> ScannedBatch
  ) throws(SedimentError) -> SegmentScan.Totals {
    var totals = SegmentScan.Totals()
    var filler = BatchFiller(keyHash, first, exchange: exchange)
    let buffer = ScanBuffer()
    for (number, entry) in entries.enumerated() {
      try filler.begin(number)
      let scan = SegmentScan(entry, upTo: entry.end ?? end, of: file, identity)
      let found = try scan.run(buffer, &filler)
      totals.recordCount += found.recordCount
      totals.byteCount += found.byteCount
    }
    try filler.end()
    return totals
  }
}
