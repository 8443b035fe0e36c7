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
    var prefix: UInt64? = 0
    var entries: [IndexEntry] = []
    var seen: KeyHash?
    while let from = prefix, goesOn() {
      entries.removeAll(keepingCapacity: true)
      Readers.enter(domain)
      let view = index.view
      if seen != nil, seen != view.keyHash {
        // Built anew meanwhile, in another order, it is gone through again from its beginning.
        Readers.leave()
        (prefix, seen) = (0, nil)
        continue
      }
      seen = view.keyHash
      prefix = view.copyEntries(from: from, into: &entries)
      let dead = entries.filter(isDead).map { (entry: $0, hash: view.hash(of: $0, from: from)) }
      Readers.leave()
      var rest = dead[...]
      while !rest.isEmpty {
        let group = rest.prefix(Self.forgottenCountMax)
        rest = rest.dropFirst(Self.forgottenCountMax)
        let isSame = lock.withLock {
          guard index.view.keyHash == seen else { return false }
          guard goesOn() else { return true }
          for (entry, hash) in group {
            guard let (probe, found) = index.view.find(hash, at: entry.position) else { continue }
            account(found)
            index.remove(probe)
          }
          return true
        }
        if !isSame {
          (prefix, seen) = (0, nil)
          break
        }
      }
    }
  }
}
