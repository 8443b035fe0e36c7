internal import SedimentFormat

extension Engine {
  /// How many entries go while the lock is held once.
  private static var forgottenCountMax: Int { 64 }

  /// Takes the entries out of the index that a test tells to be dead, however many there are, while others use it.
  ///
  /// The test is made in a reader's scope without the lock. Under the lock, a few at a time, those entries go that
  /// are still as they were, after `account` has been called for each. It ends early when `goesOn` says so, which is
  /// asked with and without the lock.
  func forgetEntries(
    where isDead: (IndexEntry) -> Bool, while goesOn: () -> Bool, _ account: (IndexEntry) -> Void
  ) {
    var walk = IndexWalk()
    while goesOn() {
      Readers.enter(domain)
      let view = index.view
      let step = walk.advance(in: view)
      let dead =
        step == .entries
        ? walk.entries.filter(isDead).map { (entry: $0, hash: view.hash(of: $0, from: walk.from)) } : []
      Readers.leave()
      if step == .ended { return }
      var rest = dead[...]
      while !rest.isEmpty {
        let group = rest.prefix(Self.forgottenCountMax)
        rest = rest.dropFirst(Self.forgottenCountMax)
        let isSame = lock.withLock {
          guard index.view.keyHash == walk.keyHash else { return false }
          guard goesOn() else { return true }
          for (entry, hash) in group {
            guard let (probe, found) = index.view.find(hash, at: entry.position) else { continue }
            account(found)
            index.remove(probe)
          }
          return true
        }
        // The next step finds that it was built anew.
        if !isSame { break }
      }
    }
  }
}
