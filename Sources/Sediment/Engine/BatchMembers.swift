internal import SedimentFormat

/// The changes of a batch as they are collected: all bytes in one buffer.
@usableFromInline
struct BatchMembers {
  struct Member {
    let kind: RecordKind
    let state: CollectionState
    let expiry: UInt64
    let key: Range<Int>
    let value: Range<Int>
  }

  private(set) var members: [Member] = []
  private var bytes: [UInt8] = []
  /// Why the batch cannot be made; the first thing that was wrong.
  private(set) var failure: SedimentError?
  private let path: String

  init(path: String) {
    self.path = path
  }

  var isEmpty: Bool { members.isEmpty }

  /// The bytes of all values.
  var valueByteCount: Int { members.reduce(0) { $0 + $1.value.count } }

  mutating func add(
    _ kind: RecordKind, _ key: RawSpan, _ value: RawSpan, _ state: CollectionState, expiry: UInt64
  ) {
    guard failure == nil else { return }
    if let limit = Self.violation(key, value, path) {
      failure = limit
      return
    }
    if members.count >= Int(Limits.batchRecordCountMax) {
      failure = .tooLarge(
        path, what: "batch of changes", byteCount: members.count + 1, limit: Int(Limits.batchRecordCountMax))
      return
    }
    let keyRange = append(key)
    let valueRange = append(value)
    members.append(Member(kind: kind, state: state, expiry: expiry, key: keyRange, value: valueRange))
  }

  mutating func fail(_ error: SedimentError) {
    if failure == nil { failure = error }
  }

  func withBytes<Result, Failure: Error>(
    of range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe bytes.span.bytes.extracting(range))
  }

  /// Whether two members change the same key of the same collection.
  func isSameKey(_ one: Member, _ other: Member) -> Bool {
    one.state === other.state && bytes[one.key] == bytes[other.key]
  }

  private mutating func append(_ span: RawSpan) -> Range<Int> {
    let start = bytes.count
    unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    return start..<bytes.count
  }

  private static func violation(_ key: RawSpan, _ value: RawSpan, _ path: String) -> SedimentError? {
    if key.byteCount > Limits.keyByteCountMax {
      return .tooLarge(path, what: "key", byteCount: key.byteCount, limit: Limits.keyByteCountMax)
    }
    if value.byteCount > Limits.valueByteCountMax {
      return .tooLarge(path, what: "value", byteCount: value.byteCount, limit: Limits.valueByteCountMax)
    }
    return nil
  }
}
