package import SedimentFormat

/// Which slots of the file are free, which of these have blocks, and which may be taken.
///
/// Those of which it is not known that they have blocks, as in a file that was just opened, are bare: they get some
/// before they are free to be taken, or a full disk would show only when they are stored into. Some are kept in
/// reserve, so that a full disk can still remove, checkpoint, close and recover. What is taken comes from holes before
/// the file grows. A pure value: the file itself is extended by who asks, who then says so with `extend`.
package struct SlotSpace: Sendable {
  /// Free runs in ascending order, no two of them adjacent.
  private(set) var free: [Range<UInt32>] = []
  /// Behind the last slot that the file has blocks for.
  package private(set) var end: UInt32
  /// Slots from here on, if there are any, should go: what lies before them is taken first.
  package var cap = UInt32.max
  /// How many free slots are kept for what lets a full store go on.
  package var reserve = Reserve()
  package private(set) var freeCount: UInt32 = 0
  /// Runs in ascending order that nobody uses, and that may have no blocks.
  private(set) var bare: [Range<UInt32>] = []
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
    guard let best = lowest ?? smallestHole(of: count, before: end) else { return nil }
    let first = free[best].lowerBound
    if free[best].count == count {
      free.remove(at: best)
    } else {
      free[best] = first + count..<free[best].upperBound
    }
    freeCount -= count
    return SlotRun(first: first, count: count)
  }

  /// Where the smallest hole is whose first slots, so many, lie before a slot; nil if there is none.
  private func smallestHole(of count: UInt32, before limit: UInt32) -> Int? {
    var best: Int?
    for (place, hole) in free.enumerated() where hole.count >= count && hole.lowerBound + count <= limit {
      if let found = best, free[found].count <= hole.count { continue }
      best = place
    }
    return best
  }

  /// Adjacent slots as near to the file's beginning as there are any, all of them before a slot.
  ///
  /// Up to `count`, at least so many; nil if there are none that what users store may take. Bare ones still need
  /// blocks, and are left out where the disk has none.
  package func lowRun(
    upTo count: UInt32, atLeast least: UInt32, before limit: UInt32, isDiskFull: Bool
  ) -> (run: Range<UInt32>, isBare: Bool)? {
    let bare = isDiskFull ? [] : bare
    guard freeCount + (isDiskFull ? 0 : bareCount) >= least + reservedCount else { return nil }
    func first(of holes: [Range<UInt32>]) -> Range<UInt32>? {
      for hole in holes where hole.lowerBound < limit {
        let end = min(hole.upperBound, limit)
        if end - hole.lowerBound >= least { return hole.lowerBound..<min(end, hole.lowerBound + count) }
      }
      return nil
    }
    switch (first(of: free), first(of: bare)) {
    case (let run?, let bare?): return run.lowerBound < bare.lowerBound ? (run, false) : (bare, true)
    case (let run?, nil): return (run, false)
    case (nil, let bare?): return (bare, true)
    case (nil, nil): return nil
    }
  }

  /// Free slots in a row that lie behind a slot; nil if there are none such that what users store may take.
  package func highRun(_ count: UInt32, behind limit: UInt32) -> Range<UInt32>? {
    guard freeCount >= count + reservedCount else { return nil }
    for hole in free {
      let first = max(hole.lowerBound, limit)
      if first < hole.upperBound, hole.upperBound - first >= count { return first..<first + count }
    }
    return nil
  }

  /// Takes slots of a run; nil if not all of them are free.
  package mutating func take(_ run: Range<UInt32>) -> SlotRun? {
    guard
      let place = free.firstIndex(where: {
        $0.lowerBound <= run.lowerBound && $0.upperBound >= run.upperBound
      })
    else { return nil }
    let rest = [free[place].lowerBound..<run.lowerBound, run.upperBound..<free[place].upperBound]
    free.replaceSubrange(place...place, with: rest.filter { !$0.isEmpty })
    freeCount -= UInt32(run.count)
    return SlotRun(first: run.lowerBound, count: UInt32(run.count))
  }

  /// How many adjacent free slots may be taken at most.
  package func largestRunCount(for purpose: Purpose) -> UInt32 {
    let largest = free.reduce(0) { max($0, UInt32($1.count)) }
    let reserved = reserve.slotCount(leftBy: purpose)
    return min(largest, freeCount > reserved ? freeCount - reserved : 0)
  }

  /// How many adjacent slots there are at most that could get blocks.
  package var largestBareRunCount: UInt32 { bare.reduce(0) { max($0, UInt32($1.count)) } }

  /// How many free slots lie in holes of fewer than `count`.
  package func count(inRunsBelow count: UInt32) -> UInt32 {
    free.reduce(0) { $1.count < count ? $0 + UInt32($1.count) : $0 }
  }

  /// How many slots the file must grow by for `count` adjacent ones to be there for the purpose; nil if it would
  /// be larger than a file can be.
  package func growth(for count: UInt32, _ purpose: Purpose) -> UInt32? {
    let atEnd = free.last.map { $0.upperBound == end ? UInt32($0.count) : 0 } ?? 0
    let adjacent = count > atEnd ? count - atEnd : 0
    let wanted = count + reserve.slotCount(leftBy: purpose)
    let total = wanted > freeCount ? wanted - freeCount : 0
    let growth = max(adjacent, total, 1)
    return growth <= Limits.fileSlotCountMax - end ? growth : nil
  }

  /// Adds slots at the file's end that now have blocks.
  package mutating func extend(by count: UInt32) {
    free(end..<end + count)
    end += count
  }

  /// Adds slots that nobody uses any more.
  package mutating func give(_ run: Range<UInt32>) {
    guard run.lowerBound < sharedEnd else { return free(run) }
    giveBare(run)
    idleStart = min(idleStart, run.lowerBound)
  }

  private mutating func free(_ run: Range<UInt32>) {
    guard !run.isEmpty else { return }
    freeCount += UInt32(run.count)
    let place = free.firstIndex { $0.lowerBound >= run.upperBound } ?? free.count
    var joined = run
    if place < free.count, free[place].lowerBound == run.upperBound {
      joined = joined.lowerBound..<free[place].upperBound
      free.remove(at: place)
    }
    if place > 0, free[place - 1].upperBound == run.lowerBound {
      free[place - 1] = free[place - 1].lowerBound..<joined.upperBound
    } else {
      free.insert(joined, at: place)
    }
  }

  /// Adds slots that nobody uses and that may have no blocks.
  package mutating func giveBare(_ run: Range<UInt32>) {
    guard !run.isEmpty else { return }
    bareCount += UInt32(run.count)
    var place = bare.firstIndex { $0.lowerBound > run.lowerBound } ?? bare.count
    var joined = run
    if place < bare.count, bare[place].lowerBound == run.upperBound {
      joined = joined.lowerBound..<bare.remove(at: place).upperBound
    }
    if place > 0, bare[place - 1].upperBound == run.lowerBound {
      place -= 1
      joined = bare.remove(at: place).lowerBound..<joined.upperBound
    }
    bare.insert(joined, at: place)
  }

  /// How many slots are bare.
  package private(set) var bareCount: UInt32 = 0

  /// The bare slots that should get blocks next: `count` adjacent ones, or fewer if they need not be adjacent; nil
  /// if there are none.
  package func bareRun(for count: UInt32, isAdjacent: Bool) -> Range<UInt32>? {
    guard let run = bare.first(where: { $0.count >= count }) ?? (isAdjacent ? nil : bare.first) else {
      return nil
    }
    return run.lowerBound..<min(run.upperBound, run.lowerBound + count)
  }

  /// The first bare slots that adjoin each other, at most so many; nil if there are none.
  package func firstBareRun(upTo count: UInt32) -> Range<UInt32>? {
    bare.first.map { $0.lowerBound..<min($0.upperBound, $0.lowerBound + count) }
  }

  /// The first bare slots that adjoin each other and may have blocks, at most so many; nil if there are none.
  package func idleRun(upTo count: UInt32) -> Range<UInt32>? {
    guard let run = bare.first(where: { $0.upperBound > idleStart }) else { return nil }
    let first = max(run.lowerBound, idleStart)
    return first..<min(run.upperBound, first + count)
  }

  /// The first bare slots of a row of free and bare ones that has `count`; nil if there is no such row.
  package func bareRun(completing count: UInt32) -> Range<UInt32>? {
    var row: Range<UInt32> = 0..<0
    var first: Range<UInt32>?
    var (nextFree, nextBare) = (free[...], bare[...])
    while !nextFree.isEmpty || !nextBare.isEmpty {
      let isBare = (nextBare.first?.lowerBound ?? .max) < (nextFree.first?.lowerBound ?? .max)
      let run = isBare ? nextBare.removeFirst() : nextFree.removeFirst()
      if run.lowerBound != row.upperBound { (row, first) = (run.lowerBound..<run.lowerBound, nil) }
      row = row.lowerBound..<run.upperBound
      if isBare, first == nil { first = run }
      if row.count >= count, let first {
        return first.lowerBound..<min(first.upperBound, first.lowerBound + count)
      }
    }
    return nil
  }

  /// The bare slots at the file's end; nil if there are none.
  package var bareRunAtEnd: Range<UInt32>? { bare.last.flatMap { $0.upperBound == end ? $0 : nil } }

  /// Frees slots that were bare and have blocks now.
  package mutating func noteBlocks(in run: Range<UInt32>) {
    guard
      let place = bare.firstIndex(where: {
        $0.lowerBound <= run.lowerBound && $0.upperBound >= run.upperBound
      })
    else { return }
    let rest = [bare[place].lowerBound..<run.lowerBound, run.upperBound..<bare[place].upperBound]
    bare.replaceSubrange(place...place, with: rest.filter { !$0.isEmpty })
    bareCount -= UInt32(run.count)
    free(run)
  }

  /// Makes all free slots bare, and those that come to be free later, since their blocks are shared with a copy.
  package mutating func makeFreeBare() {
    for run in free { giveBare(run) }
    free = []
    freeCount = 0
    sharedEnd = end
    idleStart = 0
  }

  // MARK: Shrinking

  /// The last free slots that adjoin each other; nil if there are none.
  package var lastRun: Range<UInt32>? { free.last }

  /// Takes up to `count` adjacent free slots as far behind as there are any.
  package mutating func takeLast(_ count: UInt32) -> Range<UInt32>? {
    guard count > 0, let last = free.last else { return nil }
    let taken = last.upperBound - min(count, UInt32(last.count))..<last.upperBound
    if taken == last { free.removeLast() } else { free[free.count - 1] = last.lowerBound..<taken.lowerBound }
    freeCount -= UInt32(taken.count)
    return taken
  }

  /// Takes up to `count` adjacent bare slots before a slot, as far behind as there are any.
  package mutating func takeLastBare(_ count: UInt32, before limit: UInt32) -> Range<UInt32>? {
    guard count > 0, let place = bare.lastIndex(where: { $0.lowerBound < limit }) else { return nil }
    let run = bare[place]
    let end = min(run.upperBound, limit)
    let taken = end - min(count, end - run.lowerBound)..<end
    let rest = [run.lowerBound..<taken.lowerBound, taken.upperBound..<run.upperBound]
    bare.replaceSubrange(place...place, with: rest.filter { !$0.isEmpty })
    bareCount -= UInt32(taken.count)
    return taken
  }

  /// Where the file could end, if what is bare at its end went, and so many free slots there.
  package func endAfterCutting(freeSlots: UInt32) -> UInt32 {
    var end = end
    var left = freeSlots
    while true {
      if let run = bare.last(where: { $0.upperBound == end }) {
        end = run.lowerBound
      } else if left > 0, let run = free.last(where: { $0.upperBound == end }) {
        let count = min(left, UInt32(run.count))
        end -= count
        left -= count
        if count < run.count { return end }
      } else {
        return end
      }
    }
  }

  /// Forgets the slots from `end` on, none of which is in use.
  package mutating func cut(to end: UInt32) {
    bare = bare.compactMap { $0.lowerBound >= end ? nil : $0.lowerBound..<min($0.upperBound, end) }
    free = free.compactMap { $0.lowerBound >= end ? nil : $0.lowerBound..<min($0.upperBound, end) }
    bareCount = bare.reduce(0) { $0 + UInt32($1.count) }
    freeCount = free.reduce(0) { $0 + UInt32($1.count) }
    self.end = end
  }
}
