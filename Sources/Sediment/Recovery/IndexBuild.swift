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
    var visitor = IndexVisitor(index, source, log.catalogue, entries)
    var result = IndexBuildResult()
    let buffer = ScanBuffer()
    for (number, entry) in entries.enumerated() {
      visitor.begin(number)
      let scan = SegmentScan(
        entry, upTo: entry.end ?? log.end.offset, of: file, log.head.leading.identity)
      let totals = try scan.run(buffer, &visitor)
      result.scannedRecordCount += totals.recordCount
      result.scannedByteCount += totals.byteCount
    }
    visitor.removeTombstones()
    for (number, entry) in entries.enumerated() {
      result.segments[entry.identity.generation] = visitor.live[number]
    }
    result.collections = visitor.collections
    return result
  }
}

/// Puts the records of a scan into the index.
struct IndexVisitor: RecordVisitor {
  private let index: HashIndex
  private var source: RecordSource
  private let catalogue: Catalogue
  private let segments: [SegmentEntry]
  /// The segments by their first slots, for finding the one that a position lies in.
  private let places: [(slot: UInt32, number: Int)]
  /// What lives in each segment.
  private(set) var live: [IndexBuildResult.Live]
  /// Tombstones that the index points to, or did.
  private var tombstones: [(hash: UInt64, position: UInt64)] = []
  /// The segment that is being scanned.
  private var current = 0
  private var isHot = false
  private var hashes: [UInt64]
  /// The collection of the last record, up to where it is dead, and its keys.
  private var collection: UInt32?
  private var deadUpTo = UInt64.max
  private var keys = IndexBuildResult.Keys()
  private var finished: [UInt32: IndexBuildResult.Keys] = [:]

  init(_ index: HashIndex, _ source: RecordSource, _ catalogue: Catalogue, _ segments: [SegmentEntry]) {
    self.index = index
    self.source = source
    self.catalogue = catalogue
    self.segments = segments
    places = segments.enumerated().map { ($1.identity.run.first, $0) }.sorted { $0.0 < $1.0 }
    live = Array(repeating: IndexBuildResult.Live(), count: segments.count)
    hashes = Array(repeating: 0, count: ScanBuffer.recordCountMax)
  }

  /// The keys of each collection that has some.
  var collections: [UInt32: IndexBuildResult.Keys] {
    var all = finished
    if let collection { all[collection] = keys }
    return all.filter { $0.value.count > 0 }
  }

  mutating func begin(_ segment: Int) {
    current = segment
    isHot = segments[segment].identity.kind == .hot
  }

  /// First all hashes, so that the buckets come near while they are computed, then the probes.
  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError) {
    let view = index.view
    for number in 0..<records.count {
      let record = unsafe records[number]
      let key = unsafe RawSpan(_unsafeStart: record.keyStart, byteCount: Int(record.keyByteCount))
      let hash = view.hash(key, collection: record.collection)
      hashes[number] = hash
      view.prefetch(hash)
    }
    for number in 0..<records.count {
      let record = unsafe records[number]
      if record.collection != collection { enter(record.collection) }
      if record.sequence > deadUpTo { try take(record, hashes[number]) }
    }
  }

  /// Tombstones have hidden what they had to.
  mutating func removeTombstones() {
    for (hash, position) in tombstones {
      var probe = index.view.probe(hash)
      while let entry = probe.next() {
        guard entry.position == position else { continue }
        index.remove(probe)
        break
      }
    }
    tombstones = []
  }

  private mutating func enter(_ number: UInt32) {
    if let collection { finished[collection] = keys }
    collection = number
    keys = finished[number] ?? IndexBuildResult.Keys()
    deadUpTo = catalogue.deadUpTo(collection: number)?.rawValue ?? .max
  }

  private mutating func take(_ record: ScannedRecord, _ hash: UInt64) throws(SedimentError) {
    var probe = index.view.probe(hash)
    while let entry = probe.next() {
      guard let old = try source.claim(at: entry.position, ifKeyOf: record) else { continue }
      let segment = segment(at: entry.position)
      guard wins(record, over: old, in: segment) else { return }
      if old.kind != RecordKind.remove.rawValue {
        live[segment].recordCount &-= 1
        live[segment].byteCount &-= UInt64(old.byteCount)
        keys.count &-= 1
        if old.expiry != 0 { keys.expiringCount &-= 1 }
      }
      index.replace(probe, position: record.position)
      count(record, hash)
      return
    }
    index.insert(hash, position: record.position)
    count(record, hash)
  }

  private mutating func count(_ record: ScannedRecord, _ hash: UInt64) {
    if record.kind == .remove {
      tombstones.append((hash, record.position))
      return
    }
    live[current].recordCount &+= 1
    live[current].byteCount &+= UInt64(record.byteCount)
    keys.count &+= 1
    if record.expiry != 0 { keys.expiringCount &+= 1 }
  }

  /// Whether a record is newer than one that is in the index; between hot segments, the order of reading tells.
  private func wins(_ record: ScannedRecord, over old: RecordSource.Claim, in segment: Int) -> Bool {
    let entry = segments[segment]
    if isHot && entry.identity.kind == .hot { return true }
    let distance = (old.lowSequence &- entry.base.rawValue) & (Limits.sequenceSpan - 1)
    let sequence = entry.base.rawValue &+ distance
    return record.sequence > sequence || record.sequence == sequence && record.kind == .remove
  }

  /// The segment that a position of the index lies in, by halving.
  private func segment(at position: UInt64) -> Int {
    let slot = UInt32(truncatingIfNeeded: position / Limits.slotUnitCount)
    var low = 0
    var high = places.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if places[middle].slot <= slot { low = middle } else { high = middle }
    }
    return places[low].number
  }
}
