/// The words of an index part on their way into pages.
@safe
package struct IndexPages: Sendable {
  /// The pages as the file will have them, but for what seals them.
  package private(set) var words: [UInt64] = []
  /// How many words were added.
  package private(set) var wordCount = 0

  package init() {}

  package mutating func reserve(wordCount: Int) {
    words.reserveCapacity((wordCount / IndexPage.wordCountMax + 1) * (IndexPage.byteCount / 8))
  }

  @inline(__always)
  package mutating func add(_ word: UInt64) {
    // The head of a page is filled in when it is sealed.
    if wordCount % IndexPage.wordCountMax == 0 { words.append(0) }
    words.append(word.littleEndian)
    wordCount += 1
  }

  /// How many pages the words take.
  package var pageCount: Int { (wordCount + IndexPage.wordCountMax - 1) / IndexPage.wordCountMax }

  /// Forgets all words, and keeps the memory for others.
  package mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    wordCount = 0
  }

  /// Makes the pages such as the segment of that seed will have them; the result is the checksum of their checksums.
  ///
  /// No words are added to them then.
  package mutating func seal(seed: Checksum) -> Checksum {
    let (pageCount, wordCount) = (pageCount, wordCount)
    words.append(contentsOf: repeatElement(0, count: pageCount * IndexPage.byteCount / 8 - words.count))
    var sum = Checksum.empty
    var elements = words.mutableSpan
    var span = unsafe elements.mutableBytes
    for number in 0..<pageCount {
      let count = min(wordCount - number * IndexPage.wordCountMax, IndexPage.wordCountMax)
      let start = number * IndexPage.byteCount
      let checksum = IndexPage.seal(
        &span, at: start, number: UInt32(truncatingIfNeeded: number), wordCount: count, seed: seed)
      sum = sum.continued(with: checksum.rawValue)
    }
    return sum
  }
}
