internal import SedimentFormat
internal import Synchronization

/// A record that is left out though the index leads to it.
struct LeftOut {
  enum Reason {
    case expired, evicted, cleared, removed
  }

  let reason: Reason
  let position: UInt64
  let hash: UInt64
  let byteCount: Int
  let sequence: UInt64
  let collection: UInt32
  let expires: Bool
  let extentSlotCount: Int
}

/// Sorts the records of a segment that is being emptied: what is kept, what is left out, and what is dead anyway.
///
/// It asks the index without the lock. What it finds may have changed before the index is told; so that is done only
/// for entries that are still as they were.
struct VictimScan: RecordVisitor {
  private let reader: Reader
  private let exchange: Exchange
  private let victim: Generation

  init(_ reader: Reader, _ exchange: Exchange, _ victim: Generation) {
    self.reader = reader
    self.exchange = exchange
    self.victim = victim
  }

  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError) {
    try reader.enterReading()
    defer { Readers.leave() }
    let view = reader.index.view
    try unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: records.count) {
      hashes throws(SedimentError) in
      for number in 0..<records.count {
        let record = unsafe records[number]
        let hash = record.withKey { view.hash($0, collection: record.collection) }
        unsafe hashes[number] = hash
        view.prefetch(hash)
      }
      for number in 0..<records.count {
        unsafe try take(records[number], hashes[number], view)
      }
    }
    exchange.noteHashing(view.keyHash)
  }

  private func take(_ record: ScannedRecord, _ hash: UInt64, _ view: IndexView) throws(SedimentError) {
    guard record.kind != .remove else { return try takeTombstone(record, hash, view) }
    guard let (_, entry) = view.find(hash, at: record.position) else {
      // Superseded: what it leads to was noted when that happened, unless the process died before.
      exchange.noteSuperseded(record)
      return
    }
    if let reason = exchange.reasonToLeaveOut(record, entry) {
      exchange.leaveOut(record, hash, reason)
      if reason != .cleared, exchange.needsTombstone(record, of: victim) {
        try exchange.keepTombstone(for: record)
      }
    } else {
      try exchange.keep(record, hash)
    }
  }

  /// A tombstone is needed as long as it may hide something; a put of its key hides that as well.
  private func takeTombstone(
    _ record: ScannedRecord, _ hash: UInt64, _ view: IndexView
  ) throws(SedimentError) {
    exchange.noteTombstone(record)
    guard exchange.needsTombstone(record, of: victim) else { return }
    if try !isHiddenByPut(record, hash, view) { try exchange.keep(record, hash) }
  }

  private func isHiddenByPut(
    _ record: ScannedRecord, _ hash: UInt64, _ view: IndexView
  ) throws(SedimentError) -> Bool {
    var probe = view.probe(hash)
    do throws(SedimentError) {
      let put = try record.withKey { (key) throws(SedimentError) in
        try reader.locate(key, in: record.collection, verifying: false, probe: &probe)
      }
      put?.release()
      return put != nil
    } catch  where error.isOfReading {
      // What cannot be read lies elsewhere, and a tombstone more does no harm.
      return false
    }
  }
}
