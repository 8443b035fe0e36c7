internal import SedimentFormat

/// Slots that were taken for what nobody knows of yet.
///
/// Whatever takes slots puts them here at once, and they leave once the log names what is in them. All others come back
/// when the reservation ends, whatever the reason, with the writer's lock or without.
package struct Reservation: ~Copyable {
  private var runs: [SlotRun] = []
  private let returned: ReturnedSlots
  /// Whether the slots have blocks; otherwise they come back as bare ones.
  package var hasBlocks = true

  /// A reservation of nothing.
  package init(_ returned: ReturnedSlots) {
    self.returned = returned
  }

  deinit {
    if !runs.isEmpty { returned.add(runs, hasBlocks: hasBlocks) }
  }

  /// Gives everything back at once.
  mutating func giveBack() {
    returned.add(takeAll(), hasBlocks: hasBlocks)
  }

  /// Takes over what another reservation holds.
  package mutating func add(_ other: inout Reservation) {
    runs += other.takeAll()
  }

  /// Adds slots that were taken just now.
  mutating func add(_ run: SlotRun) {
    runs.append(run)
  }

  /// Takes out a run that it holds.
  mutating func remove(_ run: SlotRun) {
    guard let place = runs.lastIndex(of: run) else {
      preconditionFailure("a segment is adopted that was not reserved")
    }
    runs.remove(at: place)
  }

  /// Takes all runs out.
  mutating func takeAll() -> [SlotRun] {
    defer { runs = [] }
    return runs
  }
}

/// Slots of reservations that have ended, until the owner of space collects them.
package final class ReturnedSlots: Sendable {
  struct Run {
    let run: SlotRun
    let hasBlocks: Bool
  }

  private let runs = Locked<[Run]>(.leaf, [])

  package init() {}

  /// Adds slots, from any thread.
  func add(_ slots: [SlotRun], hasBlocks: Bool) {
    if slots.isEmpty { return }
    runs.withLock { runs in runs += slots.map { Run(run: $0, hasBlocks: hasBlocks) } }
  }

  /// Takes all of them out.
  func takeAll() -> [Run] {
    runs.withLock { runs in
      defer { runs = [] }
      return runs
    }
  }
}
