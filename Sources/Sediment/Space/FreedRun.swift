package import SedimentFormat

/// Slots that a change of the catalogue has freed, and that may not be used again yet.
package struct FreedRun {
  package let run: SlotRun
  package let generation: Generation
  /// The sequence of the change, which must be on the medium (invariant 11).
  let sequence: UInt64
  /// Once this tag is past, no reader can find the segment; those that found it before have a hold on one of its slots.
  var tag: UInt64
  /// Whether the slots have lost their blocks since they were taken out of the list.
  package var isBare = false
}

/// What keeps freed slots from coming back though their freeing is durable.
struct FreedSlots {
  /// Whether nothing keeps some of them any more.
  var canComeBack = false
  /// Whether scopes of readers keep some, which last for some microseconds.
  var areInScopes = false
  /// The slots that closures, pins and backups hold; nil if there are none.
  var held: HeldSlots?
  /// Whether a backup, or closures and pins of other threads than the one that asked hold some.
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

  /// Whether no hold has ended since these slots were found.
  var isStill: Bool { holdEnds.count == endCount }
}

extension SlotRun {
  /// Whether the run has one of some slots, which are in ascending order.
  func contains(anyOf slots: [UInt64]) -> Bool {
    let place = slots.firstIndexByHalving { $0 >= UInt64(first) }
    return place < slots.count && slots[place] < UInt64(end)
  }
}
