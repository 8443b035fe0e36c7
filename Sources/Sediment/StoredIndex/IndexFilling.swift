internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// Fills an index from its stored parts, each once and when somebody needs it (DESIGN.md 7, step 8).
///
/// A part is taken only if all of it is as it should be: every page, the checksum of all, and as many entries for each
/// segment as its accounts say. Readers see the tables of a whole part or none. Until all parts are in, nothing else may
/// change the index; whoever wants to change something waits for `complete`.
///
/// Unchecked: the lock guards the variables.
@safe
final class IndexFilling: @unchecked Sendable {
  private let file: StoreFile
  private let identity: FileIdentity
  private let parts: [IndexPartEntry]
  private let load: IndexLoad
  private let places: IndexPlaces
  private let segmentCount: Int
  private let index: HashIndex
  /// What the accounts of all parts come to.
  let accounts: StoredAccounts
  /// The sequence of the last record that the parts know for certain.
  let sequence: SequenceNumber

  /// Whether the index has all that it is to have.
  private let over = Atomic<Bool>(false)

  private let lock = Lock()
  private let changed: Condition
  private var states: [PartState]
  private var filledCount = 0
  /// Whether a part was no good, so that no other is taken any more.
  private var isAbandoned = false
  private var isRebuilding = false
  /// Why the index cannot be made from the log either.
  private var failure: SedimentError?
  private var rebuild: Rebuilding?
  private var isHelped = false

  typealias Rebuilding = () throws(SedimentError) -> Void

  private enum PartState {
    case waiting
    /// Somebody reads it.
    case taken
    case filled
  }

  /// Reads and verifies what the parts say of themselves, and makes the index, which nobody else uses yet, one that is
  /// filled from them; nil, with the index as it was, if they are no good.
  init?(
    _ coverage: IndexCoverage, of segments: [SegmentEntry], in catalogue: Catalogue, _ file: StoreFile,
    _ identity: FileIdentity, into index: HashIndex
  ) throws(SedimentError) {
    var accounts = StoredAccounts(coverage, of: segments, in: catalogue)
    var sequence: SequenceNumber?
    var entryCounts: [UInt32] = []
    let pages = IndexPartReading(file, identity)
    for part in coverage.parts {
      guard let head = try pages.readHead(part), sequence ?? head.sequence == head.sequence,
        accounts.add(head)
      else { return nil }
      sequence = head.sequence
      entryCounts += head.entryCounts
    }
    for (number, entry) in segments.enumerated() {
      guard accounts.live[number].byteCount <= UInt64(entry.identity.run.byteRange.count) else { return nil }
    }
    guard let sequence, let load = IndexLoad(keyHash: coverage.common.keyHash, entryCounts: entryCounts)
    else { return nil }
    self.file = file
    self.identity = identity
    parts = coverage.parts
    self.load = load
    places = IndexPlaces(segments, coverage)
    segmentCount = segments.count
    self.index = index
    self.accounts = accounts
    self.sequence = sequence
    changed = Condition(of: lock)
    states = Array(repeating: .waiting, count: coverage.parts.count)
    index.beginFilling(load, WritePermit())
  }

  /// Whether the index has all that it is to have.
  var isOver: Bool { over.load(ordering: .acquiring) }

  /// Says how the index is made from the log if a part is no good; without it that is left to the caller.
  func rebuilding(by rebuild: @escaping Rebuilding) {
    lock.withLock { self.rebuild = rebuild }
  }
}

// MARK: While the store is opened

extension IndexFilling {
  /// From so many parts on two threads read them.
  private static let partCountForTwo = 3

  /// Takes the part that a hash belongs to; that it is no good is damage, and then no other is taken.
  func take(for hash: UInt64) throws(SedimentError) {
    let number = part(of: hash)
    guard try fill(number) else {
      throw .damaged(
        "a part of the stored index is not whole", path: file.path,
        offset: parts[number].segment.run.byteRange.lowerBound)
    }
  }

  /// Takes all parts, some of them on a second thread; false if one is no good.
  func fillAll() throws(SedimentError) -> Bool {
    if parts.count >= Self.partCountForTwo {
      lock.withLock { isHelped = true }
      let isStarted = startThread { [self] in
        // What is no good, or fails, the other thread finds as well.
        _ = try? fillEach()
        endHelp()
      }
      if !isStarted { endHelp() }
    }
    defer { lock.withLock { while isHelped { changed.wait() } } }
    return try fillEach()
  }

  private func endHelp() {
    lock.withLock {
      isHelped = false
      changed.broadcast()
    }
  }

  private func fillEach() throws(SedimentError) -> Bool {
    while let number = lock.withLock({ states.firstIndex(of: .waiting) }) {
      guard try fill(number) else { return false }
    }
    // Those that others have taken.
    for number in parts.indices where try !fill(number) { return false }
    return true
  }
}

// MARK: While the store is used

extension IndexFilling {
  /// Sees to it that the keys of a hash are in the index, as they are by the log.
  func need(_ hash: UInt64) throws(SedimentError) {
    if isOver { return }
    if try !fill(part(of: hash)) { try rebuildOnce() }
  }

  /// Sees to it that all keys are in the index, unless it is told to end; whether they are.
  func complete(while mayGoOn: () -> Bool) throws(SedimentError) -> Bool {
    while !isOver {
      guard mayGoOn() else { return false }
      let next = lock.withLock { states.firstIndex(of: .waiting) ?? states.firstIndex(of: .taken) }
      if let next, try fill(next) { continue }
      try rebuildOnce()
    }
    return true
  }

  /// Makes the index from the log, unless somebody does or has done so: then it waits for that.
  private func rebuildOnce() throws(SedimentError) {
    guard let rebuild = try beginRebuilding() else { return }
    do throws(SedimentError) {
      try rebuild()
    } catch {
      endRebuilding(error)
      throw error
    }
    endRebuilding(nil)
  }

  /// What is to be done by this thread; nil if it was done by another.
  private func beginRebuilding() throws(SedimentError) -> Rebuilding? {
    try lock.withLock { () throws(SedimentError) -> Rebuilding? in
      while isRebuilding { changed.wait() }
      if let failure { throw failure }
      if isOver { return nil }
      guard let rebuild else { preconditionFailure("nobody has said how the index is made from the log") }
      isRebuilding = true
      return rebuild
    }
  }

  private func endRebuilding(_ error: SedimentError?) {
    lock.withLock {
      isRebuilding = false
      if error == nil { end() }
      // A call that failed may be made again; what was read of the log stays as it is.
      if error?.systemError == nil { failure = error }
      changed.broadcast()
    }
  }

  private func end() {
    over.store(true, ordering: .releasing)
    rebuild = nil
    SchedulePoint.reach(.published)
  }
}

// MARK: One part

extension IndexFilling {
  private func part(of hash: UInt64) -> Int {
    let partition = UInt32(truncatingIfNeeded: hash >> (64 - load.baseBitCount))
    var (low, high) = (0, parts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if parts[middle].partitions.lowerBound <= partition { low = middle } else { high = middle }
    }
    return low
  }

  /// Takes a part, or waits until somebody else has; false if a part was no good.
  private func fill(_ number: Int) throws(SedimentError) -> Bool {
    let isToBeRead = lock.withLock { () -> Bool? in
      while states[number] == .taken, !isAbandoned { changed.wait() }
      if isAbandoned { return nil }
      if states[number] == .filled { return false }
      states[number] = .taken
      return true
    }
    guard let isToBeRead else { return false }
    if !isToBeRead { return true }
    do throws(SedimentError) {
      let tables = try tables(of: parts[number])
      return lock.withLock { take(tables, number) }
    } catch {
      lock.withLock {
        states[number] = .waiting
        changed.broadcast()
      }
      throw error
    }
  }

  /// Lets the index have the tables of a part; false if there are none, or there were none of another.
  private func take(_ tables: [IndexLoad.Tables]?, _ number: Int) -> Bool {
    defer { changed.broadcast() }
    guard let tables, !isAbandoned else {
      for some in tables ?? [] { some.drop() }
      isAbandoned = true
      return false
    }
    for (place, some) in tables.enumerated() {
      // Nobody else changes the index before all parts are in, and whoever fills it has the lock.
      index.fill(Int(parts[number].partitions.lowerBound) + place, with: some, WritePermit())
    }
    states[number] = .filled
    filledCount += 1
    if filledCount == parts.count { end() }
    return true
  }

  /// The tables of a part's partitions, nil if it is no good.
  private func tables(of part: IndexPartEntry) throws(SedimentError) -> [IndexLoad.Tables]? {
    let pages = IndexPartReading(file, identity)
    guard let (head, entries) = unsafe try pages.read(part), head.sequence == sequence else { return nil }
    let isEmpty = accounts.isWhollyDead(head)
    var counts = [UInt32](repeating: 0, count: segmentCount)
    var tables: [IndexLoad.Tables] = []
    var start = 0
    for (number, count) in head.entryCounts.enumerated() {
      // The counts come to the number of the entries, as was checked.
      let some = unsafe UnsafeMutableBufferPointer(rebasing: entries[start..<start + Int(count)])
      let kept = isEmpty ? 0 : unsafe places.keep(some, counting: &counts)
      let rest = unsafe UnsafeMutableBufferPointer(rebasing: some[0..<kept])
      guard let filled = unsafe load.tables(of: Int(part.partitions.lowerBound) + number, rest) else { break }
      tables.append(filled)
      start += Int(count)
    }
    guard tables.count == head.entryCounts.count, accounts.agree(head, with: counts) else {
      for some in tables { some.drop() }
      return nil
    }
    return tables
  }
}
