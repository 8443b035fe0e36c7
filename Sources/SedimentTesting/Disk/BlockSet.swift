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
    range.allSatisfy { contains($0) }
  }

  /// How many blocks of the range are not in the set.
  func missingCount(in range: Range<Int>) -> Int {
    range.reduce(0) { contains($1) ? $0 : $0 + 1 }
  }

  mutating func insert(_ range: Range<Int>) {
    for block in range where !contains(block) {
      let word = block >> 6
      while words.count <= word { words.append(0) }
      words[word] |= 1 << UInt64(block & 63)
      count += 1
    }
  }

  mutating func remove(_ range: Range<Int>) {
    for block in range.clamped(to: 0..<words.count << 6) where contains(block) {
      words[block >> 6] &= ~(1 << UInt64(block & 63))
      count -= 1
    }
  }

  /// Removes all blocks from `first` on.
  mutating func removeAll(from first: Int) {
    remove(Swift.min(first, words.count << 6)..<words.count << 6)
  }
}
