internal import SedimentFormat

/// Slots that were taken for segments which the log does not name yet.
///
/// Functions that take slots add them here. `SpaceState.adopt` removes a run after the log named its segment. When the
/// reservation ends, for whatever reason, the remaining runs go to `ReturnedSlots`, with the writer's lock held or not.
package struct Reservation: ~Copyable {
  private var runs: [SlotRun] = []
  private let returned: ReturnedSlots
  /// Whether the slots have blocks; if not, they are reclaimed as bare slots.
  package var hasBlocks = true

  /// Creates an empty reservation.
  package init(_ returned: ReturnedSlots) {
    self.returned = returned
  }

  deinit {
    if !runs.isEmpty { returned.add(runs, hasBlocks: hasBlocks) }
  }

  /// Returns all runs now.
  mutating func giveBack() {
    returned.add(takeAll(), hasBlocks: hasBlocks)
  }

  /// Moves the runs of another reservation to this one.
  package mutating func add(_ other: inout Reservation) {
    hasBlocks = hasBlocks && other.hasBlocks
    runs += other.takeAll()
  }

  /// Adds a run that was taken just now.
  mutating func add(_ run: SlotRun) {
    runs.append(run)
  }

  /// Removes a run.
  mutating func remove(_ run: SlotRun) {
    guard let place = runs.lastIndex(of: run) else {
      preconditionFailure("a segment is adopted that was not reserved")
    }
    runs.remove(at: place)
  }

  /// Removes all runs, and returns them.
  mutating func takeAll() -> [SlotRun] {
    defer { runs = [] }
    return runs
  }
}

/// Runs of ended reservations, until `SpaceState.reclaimReturned`.
package final class ReturnedSlots: Sendable {
  struct Run {
    let run: SlotRun
    let hasBlocks: Bool
  }

  private let runs = Locked<[Run]>(.leaf, [])

  package init() {}

  /// Adds runs; callable on any thread.
  func add(_ slots: [SlotRun], hasBlocks: Bool) {
    if slots.isEmpty { return }
    runs.withLock { runs in runs += slots.map { Run(run: $0, hasBlocks: hasBlocks) } }
  }

  /// Removes all runs, and returns them.
  func takeAll() -> [Run] {
    runs.withLock { runs in
      defer { runs = [] }
      return runs
    }
  }
}
