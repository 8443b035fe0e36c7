/// A set of numbers as runs in ascending order, no two of which are adjacent.
struct Runs<Bound: FixedWidthInteger & Sendable>: Sendable {
  private(set) var runs: [Range<Bound>] = []
  /// How many numbers there are in all.
  private(set) var count: Bound = 0

  /// The length of the longest run.
  var longestCount: Bound { runs.reduce(0) { max($0, $1.length) } }

  /// The first run that ends behind a number; nil if none does.
  func first(endingBehind number: Bound) -> Range<Bound>? {
    let place = runs.firstIndexByHalving { $0.upperBound > number }
    return place < runs.count ? runs[place] : nil
  }

  /// Whether some numbers of a run are there.
  func overlaps(_ run: Range<Bound>) -> Bool {
    first(endingBehind: run.lowerBound)?.overlaps(run) ?? false
  }

  /// Adds numbers, of which some may be there.
  mutating func insert(_ run: Range<Bound>) {
    if run.isEmpty { return }
    // With those that it touches or shares something with it becomes one run.
    let first = runs.firstIndexByHalving { $0.upperBound >= run.lowerBound }
    let end = runs.firstIndexByHalving { $0.lowerBound > run.upperBound }
    var joined = run
    for other in runs[first..<end] {
      joined = min(joined.lowerBound, other.lowerBound)..<max(joined.upperBound, other.upperBound)
      count -= other.length
    }
    count += joined.length
    runs.replaceSubrange(first..<end, with: CollectionOfOne(joined))
  }

  /// Takes numbers of one run out; false, with nothing changed, if not all of them are there.
  mutating func remove(_ run: Range<Bound>) -> Bool {
    let place = runs.firstIndexByHalving { $0.upperBound >= run.upperBound }
    guard !run.isEmpty, place < runs.count, runs[place].lowerBound <= run.lowerBound else { return false }
    let rest = [runs[place].lowerBound..<run.lowerBound, run.upperBound..<runs[place].upperBound]
    runs.replaceSubrange(place...place, with: rest.filter { !$0.isEmpty })
    count -= run.length
    return true
  }

  /// Takes up to `count` adjacent numbers out that lie before one, as far behind as there are any.
  mutating func takeLast(_ count: Bound, before limit: Bound) -> Range<Bound>? {
    guard count > 0, let run = runs.last(where: { $0.lowerBound < limit }) else { return nil }
    let end = min(run.upperBound, limit)
    let taken = end - min(count, end - run.lowerBound)..<end
    return remove(taken) ? taken : nil
  }

  /// Takes all numbers out from one on.
  mutating func cut(to end: Bound) {
    runs = runs.compactMap { $0.lowerBound >= end ? nil : $0.lowerBound..<min($0.upperBound, end) }
    count = runs.reduce(0) { $0 + $1.length }
  }
}

/// Slots of a file.
typealias SlotRuns = Runs<UInt32>
/// Bytes of a file.
typealias ByteRuns = Runs<UInt64>

extension Range where Bound: FixedWidthInteger {
  /// How many numbers it has.
  fileprivate var length: Bound { upperBound - lowerBound }
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
