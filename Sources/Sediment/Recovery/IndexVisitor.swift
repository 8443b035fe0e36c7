internal import SedimentFormat

/// Puts the records of a scan into the index.
struct IndexVisitor {
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
  }

  /// Counts what the stored index brought.
  mutating func begin(with stored: StoredIndexReading.Result) {
    live = stored.live
    finished = stored.collections
  }

  /// The keys of each collection that has some.
  var collections: [UInt32: IndexBuildResult.Keys] {
    var all = finished
    if let collection { all[collection] = keys }
    return all.filter { $0.value.count > 0 }
  }

  /// Takes the records of a batch, some at a time: their buckets come near while those before are taken, then the
  /// records that these lead to.
  mutating func take(_ batch: ScannedBatch) throws(SedimentError) {
    current = batch.segment
    var start = 0
    while start < batch.count {
      let group = start..<min(start + Self.groupCount, batch.count)
      let view = index.view
      for number in group { view.prefetch(unsafe batch.hashes[number]) }
      for number in group {
        var probe = view.probe(unsafe batch.hashes[number])
        if let entry = probe.next() { source.prefetch(entry.position) }
      }
      for number in group {
        let record = unsafe batch.records[number]
        if record.collection != collection { enter(record.collection) }
        if record.sequence > deadUpTo { try take(record, unsafe batch.hashes[number]) }
      }
      start = group.upperBound
    }
  }

  private static let groupCount = 32

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
      let sequence = sequence(of: old, in: segment)
      guard record.sequence > sequence || record.sequence == sequence && record.kind == .remove else {
        return
      }
      if old.kind != RecordKind.remove.rawValue {
        live[segment].remove(byteCount: UInt64(old.byteCount))
        // What was cleared since the index was stored counts in its segment alone.
        if sequence > deadUpTo { keys.remove(expiring: old.expiry != 0) }
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

  /// The whole sequence of a record that is in the index.
  private func sequence(of old: RecordSource.Claim, in segment: Int) -> UInt64 {
    let base = segments[segment].base.rawValue
    return base &+ ((old.lowSequence &- base) & (Limits.sequenceSpan - 1))
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

// What a forged index says lives there may be less than what is found dead.

extension IndexBuildResult.Live {
  fileprivate mutating func remove(byteCount: UInt64) {
    recordCount -= min(1, recordCount)
    self.byteCount -= min(byteCount, self.byteCount)
  }
}

extension IndexBuildResult.Keys {
  fileprivate mutating func remove(expiring: Bool) {
    count -= min(1, count)
    if expiring { expiringCount -= min(1, expiringCount) }
  }
}
