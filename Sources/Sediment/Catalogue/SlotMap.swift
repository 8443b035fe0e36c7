package import SedimentFormat

/// Which generation uses which slots: disjoint runs in ascending order (invariant 9).
package struct SlotMap: Sendable {
  private var uses = OrderedRows<Use>(rowCountMax: 512)

  private struct Use {
    let run: SlotRun
    let generation: Generation
  }

  package init() {}

  /// The most runs and rows that a change moves.
  package var moveCountMax: Int { uses.moveCountMax }

  /// Adds a run; false, with nothing changed, if it shares a slot with another.
  package mutating func insert(_ run: SlotRun, _ generation: Generation) -> Bool {
    let place = firstPlace(endingBehind: run.first)
    if let use = uses[place], use.run.overlaps(run) { return false }
    uses.insert(Use(run: run, generation: generation), at: place)
    return true
  }

  /// Removes the run that begins at a slot; nil if none of that generation does.
  package mutating func remove(first: UInt32, _ generation: Generation) -> SlotRun? {
    let place = firstPlace(endingBehind: first)
    guard let use = uses[place], use.run.first == first, use.generation == generation else { return nil }
    uses.remove(at: place)
    return use.run
  }

  /// The generation that uses a slot; nil if it is free.
  package func generation(at slot: UInt32) -> Generation? {
    guard let use = uses[firstPlace(endingBehind: slot)], use.run.first <= slot else { return nil }
    return use.generation
  }

  /// Behind the last slot in use.
  package var end: UInt32 {
    uses.last?.run.end ?? Limits.headSlotCount
  }

  /// The runs of slots behind the head and before `end` that nobody uses, in ascending order.
  package func freeRuns(before end: UInt32) -> [Range<UInt32>] {
    var free: [Range<UInt32>] = []
    var next = Limits.headSlotCount
    for use in uses {
      if use.run.first >= end { break }
      if use.run.first > next { free.append(next..<use.run.first) }
      next = use.run.end
    }
    if next < end { free.append(next..<end) }
    return free
  }

  /// Where the first run lies that ends behind a slot.
  private func firstPlace(endingBehind slot: UInt32) -> OrderedRows<Use>.Place {
    uses.firstPlace { $0.run.end > slot }
  }
}
