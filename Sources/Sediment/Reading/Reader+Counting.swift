internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// How many keys a collection has, without those that have expired.

extension Reader {
  /// How many keys a collection has.
  ///
  /// Takes time in proportion to them only if some of them expire, and since they were counted last, one of these has
  /// expired or was changed.
  @usableFromInline
  func count(_ state: CollectionState) throws(SedimentError) -> Int {
    try lifetime.check()
    if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
    if state.expiringCount == 0 { return state.keyCount }
    if let expired = collections.expiredKeys(of: state),
      let count = state.keyCount(without: expired, at: disk.wallClock())
    {
      return count
    }
    do {
      return try countRecords(state)
    } catch {
      throw error as! SedimentError
    }
  }

  /// Counts the keys of a collection by their records, and notes how many have expired.
  private func countRecords(_ state: CollectionState) throws -> Int {
    let version = state.expiringVersion
    let now = disk.wallClock()
    var (visibleCount, expiredCount, next) = (0, 0, UInt64.max)
    func count(_ found: FoundRecord) -> Bool {
      let expiry = found.view.expiry
      if expiry != 0, expiry <= now {
        expiredCount += 1
      } else {
        visibleCount += 1
        if expiry != 0 { next = min(next, expiry) }
      }
      return true
    }
    var walk = try beginWalk(state)
    walk.includesExpired = true
    while try visitNext(&walk, state, count), !walk.wasRebuilt {}
    if walk.wasRebuilt { return try countRecords(state) }
    // Nothing that expires was changed since the walk began, or this version will not be found again.
    if version % 2 == 0, version == state.expiringVersion {
      collections.note(ExpiredKeys(count: expiredCount, version: version, times: now..<next), of: state)
    }
    return visibleCount
  }
}
