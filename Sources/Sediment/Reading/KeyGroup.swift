internal import CSediment
internal import SedimentFormat

/// Some keys that are looked up together: their bytes in one piece of memory, and how far the search for each has come.
@usableFromInline
@safe
final class KeyGroup {
  /// How many keys are looked up at a time: enough for their memory to come near while others are looked at.
  static let countMax = 64
  /// From how many bytes of keys on no other key is added.
  private static let byteCountMax = 16 << 10

  private(set) var count = 0
  /// Where each key begins, and where the next one would.
  private let starts: UnsafeMutablePointer<Int>
  /// Where the search for each key begins, and the first entry that agrees, once who looks them up has noted these.
  let homes: UnsafeMutablePointer<IndexHome>
  let places: UnsafeMutablePointer<IndexPlace?>
  private let bytes = GrowingMemory(room: 1024)

  @usableFromInline init() {
    unsafe starts = .allocate(capacity: Self.countMax + 1)
    unsafe starts[0] = 0
    unsafe homes = .allocate(capacity: Self.countMax)
    unsafe places = .allocate(capacity: Self.countMax)
  }

  deinit {
    unsafe starts.deallocate()
    unsafe homes.deallocate()
    unsafe places.deallocate()
  }

  @usableFromInline var isEmpty: Bool { count == 0 }

  /// Adds a key to a group that is not full; whether it is full now.
  @usableFromInline
  func append(_ key: RawSpan) -> Bool {
    precondition(count < Self.countMax, "a full group of keys")
    let target = unsafe bytes.add(key.byteCount)
    unsafe key.withUnsafeBytes { unsafe sediment_copy_short(target, $0.baseAddress, $0.count) }
    count &+= 1
    unsafe starts[count] = bytes.byteCount
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
    let (start, end) = unsafe (starts[number], starts[number &+ 1])
    return unsafe UnsafeRawBufferPointer(start: bytes.start + start, count: end &- start)
  }
}

extension Reader {
  /// Calls `body` for each key of a group, in their order, with its number, counted from `first` on, its value and when
  /// that expires, nil and never where it has none.
  ///
  /// What they need from memory is asked for ahead: first the index's buckets of all, then their records. So the
  /// waits overlap, where one lookup after the other would wait for each. With `lending`, `body` is code of a user, and
  /// is called outside the reader's scope.
  @usableFromInline
  func read(
    _ group: KeyGroup, from first: Int, _ state: CollectionState, lending: Bool,
    _ body: (Int, RawSpan?, SedimentExpiry) throws -> Void
  ) throws {
    try enterReading()
    defer { Readers.leave() }
    let view = index.view
    let keyHash = view.keyHash
    var scope = LendingScope(domain, lending: lending)
    for number in 0..<group.count {
      let home = view.home(unsafe RawSpan(_unsafeBytes: group.key(number)), collection: state.number)
      unsafe (group.homes + number).initialize(to: home)
      home.prefetch()
    }
    for number in 0..<group.count {
      let place = KeySearch(unsafe group.homes[number]).place
      if let place { prefetch(place.entry) }
      unsafe (group.places + number).initialize(to: place)
    }
    for number in 0..<group.count {
      let key = unsafe RawSpan(_unsafeBytes: group.key(number))
      let hash = unsafe group.homes[number].hash
      let place = unsafe scope.isStale ? search(hash, keyHash) : group.places[number]
      // Others may have changed the index since.
      if let place, place.isCurrent(hash, in: index.view),
        let found = recordInPlace(key, place, state, isNear: true), isWhole(found)
      {
        let expiry = SedimentExpiry(written: found.view.expiry)
        try scope.call(holding: found.slot) {
          try body(first + number, unsafe RawSpan(_unsafeBytes: found.view.value), expiry)
        }
      } else if let found = try findAnew(key, hash, keyHash, state) {
        let expiry = SedimentExpiry(written: found.view.expiry)
        let value = try value(of: found)
        defer { value.release() }
        try scope.call(holding: heldSlot(value)) {
          try body(first + number, unsafe RawSpan(_unsafeBytes: value.bytes), expiry)
        }
      } else {
        try scope.call(holding: nil) { try body(first + number, nil, .never) }
      }
      // Whoever closes the store waits for the one closure, and not for all that would follow.
      if lending { try lifetime.check() }
    }
  }

  /// Searches again for a key whose hash is known.
  private func search(_ hash: UInt64, _ keyHash: KeyHash) -> IndexPlace? {
    let view = index.view
    return view.keyHash == keyHash ? KeySearch(IndexHome(hash, in: view)).place : nil
  }

  /// The record of a key whose hash is known for a seed of the index, and whose search came to nothing that can be used.
  @inline(never)
  private func findAnew(
    _ key: RawSpan, _ hash: UInt64, _ keyHash: KeyHash, _ state: CollectionState
  ) throws(SedimentError) -> FoundRecord? {
    let now = index.view
    let hash = now.keyHash == keyHash ? hash : now.hash(key, collection: state.number)
    return try findRecord(key, hash, in: now, state)
  }
}
