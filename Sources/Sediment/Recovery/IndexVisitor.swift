internal import SedimentFormat

/// Puts the records of a scan into the index.
struct IndexVisitor {
  private let index: HashIndex
  private var source: RecordSource
  private let catalogue: Catalogue
  private let segments: [SegmentEntry]
  /// The segments by their first slots, for finding the one that a position lies in.
  private lazy var places = segments.enumerated().map { (slot: $1.identity.run.first, number: $0) }
    .sorted { $0.slot < $1.slot }
  /// What lives in each segment.
  private(set) var live: [IndexBuildResult.Live]
  /// Tombstones that the index points to, or did.
  private var tombstones: [(hash: UInt64, position: UInt64)] = []
  /// The segment that is being scanned.
  private var current = 0
  /// What lives of it and is not counted in `live` yet.
  private var pending = IndexBuildResult.Live()
  /// The collection of the last record, up to where it is dead, and its keys.
  private var collection: UInt32?
  private var deadUpTo = UInt64.max
  private var keys = IndexBuildResult.Keys()
  private var finished: [UInt32: IndexBuildResult.Keys]

  /// Gives the index its stored parts as records ask for them.
  private let filling: IndexFilling?

  init(
    _ index: HashIndex, _ source: RecordSource, _ catalogue: Catalogue, _ segments: [SegmentEntry],
    with stored: StoredAccounts? = nil, _ filling: IndexFilling? = nil
  ) {
    self.index = index
    self.filling = filling
    self.source = source
    self.catalogue = catalogue
    self.segments = segments
    live = stored?.live ?? Array(repeating: IndexBuildResult.Live(), count: segments.count)
    finished = stored?.collections ?? [:]
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
    defer { countPending() }
    if let filling, !filling.isOver {
      for number in 0..<batch.count { try filling.take(for: unsafe batch.hashes[number]) }
    }
    prefetchBuckets(batch, 0)
    var start = 0
    while start < batch.count {
      let group = start..<min(start + Self.groupCount, batch.count)
      prefetchBuckets(batch, group.upperBound)
      var absent = findAbsent(batch, group)
      for number in group {
        let record = unsafe batch.records + number
        let hash = unsafe batch.hashes[number]
        if unsafe record.pointee.collection != collection { unsafe enter(record.pointee.collection) }
        guard unsafe record.pointee.sequence > deadUpTo else { continue }
        if absent.admits(number - group.lowerBound, hash) {
          unsafe index.insert(hash, position: record.pointee.position, WritePermit())
          unsafe count(record.pointee, hash)
        } else {
          unsafe try take(record.pointee, hash)
        }
      }
      start = group.upperBound
    }
  }

  private static let groupCount = 32

  private func prefetchBuckets(_ batch: ScannedBatch, _ start: Int) {
    let view = index.view
    for number in start..<max(start, min(start + Self.groupCount, batch.count)) {
      view.prefetch(unsafe batch.hashes[number])
    }
  }

  /// Records of a group whose keys the index does not have.
  private struct Absent {
    /// A bit for each that was not there when the group was looked at.
    var records: UInt32 = 0
    /// A bit for each that came since, by its hash.
    private var added: UInt64 = 0

    /// Whether a record's key is certainly not there yet; if so, it is said to come now.
    @inline(__always)
    mutating func admits(_ number: Int, _ hash: UInt64) -> Bool {
      let bit: UInt64 = 1 &<< (hash & 63)
      defer { added |= bit }
      return records & 1 &<< UInt32(truncatingIfNeeded: number) != 0 && added & bit == 0
    }
  }

  /// Looks for the keys of a group; the records that may have the same come near.
  private func findAbsent(_ batch: ScannedBatch, _ group: Range<Int>) -> Absent {
    var absent = Absent()
    let view = index.view
    for number in group {
      var probe = view.probe(unsafe batch.hashes[number])
      if let entry = probe.next() {
        source.prefetch(entry.position)
      } else {
        absent.records |= 1 &<< UInt32(truncatingIfNeeded: number - group.lowerBound)
      }
    }
    return absent
  }

  /// Tombstones have hidden what they had to.
  mutating func removeTombstones() {
    for (hash, position) in tombstones {
      var probe = index.view.probe(hash)
      while let entry = probe.next() {
        guard entry.position == position else { continue }
        index.remove(probe, WritePermit())
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
    let key = unsafe RawSpan(_unsafeStart: record.keyStart, byteCount: Int(record.keyByteCount))
    while let entry = probe.next() {
      guard let old = try source.claim(at: entry.position, ifKeyIs: key, in: record.collection)
      else { continue }
      let segment = segment(at: entry.position)
      let sequence = sequence(of: old, in: segment)
      guard record.sequence > sequence || record.sequence == sequence && record.kind == .remove else {
        return
      }
      if old.kind != .remove {
        countPending()
        live[segment].remove(byteCount: UInt64(old.byteCount))
        // What was cleared since the index was stored counts in its segment alone.
        if sequence > deadUpTo {
          let isLarge = old.kind == .putLarge
          let extentSlotCount = isLarge ? try source.extentSlotCount(at: entry.position, old) : 0
          keys.remove(expiring: old.expiry != 0, extentSlotCount: UInt64(extentSlotCount))
        }
      }
      index.replace(probe, position: record.position, WritePermit())
      count(record, hash)
      return
    }
    index.insert(hash, position: record.position, WritePermit())
    count(record, hash)
  }

  private mutating func count(_ record: ScannedRecord, _ hash: UInt64) {
    if record.kind == .remove {
      tombstones.append((hash, record.position))
      return
    }
    pending.recordCount &+= 1
    pending.byteCount &+= UInt64(record.byteCount)
    keys.count &+= 1
    keys.extentSlotCount &+= UInt64(record.extentSlotCount)
    if record.expiry != 0 { keys.expiringCount &+= 1 }
  }

  /// Counts for the segment what was kept of it since the last time.
  private mutating func countPending() {
    live[current].recordCount &+= pending.recordCount
    live[current].byteCount &+= pending.byteCount
    pending = IndexBuildResult.Live()
  }

  /// The whole sequence of a record that is in the index.
  private func sequence(of old: RecordSource.Claim, in segment: Int) -> UInt64 {
    let base = segments[segment].base.rawValue
    return base &+ ((old.lowSequence &- base) & (Limits.sequenceSpan - 1))
  }

  /// The segment that a position of the index lies in.
  private mutating func segment(at position: UInt64) -> Int {
    let slot = UInt32(truncatingIfNeeded: position / Limits.slotUnitCount)
    return places[max(places.firstIndexByHalving { $0.slot > slot }, 1) - 1].number
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
  fileprivate mutating func remove(expiring: Bool, extentSlotCount: UInt64) {
    count -= min(1, count)
    self.extentSlotCount -= min(extentSlotCount, self.extentSlotCount)
    if expiring { expiringCount -= min(1, expiringCount) }
  }
}
