internal import SedimentFormat

/// Records of one segment, with copies of their keys and the hashes of these, on their way from a scan to the index.
///
/// Unchecked: one thread at a time has it.
@safe
final class ScannedBatch: @unchecked Sendable {
  static let recordCountMax = 1024
  /// Room for the longest key twice.
  private static let keyByteCountMax = 1 << 17

  /// The segment's number among those that are scanned.
  private(set) var segment = 0
  private(set) var count = 0
  let records: UnsafeMutablePointer<ScannedRecord>
  let hashes: UnsafeMutablePointer<UInt64>
  private let keys: UnsafeMutableRawPointer
  private var keyByteCount = 0

  init() {
    unsafe records = .allocate(capacity: Self.recordCountMax)
    unsafe hashes = .allocate(capacity: Self.recordCountMax)
    unsafe keys = .allocate(byteCount: Self.keyByteCountMax, alignment: 8)
  }

  deinit {
    unsafe records.deallocate()
    unsafe hashes.deallocate()
    unsafe keys.deallocate()
  }

  /// Empties it for records of a segment.
  func begin(_ segment: Int) {
    self.segment = segment
    count = 0
    keyByteCount = 0
  }

  /// Adds a record; false if it is full.
  @inline(__always)
  func add(_ record: ScannedRecord, _ keyHash: KeyHash) -> Bool {
    let length = Int(record.keyByteCount)
    guard count < Self.recordCountMax, length <= Self.keyByteCountMax - keyByteCount else { return false }
    let copy = unsafe keys + keyByteCount
    unsafe copy.copyMemory(from: record.keyStart, byteCount: length)
    let key = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(copy), byteCount: length)
    unsafe records[count] = record
    unsafe records[count].keyStart = UnsafeRawPointer(copy)
    if record.kind == .putLarge { unsafe records[count].extentSlotCount = record.extentSlotCountOfValue }
    unsafe hashes[count] = keyHash.hash(key, collection: record.collection)
    keyByteCount &+= (length &+ 7) & ~7
    count &+= 1
    return true
  }
}

/// Fills batches with what is scanned, and passes them on.
struct BatchFiller: RecordVisitor {
  private let keyHash: KeyHash
  private var batch = ScannedBatch()
  /// Takes a batch that is full, or the last of its segment, and returns an empty one.
  private let exchange: (ScannedBatch) throws(SedimentError) -> ScannedBatch

  init(
    _ keyHash: KeyHash, exchange: @escaping (ScannedBatch) throws(SedimentError) -> ScannedBatch
  ) {
    self.keyHash = keyHash
    self.exchange = exchange
  }

  mutating func begin(_ segment: Int) throws(SedimentError) {
    if batch.count > 0 { batch = try exchange(batch) }
    batch.begin(segment)
  }

  mutating func end() throws(SedimentError) {
    try begin(0)
  }

  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) throws(SedimentError) {
    for number in 0..<records.count {
      let record = unsafe records[number]
      if batch.add(record, keyHash) { continue }
      let segment = batch.segment
      batch = try exchange(batch)
      batch.begin(segment)
      _ = batch.add(record, keyHash)
    }
  }
}

/// Hands batches from a thread that scans to the one that fills the index, and empty ones back.
///
/// Unchecked: the lock guards the variables.
final class BatchQueue: @unchecked Sendable {
  private let lock = Lock()
  private let changed: Condition
  private var empty: [ScannedBatch]
  private var full: [ScannedBatch] = []
  private var isCancelled = false
  private var outcome: Result<SegmentScan.Totals, SedimentError>?
  /// Who waits is woken once there are so many batches: waking for each takes as long as a good part of one.
  private let wakingCount: Int

  /// A queue of so many batches, besides the one that is filled.
  init(batchCount: Int) {
    wakingCount = (batchCount + 1) / 2
    changed = Condition(of: lock)
    empty = (0..<batchCount).map { _ in ScannedBatch() }
  }

  // MARK: The thread that scans

  /// Passes a batch on and waits for an empty one; it fails if nobody wants any more.
  func exchange(_ batch: ScannedBatch) throws(SedimentError) -> ScannedBatch {
    let next = lock.withLock { () -> ScannedBatch? in
      full.append(batch)
      if full.count == wakingCount { changed.broadcast() }
      while empty.isEmpty, !isCancelled { changed.wait() }
      return isCancelled ? nil : empty.removeLast()
    }
    // It ends the scan, and nobody is told of it.
    guard let next else { throw .closed("") }
    return next
  }

  /// Says that no more batches follow, with what they came to, or why.
  func end(_ outcome: Result<SegmentScan.Totals, SedimentError>) {
    lock.withLock {
      self.outcome = outcome
      changed.broadcast()
    }
  }

  // MARK: The thread that takes

  /// Takes all batches, and says what scanning them came to.
  ///
  /// It returns, also if `body` fails, once the other thread has ended.
  func takeAll(
    _ body: (ScannedBatch) throws(SedimentError) -> Void
  ) throws(SedimentError) -> SegmentScan.Totals {
    do throws(SedimentError) {
      while let batch = next() {
        try body(batch)
        giveBack(batch)
      }
    } catch {
      _ = waitForEnd(cancelling: true)
      throw error
    }
    return try waitForEnd(cancelling: false).get()
  }

  /// The next batch; nil when there is none any more.
  private func next() -> ScannedBatch? {
    lock.withLock {
      while full.isEmpty {
        if outcome != nil { return nil }
        changed.wait()
      }
      return full.removeFirst()
    }
  }

  private func giveBack(_ batch: ScannedBatch) {
    lock.withLock {
      empty.append(batch)
      if empty.count == wakingCount { changed.broadcast() }
    }
  }

  private func waitForEnd(cancelling: Bool) -> Result<SegmentScan.Totals, SedimentError> {
    lock.withLock {
      isCancelled = cancelling
      changed.broadcast()
      while true {
        if let outcome { return outcome }
        changed.wait()
      }
    }
  }
}
