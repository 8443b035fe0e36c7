/// The blocks of a file that have space on the disk.
struct BlockSet: Hashable, Sendable {
  private var words: [UInt64] = []
  /// How many blocks there are.
  private(set) var count = 0

  func contains(_ block: Int) -> Bool {
    let word = block >> 6
    return word < words.count && words[word] & (1 << UInt64(block & 63)) != 0
  }

  func contains(_ range: Range<Int>) -> Bool {
    missingCount(in: range) == 0
  }

  /// How many blocks of the range are not in the set.
  func missingCount(in range: Range<Int>) -> Int {
    var count = range.count
    forEachWord(of: range.clamped(to: 0..<words.count << 6)) { word, mask in
      count -= (words[word] & mask).nonzeroBitCount
    }
    return count
  }

  mutating func insert(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let wordCount = (range.upperBound + 63) >> 6
    if words.count < wordCount { words.append(contentsOf: repeatElement(0, count: wordCount - words.count)) }
    forEachWord(of: range) { word, mask in
      count += (~words[word] & mask).nonzeroBitCount
      words[word] |= mask
    }
  }

  mutating func remove(_ range: Range<Int>) {
    forEachWord(of: range.clamped(to: 0..<words.count << 6)) { word, mask in
      count -= (words[word] & mask).nonzeroBitCount
      words[word] &= ~mask
    }
  }

  /// Removes all blocks from `first` on.
  mutating func removeAll(from first: Int) {
    remove(Swift.min(first, words.count << 6)..<words.count << 6)
  }

  /// The first run of blocks of a range that are in the set, or that are not.
  func firstRun(in range: Range<Int>, contained isContained: Bool = true) -> Range<Int>? {
    let first = first(in: range, contained: isContained)
    guard first < range.upperBound else { return nil }
    return first..<self.first(in: first..<range.upperBound, contained: !isContained)
  }

  /// The first block of a range that is in the set, or that is not; the range's end if there is none.
  private func first(in range: Range<Int>, contained isContained: Bool) -> Int {
    var block = range.lowerBound
    while block < range.upperBound {
      guard block >> 6 < words.count else { return isContained ? range.upperBound : block }
      let word = (isContained ? words[block >> 6] : ~words[block >> 6]) >> UInt64(block & 63)
      if word != 0 { return min(block + word.trailingZeroBitCount, range.upperBound) }
      block = (block | 63) + 1
    }
    return range.upperBound
  }

  /// Calls `body` with each word that has blocks of the range, and which of its bits they are.
  private func forEachWord(of range: Range<Int>, _ body: (Int, UInt64) -> Void) {
    var start = range.lowerBound
    while start < range.upperBound {
      let end = Swift.min(range.upperBound, (start | 63) + 1)
      body(start >> 6, (~0 >> UInt64(64 - (end - start))) << UInt64(start & 63))
      start = end
    }
  }
}
