package import SedimentFormat

/// Which generation uses which slots: disjoint runs in ascending order (invariant 9).
package struct SlotMap: Sendable {
  private var runs: [Use] = []

  private struct Use {
    let run: SlotRun
    let generation: Generation
  }

  package init() {}

  /// Adds a run; false, with nothing changed, if it shares a slot with another.
  package mutating func insert(_ run: SlotRun, _ generation: Generation) -> Bool {
    let place = firstIndex(endingBehind: run.first)
    if place < runs.count, runs[place].run.overlaps(run) { return false }
    runs.insert(Use(run: run, generation: generation), at: place)
    return true
  }

  /// Removes the run that begins at a slot; nil if none of that generation does.
  package mutating func remove(first: UInt32, _ generation: Generation) -> SlotRun? {
    let place = firstIndex(endingBehind: first)
    guard place < runs.count, runs[place].run.first == first, runs[place].generation == generation else {
      return nil
    }
    return runs.remove(at: place).run
  }

  /// The generation that uses a slot; nil if it is free.
  package func generation(at slot: UInt32) -> Generation? {
    let place = firstIndex(endingBehind: slot)
    guard place < runs.count, runs[place].run.first <= slot else { return nil }
    return runs[place].generation
  }

  /// Behind the last slot in use.
  package var end: UInt32 {
    runs.last?.run.end ?? Limits.headSlotCount
  }

  /// The runs of slots behind the head and before `end` that nobody uses, in ascending order.
  package func freeRuns(before end: UInt32) -> [Range<UInt32>] {
    var free: [Range<UInt32>] = []
    var next = Limits.headSlotCount
    for use in runs {
      if use.run.first >= end { break }
      if use.run.first > next { free.append(next..<use.run.first) }
      next = use.run.end
    }
    if next < end { free.append(next..<end) }
    return free
  }

  /// The first run that ends behind a slot, by halving.
  private func firstIndex(endingBehind slot: UInt32) -> Int {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].run.end <= slot { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
