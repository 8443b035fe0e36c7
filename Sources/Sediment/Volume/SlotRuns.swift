/// A set of slots as runs in ascending order, no two of which are adjacent.
struct SlotRuns: Sendable {
  private(set) var runs: [Range<UInt32>] = []
  /// How many slots there are in all.
  private(set) var count: UInt32 = 0

  /// The length of the longest run.
  var longestCount: UInt32 { runs.reduce(0) { max($0, UInt32($1.count)) } }

  /// The first run that ends behind a slot; nil if none does.
  func first(endingBehind slot: UInt32) -> Range<UInt32>? {
    let place = runs.firstIndexByHalving { $0.upperBound > slot }
    return place < runs.count ? runs[place] : nil
  }

  /// Adds slots of which none is there.
  mutating func insert(_ run: Range<UInt32>) {
    if run.isEmpty { return }
    count += UInt32(run.count)
    // The neighbours, of which there may be one on each side, become one run with it.
    let first = runs.firstIndexByHalving { $0.upperBound >= run.lowerBound }
    let end = runs.firstIndexByHalving { $0.lowerBound > run.upperBound }
    let joined = runs[first..<end].reduce(run) {
      min($0.lowerBound, $1.lowerBound)..<max($0.upperBound, $1.upperBound)
    }
    runs.replaceSubrange(first..<end, with: CollectionOfOne(joined))
  }

  /// Takes slots of one run out; false, with nothing changed, if not all of them are there.
  mutating func remove(_ run: Range<UInt32>) -> Bool {
    let place = runs.firstIndexByHalving { $0.upperBound >= run.upperBound }
    guard !run.isEmpty, place < runs.count, runs[place].lowerBound <= run.lowerBound else { return false }
    let rest = [runs[place].lowerBound..<run.lowerBound, run.upperBound..<runs[place].upperBound]
    runs.replaceSubrange(place...place, with: rest.filter { !$0.isEmpty })
    count -= UInt32(run.count)
    return true
  }

  /// Takes up to `count` adjacent slots out that lie before a slot, as far behind as there are any.
  mutating func takeLast(_ count: UInt32, before limit: UInt32) -> Range<UInt32>? {
    guard count > 0, let run = runs.last(where: { $0.lowerBound < limit }) else { return nil }
    let end = min(run.upperBound, limit)
    let taken = end - min(count, end - run.lowerBound)..<end
    return remove(taken) ? taken : nil
  }

  /// Takes all slots out from a slot on.
  mutating func cut(to end: UInt32) {
    runs = runs.compactMap { $0.lowerBound >= end ? nil : $0.lowerBound..<min($0.upperBound, end) }
    count = runs.reduce(0) { $0 + UInt32($1.count) }
  }
}

extension Range<UInt32> {
  /// The first of so many slots, or all of them.
  func prefix(_ count: UInt32) -> Self { lowerBound..<Swift.min(upperBound, lowerBound + count) }
}

extension Array {
  /// The first index of which something is true that is true of all behind it, by halving; their count if there is none.
  func firstIndexByHalving(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
