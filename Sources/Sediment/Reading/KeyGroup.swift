/// Some keys that are looked up together: their bytes in one piece of memory, and how far the search for each has come.
@usableFromInline
@safe
final class KeyGroup {
  /// How many keys are looked up at a time: enough for their memory to come near while others are looked at.
  static let countMax = 64
  /// From how many bytes of keys on no other key is added.
  private static let byteCountMax = 16 << 10

  private(set) var count = 0
  private let ends: UnsafeMutablePointer<Int>
  /// The hash of each key, and how far the search for it has come, once who looks them up has noted these.
  let hashes: UnsafeMutablePointer<UInt64>
  let searches: UnsafeMutablePointer<KeySearch>
  private let bytes = GrowingMemory(room: 1024)

  @usableFromInline init() {
    unsafe ends = .allocate(capacity: Self.countMax)
    unsafe hashes = .allocate(capacity: Self.countMax)
    unsafe searches = .allocate(capacity: Self.countMax)
  }

  deinit {
    unsafe ends.deallocate()
    unsafe hashes.deallocate()
    unsafe searches.deallocate()
  }

  @usableFromInline var isEmpty: Bool { count == 0 }

  /// Adds a key to a group that is not full; whether it is full now.
  @usableFromInline
  func append(_ key: RawSpan) -> Bool {
    precondition(count < Self.countMax, "a full group of keys")
    let target = unsafe bytes.add(key.byteCount)
    unsafe key.withUnsafeBytes { key in
      guard let start = key.baseAddress else { return }
      unsafe target.copyMemory(from: start, byteCount: key.count)
    }
    unsafe ends[count] = bytes.byteCount
    count &+= 1
    return count == Self.countMax || bytes.byteCount >= Self.byteCountMax
  }

  /// Leaves all keys out; how many there were.
  @usableFromInline
  func removeAll() -> Int {
    bytes.removeAll(from: 0)
    defer { count = 0 }
    return count
  }

  /// One of the keys, valid as long as the group and until another is added.
  @inline(__always)
  func key(_ number: Int) -> UnsafeRawBufferPointer {
    precondition(number >= 0 && number < count)
    let start = number == 0 ? 0 : unsafe ends[number &- 1]
    return unsafe UnsafeRawBufferPointer(start: bytes.start + start, count: ends[number] &- start)
  }
}
