internal import CSediment
internal import SedimentFormat

/// The changes of a batch as they are collected, laid out as records already.
@usableFromInline
struct BatchMembers {
  /// One change, without anything that would have to be counted when it is looked at.
  struct Member {
    let expiry: UInt64
    /// Where its key begins among all bytes, which its value follows.
    fileprivate let start: Int
    let collection: UInt32
    /// Which of `states` is its collection's.
    let stateNumber: UInt32
    fileprivate let valueLength: UInt32
    fileprivate let keyLength: UInt16
    let kind: RecordKind

    var keyByteCount: Int { Int(keyLength) }
    var valueByteCount: Int { Int(valueLength) }

    /// Whether its value gets extents: if it has more bytes or, with nil, if it does not fit into one slot with its key.
    func needsExtents(above byteCountMax: Int?) -> Bool {
      if let byteCountMax { return valueByteCount > byteCountMax }
      return keyByteCount + valueByteCount > LogWriter.shortRecordByteCountMax
        && valueByteCount > LogWriter.heldValueByteCountMax
    }

    /// What its record says of itself, as it was laid out.
    @inline(__always) var form: RecordForm {
      RecordForm(kind: kind, isBatched: true, collection: collection, expiry: expiry)
    }
  }

  private(set) var members: [Member] = []
  /// The collections that take part.
  private(set) var states: [CollectionState] = []
  /// The bytes of all values.
  private(set) var valueByteCount = 0
  /// The bytes of all keys.
  private(set) var keyByteCount = 0
  /// How many of them store something.
  private(set) var putCount = 0
  /// Whether a key and its value do not fit into one slot.
  private(set) var hasLongMember = false
  /// The bytes of the longest key of those.
  private(set) var longestKeyByteCount = 0
  /// A record for each.
  private(set) var images = GrowingMemory(room: 1024)
  /// Why the batch cannot be made; the first thing that was wrong.
  private(set) var failure: SedimentError?
  /// Which of `states` the last change is about.
  private var stateNumber: UInt32 = 0
  private var stateNumbers: [ObjectIdentifier: UInt32] = [:]
  private let path: String

  init(path: String) {
    self.path = path
  }

  var isEmpty: Bool { members.isEmpty }

  /// Adds a value for a key.
  @usableFromInline
  mutating func addPut(_ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: UInt64) {
    add(.put, key, value, state, expiry: expiry)
  }

  /// Adds the removal of a key.
  @usableFromInline
  mutating func addRemoval(_ key: RawSpan, _ state: CollectionState) {
    add(.remove, key, RawSpan(), state, expiry: 0)
  }

  @inline(__always)
  private mutating func add(
    _ kind: RecordKind, _ key: RawSpan, _ value: RawSpan, _ state: CollectionState, expiry: UInt64
  ) {
    guard failure == nil, isWithinLimits(key, value) else { return }
    if states.isEmpty || states[Int(stateNumber)] !== state { takePart(state) }
    if !isKnownUniquelyReferenced(&images) { images = images.copy() }
    let form = RecordForm(kind: kind, isBatched: true, collection: state.number, expiry: expiry)
    let record = images.append(form, key: key, value: value)
    members.append(
      Member(
        expiry: expiry, start: record.lowerBound &+ form.headByteCount, collection: state.number,
        stateNumber: stateNumber, valueLength: UInt32(truncatingIfNeeded: value.byteCount),
        keyLength: UInt16(truncatingIfNeeded: key.byteCount), kind: kind))
    keyByteCount &+= key.byteCount
    valueByteCount &+= value.byteCount
    if kind != .remove { putCount &+= 1 }
    if key.byteCount &+ value.byteCount > LogWriter.shortRecordByteCountMax {
      hasLongMember = true
      longestKeyByteCount = max(longestKeyByteCount, key.byteCount)
    }
  }

  /// Lets the next change be about a collection.
  @inline(never)
  private mutating func takePart(_ state: CollectionState) {
    let next = UInt32(truncatingIfNeeded: states.count)
    stateNumber = stateNumbers[ObjectIdentifier(state), default: next]
    guard stateNumber == next else { return }
    stateNumbers[ObjectIdentifier(state)] = next
    states.append(state)
  }

  mutating func fail(_ error: SedimentError) {
    if failure == nil { failure = error }
  }

  /// The bytes of a member's key, until others are added.
  @inline(__always)
  func key(of member: Member) -> UnsafeRawBufferPointer {
    let key = member.start..<member.start &+ member.keyByteCount
    return unsafe UnsafeRawBufferPointer(start: images.address(key), count: key.count)
  }

  /// The bytes of a member's value.
  @inline(__always)
  func withValue<Result, Failure: Error>(
    of member: Member, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = member.start &+ member.keyByteCount
    let value = start..<start &+ member.valueByteCount
    return try body(unsafe RawSpan(_unsafeStart: images.address(value), byteCount: value.count))
  }

  /// The collection that a member changes.
  @inline(__always)
  func state(of member: Member) -> CollectionState { states[Int(member.stateNumber)] }

  /// Whether two members change the same key of the same collection.
  func isSameKey(_ one: Member, _ other: Member) -> Bool {
    guard one.collection == other.collection, one.keyLength == other.keyLength else { return false }
    let (first, second) = unsafe (key(of: one), key(of: other))
    return unsafe sediment_bytes_equal(first.baseAddress, second.baseAddress, first.count) != 0
  }

  @inline(__always)
  private mutating func isWithinLimits(_ key: RawSpan, _ value: RawSpan) -> Bool {
    if key.byteCount <= Limits.keyByteCountMax, value.byteCount <= Limits.valueByteCountMax,
      members.count < Int(Limits.batchRecordCountMax)
    {
      return true
    }
    failure = violation(key, value)
    return false
  }

  private func violation(_ key: RawSpan, _ value: RawSpan) -> SedimentError {
    if key.byteCount > Limits.keyByteCountMax || value.byteCount > Limits.valueByteCountMax {
      return .tooLong(key, value, path)
    }
    return .tooMany(path, changeCount: members.count + 1, limit: Int(Limits.batchRecordCountMax))
  }
}
