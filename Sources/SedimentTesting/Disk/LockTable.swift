internal import SedimentDisk

/// The locks on one file: ranges that open files hold against each other.
///
/// The rules are those of open-file-description locks. A second lock of the same open file replaces what it
/// overlaps of the first, and never conflicts with it.
struct LockTable: Sendable {
  private struct Entry: Sendable {
    var owner: Int
    var range: Range<UInt64>
    var mode: LockMode
  }

  private var entries: [Entry] = []

  /// Whether nobody has a lock.
  var isEmpty: Bool { entries.isEmpty }

  /// Takes the lock, or reports that another open file is in the way.
  mutating func lock(_ range: Range<UInt64>, _ mode: LockMode, owner: Int) -> Bool {
    let conflict = entries.contains { entry in
      entry.owner != owner && entry.range.overlaps(range) && !(entry.mode == .shared && mode == .shared)
    }
    guard !conflict else { return false }
    unlock(range, owner: owner)
    entries.append(Entry(owner: owner, range: range, mode: mode))
    return true
  }

  /// Releases what `owner` holds of the range.
  mutating func unlock(_ range: Range<UInt64>, owner: Int) {
    entries = entries.flatMap { entry -> [Entry] in
      guard entry.owner == owner, entry.range.overlaps(range) else { return [entry] }
      var before = entry
      var after = entry
      before.range = entry.range.lowerBound..<max(entry.range.lowerBound, range.lowerBound)
      after.range = min(entry.range.upperBound, range.upperBound)..<entry.range.upperBound
      return [before, after].filter { !$0.range.isEmpty }
    }
  }

  /// Releases everything that `owner` holds.
  mutating func unlockAll(owner: Int) {
    entries.removeAll { $0.owner == owner }
  }
}
