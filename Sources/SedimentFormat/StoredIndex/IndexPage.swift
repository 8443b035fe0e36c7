/// A page of a stored index: a few words behind a checksum that covers its place, too (DESIGN.md 3.9).
///
///     offset  0  checksum of the segment's seed, the page's number (4), bytes 4 to 4,095
///             4  number of words (4)
///             8  words of 8 bytes, then zeros
package enum IndexPage {
  package static let byteCount = IndexPartEntry.pageByteCount
  package static let wordCountMax = byteCount / 8 - 1
  package static let headByteCount = 8

  private enum Place {
    static let checksum = 0
    static let wordCount = 4
  }

  /// Completes the page at an offset, whose words stand in their places, and zeros behind them; the result is its
  /// checksum.
  package static func seal(
    _ pages: inout MutableRawSpan, at offset: Int, number: UInt32, wordCount: Int, seed: Checksum
  ) -> Checksum {
    precondition(wordCount >= 1 && wordCount <= wordCountMax)
    pages.store(UInt32(truncatingIfNeeded: wordCount), at: offset + Place.wordCount)
    let checksum = checksum(
      pages.bytes.extracting(offset..<offset + byteCount), number: number, seed: seed)
    pages.store(checksum.rawValue, at: offset + Place.checksum)
    return checksum
  }

  /// Verifies a page and returns its checksum and how many words it has.
  package static func check(
    _ page: RawSpan, number: UInt32, seed: Checksum
  ) throws(FormatError) -> (checksum: Checksum, wordCount: Int) {
    guard page.byteCount >= byteCount else { throw FormatError(.indexPage, .truncated) }
    let checksum = checksum(page, number: number, seed: seed)
    guard page.integer(at: Place.checksum) == checksum.rawValue else {
      throw FormatError(.indexPage, .checksum)
    }
    let wordCount = Int(page.integer(UInt32.self, at: Place.wordCount))
    guard wordCount >= 1, wordCount <= wordCountMax else { throw FormatError(.indexPage, .field(.count)) }
    return (checksum, wordCount)
  }

  @inline(__always)
  private static func checksum(_ page: RawSpan, number: UInt32, seed: Checksum) -> Checksum {
    seed.continued(with: number).continued(with: page.extracting(Place.wordCount..<byteCount))
  }
}

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
