package import SedimentFormat

/// Reads the records of one hot or survivors segment from the first to the end that the catalogue knows, and
/// verifies each (DESIGN.md 7, step 8).
///
/// A record that is not good is corruption there. Reading goes by `read` in large pieces, never through a mapping.
package struct SegmentScan: Sendable {
  private let entry: SegmentEntry
  private let file: StoreFile
  private let seed: Checksum
  private let isHot: Bool
  private let range: Range<UInt64>
  /// The sequence of the record before the first.
  private let before: SequenceNumber
  /// Where records lie that may be damaged.
  private let dictionaries: Set<UInt64>

  /// What a scan came to.
  package struct Totals: Hashable, Sendable {
    /// All records, control records included.
    package var recordCount: UInt64 = 0
    package var byteCount: UInt64 = 0
  }

  /// A scan up to `end`, which must be a position of the segment: from its first record on, or from a position behind
  /// a record of a known sequence.
  ///
  /// Records at the places of `dictionaries` are passed over if they are damaged but tell where they end: each is
  /// looked at when it is made ready. All other records must be there then, or it was the length that is damaged.
  package init(
    _ entry: SegmentEntry, from first: (offset: UnitOffset, behind: SequenceNumber)? = nil,
    upTo end: UnitOffset, of file: StoreFile, _ identity: FileIdentity,
    passing dictionaries: Set<UInt64> = []
  ) {
    self.entry = entry
    self.dictionaries = dictionaries
    self.file = file
    seed = entry.identity.seed(in: identity)
    before = first?.behind ?? entry.base
    isHot = entry.identity.kind == .hot
    let start = max(first?.offset ?? .zero, entry.identity.recordRange.lowerBound).byteOffset
    range = start..<max(start, min(end, entry.identity.recordRange.upperBound).byteOffset)
  }

  /// The bytes of all records together.
  var byteCount: UInt64 { range.upperBound - range.lowerBound }

  /// Shows every record to the visitor.
  package func run(
    _ buffer: ScanBuffer, _ visitor: inout some RecordVisitor
  ) throws(SedimentError) -> Totals {
    var window = buffer.takeWindow(of: file)
    var progress = Progress(position: range.lowerBound, sequence: before.rawValue)
    while progress.position < range.upperBound {
      guard try window.grow(from: progress.position, limit: range.upperBound) else {
        throw failure(.truncated, at: progress.position)
      }
      unsafe try window.withBytes { (bytes) throws(SedimentError) in
        unsafe try scan(bytes, buffer.records, &progress, &visitor)
      }
    }
    buffer.window = window
    if let passed = progress.passed, !isWhole(progress) { throw failure(.checksum, at: passed) }
    return Totals(recordCount: progress.recordCount, byteCount: progress.position - range.lowerBound)
  }

  /// Whether as much was found as the catalogue says; in a hot segment the sequences tell what is missing before.
  private func isWhole(_ progress: Progress) -> Bool {
    isHot ? progress.sequence == entry.highest.rawValue : progress.userCount == Int(entry.recordCount)
  }

  /// How far a scan has come.
  private struct Progress {
    /// Behind the last record.
    var position: UInt64
    /// Its sequence.
    var sequence: UInt64
    /// How many records were found or passed over.
    var recordCount: UInt64 = 0
    /// The same without control records.
    var userCount = 0
    /// Where the first record lies that was passed over; nil if there is none.
    var passed: UInt64?
  }

  // MARK: Records

  /// Scans the records that lie as a whole in memory, and shows them some at a time.
  private func scan(
    _ bytes: UnsafeRawBufferPointer, _ records: UnsafeMutablePointer<ScannedRecord>,
    _ progress: inout Progress, _ visitor: inout some RecordVisitor
  ) throws(SedimentError) {
    guard let memory = bytes.baseAddress else { return }
    let start = progress.position
    var place = 0
    var isAtEnd = false
    while !isAtEnd, place < bytes.count {
      var count = 0
      while count < ScanBuffer.recordCountMax, place < bytes.count {
        let (record, available, offset) =
          unsafe (memory + place, bytes.count - place, start &+ UInt64(place))
        var byteCount = unsafe scanPut(record, available, at: offset, &progress, records + count)
        if byteCount > 0 {
          count += 1
        } else {
          let other = unsafe try scanAny(record, available, at: offset, &progress, records + count)
          isAtEnd = other.byteCount == 0
          if isAtEnd { break }
          byteCount = other.byteCount
          count += other.isUser ? 1 : 0
        }
        place += byteCount
        progress.recordCount += 1
      }
      progress.userCount += count
      if count > 0 { unsafe try visitor.visit(UnsafeBufferPointer(start: records, count: count)) }
    }
    progress.position = start + UInt64(place)
  }

  /// Scans the record at an address if it is a good plain put that lies there as a whole; 0 if not.
  @inline(__always)
  private func scanPut(
    _ record: UnsafeRawPointer, _ available: Int, at place: UInt64, _ progress: inout Progress,
    _ result: UnsafeMutablePointer<ScannedRecord>
  ) -> Int {
    guard let view = unsafe RecordView(record, available: available),
      view.isPlainPut, view.isIntact(at: place, seed: seed.rawValue), view.isPaddedWithZeros
    else { return 0 }
    let distance = (view.sequenceLow &- entry.base.rawValue) & (Limits.sequenceSpan - 1)
    // A base has at most 62 bits.
    let sequence = entry.base.rawValue &+ distance
    guard isHot ? sequence == progress.sequence &+ 1 : distance != 0, sequence <= Limits.sequenceMax else {
      return 0
    }
    progress.sequence = sequence
    unsafe result.initialize(
      to: ScannedRecord(
        position: place &>> 3, sequence: sequence, expiry: 0,
        keyStart: view.start + Limits.recordFixedByteCount,
        keyByteCount: Int32(truncatingIfNeeded: view.keyByteCount),
        valueByteCount: Int32(truncatingIfNeeded: view.valueByteCount), collection: 0,
        byteCount: Int32(truncatingIfNeeded: view.byteCount), kind: .put,
        headByteCount: UInt8(truncatingIfNeeded: Limits.recordFixedByteCount)))
    return view.byteCount
  }

  /// Scans a record of any shape; its length is 0 if not all of it is there.
  @inline(never)
  private func scanAny(
    _ record: UnsafeRawPointer, _ available: Int, at place: UInt64, _ progress: inout Progress,
    _ result: UnsafeMutablePointer<ScannedRecord>
  ) throws(SedimentError) -> (byteCount: Int, isUser: Bool) {
    let span = unsafe RawSpan(_unsafeStart: record, byteCount: available)
    guard let offset = UnitOffset(byteOffset: place) else { throw failure(.field(.position), at: place) }
    let header: RecordHeader
    do throws(FormatError) {
      header = try RecordHeader.decode(span, at: RecordPlace(seed: seed, base: entry.base, offset: offset))
    } catch {
      if error.fault == .truncated { return (0, false) }
      guard dictionaries.contains(place), let view = unsafe RecordView(record, available: available) else {
        throw failure(error.fault, at: place)
      }
      progress.sequence += 1
      progress.userCount += 1
      progress.passed = progress.passed ?? place
      return (view.byteCount, false)
    }
    guard !isHot || header.sequence.rawValue == progress.sequence &+ 1 else {
      throw failure(.field(.sequence), at: place)
    }
    progress.sequence = header.sequence.rawValue
    guard header.kind != .control else { return (header.byteCount, false) }
    unsafe result.initialize(to: ScannedRecord(header, at: place, in: record))
    return (header.byteCount, true)
  }

  private func failure(_ fault: FormatError.Fault, at offset: UInt64) -> SedimentError {
    SedimentError(FormatError(.record, fault), path: file.path, offset: offset)
  }
}

/// The memory of scans, used again for each segment.
@safe
package final class ScanBuffer {
  /// How many records a visitor is given at once.
  package static let recordCountMax = 64

  /// How much is read at once: what stays in a processor's cache.
  private static let pieceByteCount = 1 << 18

  let records: UnsafeMutablePointer<ScannedRecord>
  fileprivate var window: FileWindow?

  package init() {
    unsafe records = .allocate(capacity: Self.recordCountMax)
  }

  deinit {
    unsafe records.deallocate()
  }

  /// An empty window, with the memory of the scan before if that was one of the same file.
  fileprivate func takeWindow(of file: StoreFile) -> FileWindow {
    guard var window = window.take(), window.file === file else {
      return FileWindow(file, pieceByteCount: Self.pieceByteCount)
    }
    window.empty()
    return window
  }
}
