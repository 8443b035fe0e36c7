/// Ranges of a file: disjoint, not adjacent, in ascending order.
struct ByteRanges: Sendable {
  private(set) var ranges: [Range<UInt64>] = []

  /// Adds a range, which may touch others or share bytes with them.
  mutating func insert(_ range: Range<UInt64>) {
    guard !range.isEmpty else { return }
    let first = firstIndex(endingAtOrBehind: range.lowerBound)
    var last = first
    var joined = range
    while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
      let other = ranges[last]
      joined = min(joined.lowerBound, other.lowerBound)..<max(joined.upperBound, other.upperBound)
      last += 1
    }
    ranges.replaceSubrange(first..<last, with: [joined])
  }

  /// Whether a range shares a byte with one of them.
  func overlaps(_ range: Range<UInt64>) -> Bool {
    let place = firstIndex(endingAtOrBehind: range.lowerBound)
    return ranges[place...].prefix(2).contains { $0.overlaps(range) }
  }

  private func firstIndex(endingAtOrBehind position: UInt64) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < position { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
