package import SedimentFormat

/// A run of slots that a change of the catalogue freed, and that was not reclaimed yet.
package struct FreedRun {
  package let run: SlotRun
  package let generation: Generation
  /// Sequence of that change, which must be durable before the run is reclaimed (invariant 11).
  let sequence: UInt64
  /// Readers with a later epoch cannot find the segment.
  ///
  /// Readers that found it before hold one of its slots.
  var tag: UInt64
  /// Whether the slots lost their blocks while their headers were overwritten.
  package var isBare = false
}

/// What prevents slots whose freeing is durable from being reclaimed.
struct FreedSlots {
  /// Whether some of the slots can be reclaimed now.
  var canComeBack = false
  /// Whether scopes of readers, which last for microseconds, keep some of the slots.
  var areInScopes = false
  /// Slots that closures, pins and backups hold; nil if there are none.
  var held: HeldSlots?
  /// Whether some of the slots are held by a backup, or by closures and pins of other threads than the caller's.
  var areHeldByOthers = false
}

/// Freed slots that closures, pins and backups hold until one of them ends.
struct HeldSlots {
  let slotCount: UInt32
  private let holdEnds: HoldEnds
  let endCount: UInt64

  init(_ slotCount: UInt32, _ holdEnds: HoldEnds, endCount: UInt64) {
    self.slotCount = slotCount
    self.holdEnds = holdEnds
    self.endCount = endCount
  }

  /// Whether no hold ended since this value was made.
  var isStill: Bool { holdEnds.count == endCount }
}

extension SlotRun {
  /// Whether the run contains one of some slots, which are in ascending order.
  func contains(anyOf slots: [UInt64]) -> Bool {
    let place = slots.firstIndexByHalving { $0 >= UInt64(first) }
    return place < slots.count && slots[place] < UInt64(end)
  }
}
