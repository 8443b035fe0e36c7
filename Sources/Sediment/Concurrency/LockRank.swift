internal import CSediment

/// The order in which a thread may wait for the locks of a store: only for one of a higher rank than all that it holds.
///
/// The table in DESIGN.md 12 says what each of them guards. Debug builds trap at a lock that is waited for out of turn,
/// whether another thread happens to hold it or not.
package enum LockRank: UInt32, Sendable {
  /// Who trains dictionaries.
  case training
  /// Whose change comes next in a full store.
  case room
  /// Who stores the index.
  case storing
  /// Who moves and frees segments.
  case maintenance
  /// The superblocks.
  case head
  /// Who syncs.
  case syncing
  /// Who gives freed slots back.
  case reclaiming
  /// The writer: the log, the catalogue, the free slots, the accounts, changes of the index.
  case writer
  /// A lock under which no other is taken, and that is held for some instructions only.
  case leaf

  #if DEBUG
    /// Notes that this thread is about to take a lock of the rank; traps if it holds one that comes later, or this one.
    package func noteTaking() {
      if self == .leaf { return }
      let held = sediment_held_ranks()
      precondition(
        held >> rawValue == 0, "a lock of rank \(self) is taken while locks of the ranks \(held) are held")
      sediment_hold_ranks(held | 1 << rawValue)
    }

    /// Notes that this thread has taken a lock that was free; out of its order, too, since that waits for nobody.
    package func noteTried() {
      if self != .leaf { sediment_hold_ranks(sediment_held_ranks() | 1 << rawValue) }
    }

    /// Notes that this thread has given back a lock of the rank.
    package func noteGivenBack() {
      if self == .leaf { return }
      sediment_hold_ranks(sediment_held_ranks() & ~(1 << rawValue))
    }
  #else
    @inline(__always) package func noteTaking() {}
    @inline(__always) package func noteTried() {}
    @inline(__always) package func noteGivenBack() {}
  #endif
}
