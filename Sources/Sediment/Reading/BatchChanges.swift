internal import SedimentFormat

/// The last change of each key in a batch; what the batch did to the key before, nobody may ever see.
///
/// Whoever has the writer fills it. Then its address is published: while the index is being told, readers go by
/// what it says that keys were before. From then on it does not change, and it is released when no reader can have the
/// address.
///
/// Unchecked, because it holds pointers: to memory of its own, which nobody changes once it is published.
@safe
final class BatchChanges: @unchecked Sendable {
  /// What becomes of one key.
  struct Change {
    let hash: UInt64
    /// Which member of the batch it is.
    let number: Int
    /// Where the index has the entry of the record that the key had; nil if it had none.
    var entryPlace: IndexSlot?
    /// What the accounts have of that record.
    var old: RecordAccount?
    /// Where the batch's record of it is, 0 if it is removed.
    var after: UInt64 = 0

    /// Where the newest record of the key was, 0 if it had none.
    var before: UInt64 { old?.position ?? 0 }
  }

  private(set) var count = 0
  /// Where values lie that were large and are replaced or removed, by the number of the change.
  var largeOld: [Int: ValuePlace] = [:]
  private let changes: UnsafeMutablePointer<Change>
  /// A hash table: numbers of changes and one more, 0 where there is none.
  private let places: UnsafeMutablePointer<UInt32>
  private let placeCount: Int

  /// Makes room for the changes of a batch of so many members.
  init(memberCount: Int) {
    unsafe changes = .allocate(capacity: memberCount)
    var placeCount = 8
    while placeCount < memberCount * 2 { placeCount *= 2 }
    self.placeCount = placeCount
    unsafe places = .allocate(capacity: placeCount)
    unsafe places.initialize(repeating: 0, count: placeCount)
  }

  deinit {
    unsafe changes.deallocate()
    unsafe places.deallocate()
  }

  /// The bytes that it takes.
  var byteCount: Int { placeCount * (4 + MemoryLayout<Change>.stride / 2) }

  /// One of the changes.
  @inline(__always)
  subscript(number: Int) -> Change {
    get {
      precondition(number >= 0 && number < count)
      return unsafe changes[number]
    }
    _modify {
      precondition(number >= 0 && number < count)
      yield unsafe &changes[number]
    }
  }

  /// Adds the change that a member makes, unless a test says that one with the same hash is of the same key; whether
  /// it did.
  @inline(__always)
  func add(_ number: Int, _ hash: UInt64, unless isSameKey: (_ other: Int) -> Bool) -> Bool {
    var place = home(hash)
    while case let found = unsafe Int(places[place]), found != 0 {
      if unsafe changes[found &- 1].hash == hash, unsafe isSameKey(changes[found &- 1].number) {
        return false
      }
      place = (place &+ 1) & (placeCount &- 1)
    }
    unsafe (changes + count).initialize(to: Change(hash: hash, number: number))
    count &+= 1
    unsafe places[place] = UInt32(truncatingIfNeeded: count)
    return true
  }

  /// Calls a closure with the changes of keys that have a hash, until it returns something: there is more than one only
  /// where keys collide.
  func first<Result, Failure: Error>(
    of hash: UInt64, _ body: (Change) throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    var place = home(hash)
    while case let found = unsafe Int(places[place]), found != 0 {
      let change = unsafe changes[found &- 1]
      if change.hash == hash, let result = try body(change) { return result }
      place = (place &+ 1) & (placeCount &- 1)
    }
    return nil
  }

  /// Notes the record that the key of a change has.
  @inline(__always)
  func note(_ record: FoundRecord, ofChange number: Int) {
    self[number].old = record.account
    if let place = record.place { largeOld[number] = place }
  }

  @inline(__always)
  private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (placeCount &- 1) }
}

// MARK: Readers meanwhile

extension Reader {
  /// What a key's newest record was before the batch that is being told to the index.
  ///
  /// In a reader's scope.
  @inline(never)
  func beforeBatch(
    _ address: UInt, _ key: RawSpan, _ hash: UInt64, _ collection: UInt32, _ found: FoundRecord?
  ) throws(SedimentError) -> FoundRecord? {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return found }
    // The batch lives until no reader is inside that could have loaded its address.
    let batch = unsafe Unmanaged<BatchChanges>.fromOpaque(pointer).takeUnretainedValue()
    let before = try batch.first(of: hash) { (change) throws(SedimentError) -> FoundRecord?? in
      if let found, change.after == found.position {
        found.release()
        return .some(change.before == 0 ? nil : try verifiedRecord(at: change.before))
      }
      if found == nil, change.before != 0, let before = try verifiedRecord(at: change.before) {
        if before.view.collection == collection, before.view.hasKey(key) { return .some(before) }
        before.release()
      }
      return nil
    }
    return before ?? found
  }

  private func verifiedRecord(at position: UInt64) throws(SedimentError) -> FoundRecord? {
    guard let found = try record(at: position) else { throw damaged(at: position) }
    guard !options.verifiesReads || found.view.isIntact(at: position, seed: found.segment.seed) else {
      found.release()
      throw damaged(at: position)
    }
    return found
  }
}
