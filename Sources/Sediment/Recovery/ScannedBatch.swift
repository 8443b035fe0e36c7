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
  private var batch: ScannedBatch
  /// Takes a batch that is full, or the last of its segment, and returns an empty one.
  private let exchange: (ScannedBatch) throws(SedimentError) -> ScannedBatch

  init(
    _ keyHash: KeyHash, _ first: ScannedBatch,
    exchange: @escaping (ScannedBatch) throws(SedimentError) -> ScannedBatch
  ) {
    self.keyHash = keyHash
    batch = first
    self.exchange = exchange
  }

  mutating func begin(_ segment: Int) throws(SedimentError) {
    if batch.count > 0 { batch = try exchange(batch) }
    batch.begin(segment)
  }

  mutating func end() throws(SedimentError) {
    if batch.count > 0 { batch = try exchange(batch) }
    batch.begin(0)
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
