package import SedimentFormat

/// Which generation uses which slots: disjoint runs in ascending order (invariant 9).
///
/// They lie in rows of bounded length, so that what a change moves does not grow with their number: a file may name as
/// many as it has room for, in the worst order.
package struct SlotMap: Sendable {
  /// None of them is empty, and the last run of each lies before the first one of the next.
  private var rows: [[Use]] = []

  private struct Use {
    let run: SlotRun
    let generation: Generation
  }

  private struct Place {
    var row: Int
    var index: Int
  }

  /// A row of so many runs is split in two.
  private static let rowCountMax = 512

  package init() {}

  /// The most runs and rows that a change moves.
  package var moveCountMax: Int { rows.count + Self.rowCountMax }

  /// Adds a run; false, with nothing changed, if it shares a slot with another.
  package mutating func insert(_ run: SlotRun, _ generation: Generation) -> Bool {
    var place = firstPlace(endingBehind: run.first)
    if let use = self[place], use.run.overlaps(run) { return false }
    if place.row == rows.count {
      // Behind all others.
      if rows.isEmpty { rows.append([]) }
      place = Place(row: rows.count - 1, index: rows[rows.count - 1].count)
    }
    rows[place.row].insert(Use(run: run, generation: generation), at: place.index)
    if rows[place.row].count >= Self.rowCountMax {
      let half = rows[place.row].count / 2
      rows.insert(Array(rows[place.row][half...]), at: place.row + 1)
      rows[place.row].removeLast(rows[place.row].count - half)
    }
    return true
  }

  /// Removes the run that begins at a slot; nil if none of that generation does.
  package mutating func remove(first: UInt32, _ generation: Generation) -> SlotRun? {
    let place = firstPlace(endingBehind: first)
    guard let use = self[place], use.run.first == first, use.generation == generation else { return nil }
    rows[place.row].remove(at: place.index)
    if rows[place.row].isEmpty { rows.remove(at: place.row) }
    return use.run
  }

  /// The generation that uses a slot; nil if it is free.
  package func generation(at slot: UInt32) -> Generation? {
    guard let use = self[firstPlace(endingBehind: slot)], use.run.first <= slot else { return nil }
    return use.generation
  }

  /// Behind the last slot in use.
  package var end: UInt32 {
    rows.last?.last?.run.end ?? Limits.headSlotCount
  }

  /// The runs of slots behind the head and before `end` that nobody uses, in ascending order.
  package func freeRuns(before end: UInt32) -> [Range<UInt32>] {
    var free: [Range<UInt32>] = []
    var next = Limits.headSlotCount
    for use in rows.lazy.joined() {
      if use.run.first >= end { break }
      if use.run.first > next { free.append(next..<use.run.first) }
      next = use.run.end
    }
    if next < end { free.append(next..<end) }
    return free
  }

  // MARK: Places

  private subscript(place: Place) -> Use? {
    place.row < rows.count ? rows[place.row][place.index] : nil
  }

  /// Where the first run lies that ends behind a slot; behind the last row if none does.
  private func firstPlace(endingBehind slot: UInt32) -> Place {
    let row = rows.firstIndexByHalving { $0[$0.count - 1].run.end > slot }
    guard row < rows.count else { return Place(row: row, index: 0) }
    return Place(row: row, index: rows[row].firstIndexByHalving { $0.run.end > slot })
  }
}
