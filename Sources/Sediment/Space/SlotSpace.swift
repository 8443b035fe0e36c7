package import SedimentFormat

/// Which slots of the file are free, which of these have blocks, and which may be taken.
///
/// Slots that may have no blocks, as all that are not in use in a file that was just opened, are bare: they get blocks
/// before they may be taken, or else a full disk would show only when something is stored into them. Some free slots are
/// kept in reserve, so that a full disk can still remove, checkpoint, close and recover. Holes are used before the file
/// grows. A pure value: the caller extends the file itself, and then says so with `extend`.
package struct SlotSpace: Sendable {
  private(set) var free = SlotRuns()
  /// What nobody uses, and may have no blocks.
  private(set) var bare = SlotRuns()
  /// Behind the last slot that the file has blocks for.
  package private(set) var end: UInt32
  /// Slots from here on, if there are any, should go: what lies before them is taken first.
  package var cap = UInt32.max
  /// How many free slots are kept for what lets a full store go on.
  package var reserve = Reserve()
  /// Bare slots from here on may have blocks all the same: nobody has told since the file was opened, or cloned.
  package var idleStart = UInt32.max
  /// Slots before it may share their blocks with a copy of the file, unless they got others since.
  private var sharedEnd: UInt32 = 0

  /// What a run is taken for.
  package enum Purpose: Sendable {
    /// What a user stores.
    case storing
    /// What a user removes: it wins space later, and takes some now.
    case removing
    /// What is stored anew so that its segment can be emptied, which takes some slots, too.
    case moving
    /// What frees space, or lets a full store checkpoint and close.
    case goingOn
  }

  /// Free slots that are kept, each kind for its own purpose: what frees space never competes with what takes it.
  package struct Reserve: Hashable, Sendable {
    /// What only freeing, checkpoints and closing may take: enough for one exchange that wins something.
    package var freeing: UInt32
    /// What of that is needed to say what was freed.
    package var saying: UInt32
    /// What removals may take besides.
    package var removing: UInt32

    package init(freeing: UInt32 = 0, saying: UInt32 = 0, removing: UInt32 = 0) {
      self.freeing = freeing
      self.saying = saying
      self.removing = removing
    }

    /// Keeps at least as much of each kind as another reserve.
    package mutating func raise(to other: Reserve) {
      freeing = max(freeing, other.freeing)
      saying = max(saying, other.saying)
      removing = max(removing, other.removing)
    }

    /// How many free slots have to be left by what is taken for a purpose.
    package func slotCount(leftBy purpose: Purpose) -> UInt32 {
      switch purpose {
      case .storing: freeing + removing
      case .removing: freeing
      case .moving: saying
      case .goingOn: 0
      }
    }
  }

  package var freeCount: UInt32 { free.count }
  package var bareCount: UInt32 { bare.count }
  /// How many free slots ordinary writing leaves alone.
  package var reservedCount: UInt32 { reserve.slotCount(leftBy: .storing) }

  package init(end: UInt32) {
    self.end = end
  }

  /// How many bytes so many slots have, which is where the slot of that number begins.
  package static func byteCount(of slotCount: UInt32) -> UInt64 {
    UInt64(slotCount) << UInt64(Limits.slotByteCountLog2)
  }

  /// The bytes of slots in the file.
  package static func byteRange(of slots: Range<UInt32>) -> Range<UInt64> {
    byteCount(of: slots.lowerBound)..<byteCount(of: slots.upperBound)
  }

  /// Takes `count` adjacent free slots, of the smallest hole that has as many; nil if there are none such that may be
  /// taken.
  package mutating func take(_ count: UInt32, for purpose: Purpose) -> SlotRun? {
    guard count >= 1, count <= freeCount, freeCount - count >= reserve.slotCount(leftBy: purpose)
    else { return nil }
    let lowest = cap < end ? smallestHole(of: count, before: cap) : nil
    guard let hole = lowest ?? smallestHole(of: count, before: end) else { return nil }
    return take(hole.lowerBound..<hole.lowerBound + count)
  }

  /// The smallest hole whose first slots, so many, lie before a slot; nil if there is none.
  private func smallestHole(of count: UInt32, before limit: UInt32) -> Range<UInt32>? {
    free.runs.lazy.filter { $0.count >= count && $0.lowerBound + count <= limit }
      .min { $0.count < $1.count }
  }

  /// Takes slots of a run; nil if not all of them are free.
  package mutating func take(_ run: Range<UInt32>) -> SlotRun? {
    free.remove(run) ? SlotRun(first: run.lowerBound, count: UInt32(run.count)) : nil
  }

  /// Adjacent slots as near to the file's beginning as there are any, all of them before a slot.
  ///
  /// Up to `count`, at least so many; nil if there are none that what users store may take. Bare ones still need
  /// blocks, and are left out where the disk has none. What is free may be taken down to nothing if there are as many bare
  /// ones as are reserved; a full disk may then refuse these their blocks, and nothing is left for a removal.
  package func lowRun(
    upTo count: UInt32, atLeast least: UInt32, before limit: UInt32, isDiskFull: Bool
  ) -> (run: Range<UInt32>, isBare: Bool)? {
    let bare = isDiskFull ? SlotRuns() : bare
    guard freeCount + bare.count >= least + reservedCount else { return nil }
    func first(of holes: SlotRuns) -> Range<UInt32>? {
      for hole in holes.runs where hole.lowerBound < limit {
        let end = min(hole.upperBound, limit)
        if end - hole.lowerBound >= least { return hole.lowerBound..<min(end, hole.lowerBound + count) }
      }
      return nil
    }
    let (run, bareRun) = (first(of: free), first(of: bare))
    guard let bareRun, bareRun.lowerBound < run?.lowerBound ?? .max else { return run.map { ($0, false) } }
    return (bareRun, true)
  }

  /// Free slots in a row that lie behind a slot; nil if there are none such that what users store may take.
  package func highRun(_ count: UInt32, behind limit: UInt32) -> Range<UInt32>? {
    guard freeCount >= count + reservedCount else { return nil }
    for hole in free.runs {
      let first = max(hole.lowerBound, limit)
      if first < hole.upperBound, hole.upperBound - first >= count { return first..<first + count }
    }
    return nil
  }

  /// How many adjacent free slots may be taken at most.
  package func largestRunCount(for purpose: Purpose) -> UInt32 {
    let reserved = reserve.slotCount(leftBy: purpose)
    return min(free.longestCount, freeCount > reserved ? freeCount - reserved : 0)
  }

  /// How many adjacent slots there are at most that could get blocks.
  package var largestBareRunCount: UInt32 { bare.longestCount }

  /// How many free slots lie in holes of fewer than `count`.
  package func count(inRunsBelow count: UInt32) -> UInt32 {
    free.runs.reduce(0) { $1.count < count ? $0 + UInt32($1.count) : $0 }
  }

  /// How many slots the file must grow by for `count` adjacent ones to be there for the purpose; nil if it would
  /// be larger than a file can be.
  package func growth(for count: UInt32, _ purpose: Purpose) -> UInt32? {
    let atEnd = free.runs.last.map { $0.upperBound == end ? UInt32($0.count) : 0 } ?? 0
    let adjacent = count > atEnd ? count - atEnd : 0
    let wanted = count + reserve.slotCount(leftBy: purpose)
    let total = wanted > freeCount ? wanted - freeCount : 0
    let growth = max(adjacent, total, 1)
    return growth <= Limits.fileSlotCountMax - end ? growth : nil
  }

  /// Adds slots at the file's end that now have blocks.
  package mutating func extend(by count: UInt32) {
    free.insert(end..<end + count)
    end += count
  }

  /// Adds slots that nobody uses any more.
  package mutating func give(_ run: Range<UInt32>) {
    guard run.lowerBound < sharedEnd else { return free.insert(run) }
    giveBare(run)
    idleStart = min(idleStart, run.lowerBound)
  }

  /// Adds slots that nobody uses and that may have no blocks.
  package mutating func giveBare(_ run: Range<UInt32>) {
    bare.insert(run)
  }

  /// The bare slots that should get blocks next: `count` adjacent ones, or fewer if they need not be adjacent; nil
  /// if there are none.
  package func bareRun(for count: UInt32, isAdjacent: Bool) -> Range<UInt32>? {
    let run = bare.runs.first { $0.count >= count } ?? (isAdjacent ? nil : bare.runs.first)
    return run?.prefix(count)
  }

  /// The first bare slots that adjoin each other and may have blocks, at most so many; nil if there are none.
  package func idleRun(upTo count: UInt32) -> Range<UInt32>? {
    bare.first(endingBehind: idleStart).map { max($0.lowerBound, idleStart)..<$0.upperBound }?.prefix(count)
  }

  /// The first bare slots of a row of free and bare ones that has `count`; nil if there is no such row.
  package func bareRun(completing count: UInt32) -> Range<UInt32>? {
    var row: Range<UInt32> = 0..<0
    for run in (free.runs + bare.runs).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      row = run.lowerBound == row.upperBound ? row.lowerBound..<run.upperBound : run
      if row.count >= count, let first = bare.first(endingBehind: row.lowerBound), first.overlaps(row) {
        return first.prefix(count)
      }
    }
    return nil
  }

  /// Frees slots that were bare and have blocks now.
  package mutating func noteBlocks(in run: Range<UInt32>) {
    if bare.remove(run) { free.insert(run) }
  }

  /// Makes all free slots bare, and those that come to be free later, since their blocks are shared with a copy.
  package mutating func makeFreeBare() {
    for run in free.runs { bare.insert(run) }
    free = SlotRuns()
    sharedEnd = end
    idleStart = 0
  }

  // MARK: Shrinking

  /// Takes up to `count` adjacent free slots as far behind as there are any.
  package mutating func takeLast(_ count: UInt32) -> Range<UInt32>? {
    free.takeLast(count, before: .max)
  }

  /// Takes up to `count` adjacent free slots before a slot, whatever is reserved, as far behind as there are any.
  package mutating func takeLastFree(_ count: UInt32, before limit: UInt32) -> Range<UInt32>? {
    free.takeLast(count, before: limit)
  }

  /// Takes up to `count` adjacent bare slots before a slot, as far behind as there are any.
  package mutating func takeLastBare(_ count: UInt32, before limit: UInt32) -> Range<UInt32>? {
    bare.takeLast(count, before: limit)
  }

  /// Where the file could end, if what is bare at its end went, and so many free slots there.
  package func endAfterCutting(freeSlots: UInt32) -> UInt32 {
    var (end, left) = (end, freeSlots)
    var (free, bare) = (free.runs[...], bare.runs[...])
    while true {
      if let run = bare.last, run.upperBound == end {
        end = run.lowerBound
        bare.removeLast()
      } else if let run = free.last, run.upperBound == end, left > 0 {
        end -= min(left, UInt32(run.count))
        left -= min(left, UInt32(run.count))
        free.removeLast()
      } else {
        return end
      }
    }
  }

  /// Forgets the slots from `end` on, none of which is in use.
  package mutating func cut(to end: UInt32) {
    free.cut(to: end)
    bare.cut(to: end)
    self.end = end
  }
}
