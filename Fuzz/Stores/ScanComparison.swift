internal import Sediment
internal import SedimentDisk
internal import SedimentFormat
internal import SedimentTesting

/// Holds the quick readers of records to the one that decodes each of them, in all segments of a file.
package func compareScans(_ damaged: DamagedStore) {
  let bytes = damaged.bytes
  guard let identity = FileLayout.identity(in: bytes) else { return }
  let disk = damaged.disk()
  guard case .success(let file) = outcome({ try disk.openFile(SeedStore.path, .read) }) else { return }
  defer { try? file.close() }
  let surveyed = SurveyedFile(file: file, identity: identity, byteCount: UInt64(bytes.count))
  for header in FileLayout.headers(in: bytes, of: identity)
  where header.identity.kind == .hot || header.identity.kind == .survivors {
    compare(header, surveyed, file, identity)
  }
}

/// A record as both tell it.
private struct Seen: Equatable {
  var position: UInt64
  var sequence: UInt64
  var expiry: UInt64
  var collection: UInt32
  var kind: RecordKind
  var lengths: [Int]
}

private struct Collector: RecordVisitor {
  var seen: [Seen] = []

  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) {
    for number in 0..<records.count {
      let record = unsafe records[number]
      seen.append(
        Seen(
          position: record.position * UInt64(Limits.unitByteCount), sequence: record.sequence,
          expiry: record.expiry, collection: record.collection, kind: record.kind,
          lengths: [
            Int(record.headByteCount), Int(record.keyByteCount), Int(record.valueByteCount),
            Int(record.byteCount),
          ]))
    }
  }
}

private func compare(
  _ header: SegmentHeader, _ surveyed: SurveyedFile, _ file: StoreFile, _ identity: FileIdentity
) {
  let isHot = header.identity.kind == .hot
  var cursor = RecordCursor(surveyed, header.identity, base: header.base)
  var seen: [Seen] = []
  var sequence = header.base.rawValue
  var end = cursor.position
  var isBroken = false
  while case .success(let found?) = outcome({ try cursor.next() }) {
    guard case .success(let record) = found, !isHot || record.sequence.rawValue == sequence + 1 else {
      isBroken = true
      break
    }
    sequence = record.sequence.rawValue
    if record.kind != .control {
      seen.append(
        Seen(
          position: end, sequence: sequence, expiry: record.expiry, collection: record.collection,
          kind: record.kind,
          lengths: [
            record.headByteCount, record.keyByteCount, record.valueByteCount, record.byteCount,
          ]))
    }
    end = cursor.position
  }
  let entry = SegmentEntry(
    identity: header.identity, base: header.base, floor: header.floor, end: UnitOffset(byteOffset: end),
    highest: header.base, latestExpiry: 0, recordCount: 0, tombstoneCount: 0, largeCount: 0)
  var collector = Collector()
  let whole = SegmentScan(entry, upTo: UnitOffset(byteOffset: end)!, of: file, identity)
  guard case .success = outcome({ try whole.run(ScanBuffer(), &collector) }) else {
    return expect(false, "a scan of good records fails")
  }
  expect(collector.seen == seen, "a scan sees other records")
  if isBroken {
    var ignored = Collector()
    let beyond = SegmentScan(
      entry, upTo: header.identity.recordRange.upperBound, of: file, identity)
    guard case .failure = outcome({ try beyond.run(ScanBuffer(), &ignored) }) else {
      return expect(false, "a scan goes on behind what is no good record")
    }
  }
  if isHot { compareSkipping(header, surveyed, seen, end) }
}

/// Passes over plain puts at once wherever that can be, and over all others one by one.
private func compareSkipping(
  _ header: SegmentHeader, _ surveyed: SurveyedFile, _ seen: [Seen], _ end: UInt64
) {
  var cursor = RecordCursor(surveyed, header.identity, base: header.base)
  var sequence = header.base.rawValue
  var count = 0
  while cursor.position < end {
    let skipped = cursor.skipPuts(after: sequence)
    sequence += UInt64(skipped)
    count += Int(skipped)
    guard cursor.position < end else { break }
    guard case .success(.success(let record)?) = outcome({ try cursor.next() }) else {
      return expect(false, "passing over puts ends before a record")
    }
    sequence = record.sequence.rawValue
    if record.kind != .control { count += 1 }
  }
  expect(cursor.position == end && count == seen.count, "passing over puts comes to other records")
}
