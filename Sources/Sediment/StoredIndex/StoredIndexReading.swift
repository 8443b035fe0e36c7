internal import SedimentDisk
internal import SedimentFormat

/// Fills an index from its stored parts (DESIGN.md 7, step 8).
///
/// No record is read: what they come to, the parts tell by their accounts. If anything is not as it should be, nothing
/// is taken; only a call that fails is an error.
///
/// Unchecked: two threads may read parts, and the lock guards the variables.
final class StoredIndexReading: @unchecked Sendable {
  private let file: StoreFile
  private let identity: FileIdentity
  private let catalogue: Catalogue
  /// The hot and survivors segments, by whose numbers here what lives in them is counted.
  private let segments: [SegmentEntry]
  private let numbers: [Generation: Int]
  private let coverage: IndexCoverage

  private let lock = Lock()
  private let changed: Condition
  /// How many parts were handed out.
  private var takenCount = 0
  private var isHelped = false
  private var isGood = true
  private var failure: SedimentError?
  /// The entries that lead to each segment, and what the accounts say of them.
  private var counts: [UInt32]
  private var accounts: [(recordCount: UInt64, byteCount: UInt64)]
  private var collections: [UInt32: IndexBuildResult.Keys] = [:]
  private var sequence: SequenceNumber?
  private var hasDead = false

  /// What the parts brought.
  struct Result {
    /// What they lead to in each segment.
    let live: [IndexBuildResult.Live]
    /// The keys of each collection.
    let collections: [UInt32: IndexBuildResult.Keys]
    /// The sequence of the last record that the parts know for certain.
    let sequence: SequenceNumber
    let entryCount: UInt64
    /// Whether some entries lead to records that were cleared since.
    let hasDead: Bool
  }

  init(
    _ coverage: IndexCoverage, of segments: [SegmentEntry], in catalogue: Catalogue, _ file: StoreFile,
    _ identity: FileIdentity
  ) {
    self.file = file
    self.identity = identity
    self.catalogue = catalogue
    self.segments = segments
    self.coverage = coverage
    changed = Condition(of: lock)
    counts = Array(repeating: 0, count: segments.count)
    accounts = Array(repeating: (0, 0), count: segments.count)
    var numbers: [Generation: Int] = [:]
    for (number, entry) in segments.enumerated() { numbers[entry.identity.generation] = number }
    self.numbers = numbers
  }

  /// From so many parts on two threads read them.
  private static let partCountForTwo = 3

  /// Lets the index have the parts' entries and seed; nil, with the index as it was, if they are no good.
  func run(into index: HashIndex) throws(SedimentError) -> Result? {
    guard
      let load = IndexLoad(
        keyHash: coverage.common.keyHash, partitionCount: Int(coverage.common.partitionTotal),
        entryCount: coverage.entryCount)
    else { return nil }
    let places = IndexPlaces(segments, coverage)
    if coverage.parts.count >= Self.partCountForTwo {
      lock.withLock { isHelped = true }
      let isStarted = startThread { [self] in
        read(places, load)
        endHelp()
      }
      if !isStarted { endHelp() }
    }
    read(places, load)
    lock.withLock {
      while isHelped { changed.wait() }
    }
    if let failure { throw failure }
    guard isGood, let result = result() else { return nil }
    index.take(load)
    return result
  }

  private func endHelp() {
    lock.withLock {
      isHelped = false
      changed.signal()
    }
  }

  /// The accounts of all parts, if they agree with the entries that were taken.
  private func result() -> Result? {
    guard let sequence else { return nil }
    var live: [IndexBuildResult.Live] = []
    for (number, entry) in segments.enumerated() {
      guard accounts[number].recordCount == UInt64(counts[number]),
        accounts[number].byteCount <= UInt64(entry.identity.run.byteRange.count)
      else { return nil }
      live.append(
        IndexBuildResult.Live(recordCount: counts[number], byteCount: accounts[number].byteCount))
    }
    return Result(
      live: live, collections: collections, sequence: sequence,
      entryCount: counts.reduce(0) { $0 + UInt64($1) }, hasDead: hasDead)
  }

  // MARK: Each thread

  /// Reads parts as long as there are some, and none is found to be no good.
  private func read(_ places: IndexPlaces, _ load: IndexLoad) {
    let pages = IndexPartReading(file, identity)
    var found = Array(repeating: 0 as UInt32, count: segments.count)
    do throws(SedimentError) {
      while let part = nextPart() {
        let head = try fill(load, with: part, pages, places, &found)
        lock.withLock { isGood = isGood && head.map { add($0) } ?? false }
      }
    } catch {
      lock.withLock { failure = error }
    }
    lock.withLock {
      for number in found.indices { counts[number] &+= found[number] }
    }
  }

  private func nextPart() -> IndexPartEntry? {
    lock.withLock {
      guard isGood, failure == nil, takenCount < coverage.parts.count else { return nil }
      takenCount += 1
      return coverage.parts[takenCount - 1]
    }
  }

  /// Takes the entries of a part, which `counts` counts for each segment; the part's head, nil if it is no good.
  private func fill(
    _ load: IndexLoad, with part: IndexPartEntry, _ pages: IndexPartReading, _ places: IndexPlaces,
    _ counts: inout [UInt32]
  ) throws(SedimentError) -> IndexPartHead? {
    guard let (head, entries) = unsafe try pages.read(part) else { return nil }
    let isEmpty = isWhollyDead(head)
    var start = 0
    for (number, count) in head.entryCounts.enumerated() {
      // The counts come to the number of the entries, as was checked.
      let some = unsafe UnsafeMutableBufferPointer(rebasing: entries[start..<start + Int(count)])
      let kept = isEmpty ? 0 : unsafe places.keep(some, counting: &counts)
      let rest = unsafe UnsafeMutableBufferPointer(rebasing: some[0..<kept])
      guard unsafe load.fill(Int(part.partitions.lowerBound) + number, rest) else { return nil }
      start += Int(count)
    }
    return head
  }

  /// Whether all records of a part were cleared: they need not come back to be swept out.
  private func isWhollyDead(_ head: IndexPartHead) -> Bool {
    catalogue.numbers.everythingClearedAt > head.sequence
      && !head.accounts.contains { $0.collection >= CollectionEntry.systemNumberMin }
  }

  // MARK: Accounts

  /// Takes the accounts of a part; false if it is of another moment than those before.
  private func add(_ head: IndexPartHead) -> Bool {
    guard sequence ?? head.sequence == head.sequence else { return false }
    sequence = head.sequence
    if !isWhollyDead(head) { for account in head.accounts { add(account, head.sequence) } }
    return true
  }

  /// Takes an account, if its segment is still there and the parts know all of it.
  private func add(_ account: IndexAccount, _ sequence: SequenceNumber) {
    guard account.generation < coverage.common.generationLimit, let number = numbers[account.generation]
    else { return }
    // What the accounts of a part count comes to its entries, so this is far from an overflow; bytes are not.
    accounts[number].recordCount &+= UInt64(account.recordCount)
    let (sum, overflow) = accounts[number].byteCount.addingReportingOverflow(account.byteCount)
    accounts[number].byteCount = overflow ? .max : sum
    let deadUpTo = catalogue.deadUpTo(collection: account.collection)
    if let deadUpTo, deadUpTo <= sequence {
      collections[account.collection, default: IndexBuildResult.Keys()].add(account)
    } else {
      hasDead = true
    }
  }
}

extension IndexBuildResult.Keys {
  fileprivate mutating func add(_ account: IndexAccount) {
    count &+= UInt64(account.recordCount)
    expiringCount &+= UInt64(account.expiringCount)
    extentSlotCount &+= UInt64(account.extentSlotCount)
  }
}
