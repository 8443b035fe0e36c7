internal import SedimentDisk
internal import Synchronization

/// Fills an index from its stored parts, each once and when somebody needs it (DESIGN.md 7, step 8).
///
/// Readers see the tables of a whole part or none. Until all parts are in, nothing else may change the index; whoever wants
/// to change something waits for `complete`.
///
/// Unchecked: the lock guards the variables.
@safe
final class IndexFilling: @unchecked Sendable {
  private let index: HashIndex

  /// Whether the index has all that it is to have.
  private let over = Atomic<Bool>(false)

  private let lock = Lock()
  private let changed: Condition
  /// What the index is filled from; nil once it has all of it, since this takes memory.
  private var parts: StoredParts?
  private var states: [PartState]
  private var filledCount = 0
  /// How many entries of the parts that are in lead to each segment.
  private var counts: [UInt32]
  /// Whether a part was no good, so that no other is taken any more.
  private var isAbandoned = false
  private var isRebuilding = false
  /// Why the index cannot be made from the log either.
  private var failure: SedimentError?
  private var rebuild: Rebuilding?

  typealias Rebuilding = () throws(SedimentError) -> Void

  private enum PartState {
    case waiting
    /// Somebody reads it.
    case taken
    case filled
  }

  /// Makes an index, which nobody else uses yet, one that is filled from parts.
  init(_ parts: StoredParts, into index: HashIndex) {
    self.parts = parts
    self.index = index
    changed = Condition(of: lock)
    states = Array(repeating: .waiting, count: parts.count)
    counts = Array(repeating: 0, count: parts.accounts.live.count)
    index.beginFilling(parts.load, WritePermit())
  }

  /// Whether the index has all that it is to have.
  var isOver: Bool { over.load(ordering: .acquiring) }

  /// What the index is filled from; nil if it has all of it.
  private var partsIfNeeded: StoredParts? { lock.withLock { parts } }

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
    guard let parts = partsIfNeeded else { return }
    let number = parts.number(of: hash)
    guard try fill(number, parts) else { throw parts.damage(number) }
  }

  /// Takes all parts, some of them on a second thread; false if one is no good.
  func fillAll() throws(SedimentError) -> Bool {
    guard let parts = partsIfNeeded else { return true }
    if parts.count >= Self.partCountForTwo {
      return try SharedWork(count: parts.count) { [self] (number) throws(SedimentError) in
        try fill(number, parts)
      }
      .end()
    }
    for number in 0..<parts.count where try !fill(number, parts) { return false }
    return true
  }
}

// MARK: While the store is used

extension IndexFilling {
  /// Sees to it that the keys of a hash are in the index, as they are by the log.
  func need(_ hash: UInt64) throws(SedimentError) {
    guard let parts = partsIfNeeded else { return }
    if try !fill(parts.number(of: hash), parts) { try rebuildOnce() }
  }

  /// Sees to it that all keys are in the index, unless it is told to end; whether they are.
  func complete(while mayGoOn: () -> Bool) throws(SedimentError) -> Bool {
    while let parts = partsIfNeeded {
      guard mayGoOn() else { return false }
      let next = lock.withLock { states.firstIndex(of: .waiting) ?? states.firstIndex(of: .taken) }
      if let next, try fill(next, parts) { continue }
      try rebuildOnce()
    }
    return true
  }

  /// Makes the index from the log, unless somebody does or has done so: then it waits for that.
  ///
  /// It cannot be told to end: a close waits for it, however long the log is.
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
      if parts == nil { return nil }
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
    parts = nil
    rebuild = nil
    counts = []
    SchedulePoint.reach(.published)
  }
}

// MARK: One part

extension IndexFilling {
  /// Takes a part, or waits until somebody else has; false if a part was no good, or could not be read: the log has it all.
  private func fill(_ number: Int, _ parts: StoredParts) throws(SedimentError) -> Bool {
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
      let found = try parts.tables(number)
      return lock.withLock { take(found, number, of: parts) }
    } catch {
      let isLost = error.isOfUnreadable
      lock.withLock {
        states[number] = .waiting
        isAbandoned = isAbandoned || isLost
        changed.broadcast()
      }
      if isLost { return false }
      throw error
    }
  }

  /// Lets the index have the tables of a part; false if there are none, or there were none of another, or all parts
  /// together do not have the entries that they say.
  private func take(
    _ found: (tables: [IndexLoad.Tables], counts: [UInt32])?, _ number: Int, of parts: StoredParts
  ) -> Bool {
    defer { changed.broadcast() }
    guard let found, !isAbandoned, add(found.counts, of: parts) else {
      for some in found?.tables ?? [] { some.drop() }
      isAbandoned = true
      return false
    }
    for (place, some) in found.tables.enumerated() {
      // Nobody else changes the index before all parts are in, and whoever fills it has the lock.
      index.fill(parts.firstPartition(number) + place, with: some, WritePermit())
    }
    states[number] = .filled
    filledCount += 1
    if filledCount == states.count { end() }
    return true
  }

  /// Counts the entries of a part; false if it is the last one and all have not the entries that they say.
  private func add(_ some: [UInt32], of parts: StoredParts) -> Bool {
    for number in counts.indices { counts[number] &+= some[number] }
    return filledCount + 1 < states.count || parts.accounts.agree(with: counts)
  }
}

extension SedimentError {
  /// Whether it is of what the disk cannot read.
  var isOfUnreadable: Bool { systemError?.code == .inputOutput }
}
