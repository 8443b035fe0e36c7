internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// Fills an index from its stored parts (DESIGN.md 7, step 8).
///
/// No record is read: what they come to, the parts tell by their accounts. If anything is not as it should be, nothing
/// is taken; only a call that fails is an error.
struct StoredIndexReading {
  let file: StoreFile
  let identity: FileIdentity
  let catalogue: Catalogue
  /// The hot and survivors segments, by whose numbers here what lives in them is counted.
  let segments: [SegmentEntry]
  let coverage: IndexCoverage

  /// What the parts brought.
  struct Result {
    /// What they lead to in each segment.
    var live: [IndexBuildResult.Live]
    /// The keys of each collection.
    var collections: [UInt32: IndexBuildResult.Keys]
    /// The sequence of the last record that the parts know for certain.
    var sequence: SequenceNumber
    var entryCount: UInt64
    /// Whether some entries lead to records that were cleared since.
    var hasDead: Bool
  }

  /// From so many parts on two threads read them.
  private static let partCountForTwo = 3

  /// Lets the index have the parts' entries and seed; nil, with the index as it was, if they are no good.
  func run(into index: HashIndex) throws(SedimentError) -> Result? {
    guard
      let load = IndexLoad(
        keyHash: coverage.keyHash, partitionCount: coverage.partitionCount, entryCount: coverage.entryCount)
    else { return nil }
    let places = IndexPlaces(segments, coverage)
    let crew = Crew(parts: coverage.parts)
    let helper = coverage.parts.count >= Self.partCountForTwo ? Helper() : nil
    let isHelped = helper.map { helper in
      startThread { helper.end(Share(self, places, load).run(crew)) }
    }
    var outcome = Share(self, places, load).run(crew)
    if let helper, isHelped == true {
      outcome = Share.joined(outcome, helper.wait())
    }
    guard let share = try outcome.get(), let result = result(of: share) else { return nil }
    index.take(load)
    return result
  }

  /// The accounts of all parts, if they agree with the entries that were taken.
  private func result(of share: Share) -> Result? {
    guard let sequence = share.sequence else { return nil }
    var live: [IndexBuildResult.Live] = []
    for (number, entry) in segments.enumerated() {
      let account = share.accounts[number]
      guard account.recordCount == UInt64(share.counts[number]),
        account.byteCount <= UInt64(entry.identity.run.byteRange.count)
      else { return nil }
      live.append(
        IndexBuildResult.Live(recordCount: share.counts[number], byteCount: account.byteCount))
    }
    return Result(
      live: live, collections: share.collections, sequence: sequence,
      entryCount: share.counts.reduce(0) { $0 + UInt64($1) }, hasDead: share.hasDead)
  }
}

/// Hands out parts to the threads that read them.
private final class Crew: Sendable {
  private let parts: [IndexPartEntry]
  private let taken = Atomic<Int>(0)

  init(parts: [IndexPartEntry]) {
    self.parts = parts
  }

  func next() -> IndexPartEntry? {
    let number = taken.wrappingAdd(1, ordering: .relaxed).oldValue
    return number < parts.count ? parts[number] : nil
  }

  /// Nobody need read any further.
  func stop() {
    taken.store(parts.count, ordering: .relaxed)
  }
}

/// What comes of the thread that helps.
///
/// Unchecked: a lock guards it.
private final class Helper: @unchecked Sendable {
  private let lock = Lock()
  private let changed: Condition
  private var outcome: Swift.Result<Share?, SedimentError>?

  init() {
    changed = Condition(of: lock)
  }

  func end(_ outcome: Swift.Result<Share?, SedimentError>) {
    lock.withLock {
      self.outcome = outcome
      changed.signal()
    }
  }

  func wait() -> Swift.Result<Share?, SedimentError> {
    lock.withLock {
      while true {
        if let outcome { return outcome }
        changed.wait()
      }
    }
  }
}

/// What one thread makes of the parts that it gets.
///
/// Sendable: it goes to that thread, and comes back once it has ended.
private struct Share: @unchecked Sendable {
  private let reading: StoredIndexReading
  private let places: IndexPlaces
  private let load: IndexLoad
  /// The entries that lead to each segment, and what the accounts say of them.
  private(set) var counts: [UInt32]
  private(set) var accounts: [(recordCount: UInt64, byteCount: UInt64)]
  private(set) var collections: [UInt32: IndexBuildResult.Keys] = [:]
  private(set) var sequence: SequenceNumber?
  private(set) var hasDead = false
  private let numbers: [Generation: Int]

  init(_ reading: StoredIndexReading, _ places: IndexPlaces, _ load: IndexLoad) {
    self.reading = reading
    self.places = places
    self.load = load
    counts = Array(repeating: 0, count: reading.segments.count)
    accounts = Array(repeating: (0, 0), count: reading.segments.count)
    var numbers: [Generation: Int] = [:]
    for (number, entry) in reading.segments.enumerated() { numbers[entry.identity.generation] = number }
    self.numbers = numbers
  }

  /// Reads parts as long as there are some; nil if one is no good.
  func run(_ crew: Crew) -> Swift.Result<Share?, SedimentError> {
    var share = self
    let pages = IndexPartReading(reading.file, reading.identity)
    while let part = crew.next() {
      do throws(SedimentError) {
        if try share.take(part, pages) { continue }
        crew.stop()
        return .success(nil)
      } catch {
        crew.stop()
        return .failure(error)
      }
    }
    return .success(share)
  }

  /// Takes the entries of a part; false if it is no good.
  private mutating func take(
    _ part: IndexPartEntry, _ pages: IndexPartReading
  ) throws(SedimentError) -> Bool {
    guard let (head, entries) = unsafe try pages.read(part), sequence ?? head.sequence == head.sequence
    else { return false }
    sequence = head.sequence
    let system = CollectionEntry.systemNumberMin
    let isCleared = reading.catalogue.numbers.everythingClearedAt > head.sequence
    // What is all dead need not come back to be swept out.
    let isEmpty = isCleared && !head.accounts.contains { $0.collection >= system }
    if !isEmpty { for account in head.accounts { add(account, head.sequence) } }
    var start = 0
    for (number, count) in head.entryCounts.enumerated() {
      // The counts come to the number of the entries, as was checked.
      let some = unsafe UnsafeMutableBufferPointer(rebasing: entries[start..<start + Int(count)])
      let kept = isEmpty ? 0 : unsafe places.keep(some, counting: &counts)
      let rest = unsafe UnsafeMutableBufferPointer(rebasing: some[0..<kept])
      guard unsafe load.fill(Int(part.partitions.lowerBound) + number, rest) else { return false }
      start += Int(count)
    }
    return true
  }

  /// Takes an account, if its segment is still there and the parts know all of it.
  private mutating func add(_ account: IndexAccount, _ sequence: SequenceNumber) {
    guard account.generation < reading.coverage.generationLimit, let number = numbers[account.generation]
    else { return }
    // What the accounts of a part count comes to its entries, so this is far from an overflow; bytes are not.
    accounts[number].recordCount &+= UInt64(account.recordCount)
    let (sum, overflow) = accounts[number].byteCount.addingReportingOverflow(account.byteCount)
    accounts[number].byteCount = overflow ? .max : sum
    let deadUpTo = reading.catalogue.deadUpTo(collection: account.collection)
    if let deadUpTo, deadUpTo <= sequence {
      collections[account.collection, default: IndexBuildResult.Keys()].add(account)
    } else {
      hasDead = true
    }
  }

  /// What two threads came to together.
  static func joined(
    _ one: Swift.Result<Share?, SedimentError>, _ other: Swift.Result<Share?, SedimentError>
  ) -> Swift.Result<Share?, SedimentError> {
    switch (one, other) {
    case (.failure, _): return one
    case (_, .failure): return other
    case (.success(let one?), .success(let other?)):
      return .success(one.joined(with: other))
    default: return .success(nil)
    }
  }

  private func joined(with other: Share) -> Share? {
    guard sequence == nil || other.sequence == nil || sequence == other.sequence else { return nil }
    var all = self
    all.sequence = sequence ?? other.sequence
    all.hasDead = hasDead || other.hasDead
    for number in counts.indices {
      all.counts[number] &+= other.counts[number]
      all.accounts[number].recordCount &+= other.accounts[number].recordCount
      let (sum, overflow) = accounts[number].byteCount.addingReportingOverflow(
        other.accounts[number].byteCount)
      all.accounts[number].byteCount = overflow ? .max : sum
    }
    for (collection, keys) in other.collections {
      all.collections[collection, default: IndexBuildResult.Keys()].add(keys)
    }
    return all
  }
}

extension IndexBuildResult.Keys {
  fileprivate mutating func add(_ account: IndexAccount) {
    count &+= UInt64(account.recordCount)
    expiringCount &+= UInt64(account.expiringCount)
    extentSlotCount &+= UInt64(account.extentSlotCount)
  }

  fileprivate mutating func add(_ keys: IndexBuildResult.Keys) {
    count &+= keys.count
    expiringCount &+= keys.expiringCount
    extentSlotCount &+= keys.extentSlotCount
  }
}
