import Synchronization

/// What all threads together hold in the store at most, and the most that it was.
final class Account: Sendable {
  private let held = Atomic<Int>(0)
  private let peak = Atomic<Int>(0)
  private let growths = Atomic<Int>(0)

  /// How often a change left more held than before.
  var growthCount: Int { growths.load(ordering: .sequentiallyConsistent) }

  func noteGrowth() { growths.add(1, ordering: .sequentiallyConsistent) }

  var now: Int { held.load(ordering: .relaxed) }
  /// The most since the last time that it was forgotten.
  var most: Int { max(peak.load(ordering: .relaxed), now) }

  func add(_ byteCount: Int) {
    let (_, sum) = held.add(byteCount, ordering: .relaxed)
    var known = peak.load(ordering: .relaxed)
    while sum > known {
      let outcome = peak.weakCompareExchange(expected: known, desired: sum, ordering: .relaxed)
      if outcome.exchanged { break }
      known = outcome.original
    }
  }

  /// Forgets the most that it was, as when the background had the time to follow.
  func forget() { peak.store(now, ordering: .relaxed) }
}
