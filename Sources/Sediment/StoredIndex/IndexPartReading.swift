internal import SedimentDisk
internal import SedimentFormat

/// Reads the pages of an index part and verifies them; its memory is used again for the next part.
@safe
final class IndexPartReading {
  private let file: StoreFile
  private let identity: FileIdentity
  /// The words that were read and verified.
  private let words = GrowingMemory(room: IndexPartReading.headPageCountGuess * IndexPage.byteCount)

  /// The pages that are read at once.
  private static let pageCountAtOnce = 1024

  init(_ file: StoreFile, _ identity: FileIdentity) {
    self.file = file
    self.identity = identity
  }

  /// The head of a part and its entries, which are there until the next call; nil if they are not what the part's
  /// entry says.
  func read(
    _ part: IndexPartEntry
  ) throws(SedimentError) -> (head: IndexPartHead, entries: UnsafeMutableBufferPointer<UInt64>)? {
    var sum = Checksum.empty
    words.removeAll(from: 0)
    guard try readPages(0..<Int(part.pageCount), of: part, &sum), sum == part.checksum,
      let head = withWords({ words in
        try? IndexPartHead.decode(
          words, partitionCount: part.partitions.count, entryCount: part.entryCount)
      })
    else { return nil }
    // The entries follow the head, as `decode` has made sure; the memory holds nothing but integers.
    let start = unsafe (words.start + head.wordCount * 8).bindMemory(
      to: UInt64.self, capacity: Int(part.entryCount))
    return unsafe (head, UnsafeMutableBufferPointer(start: start, count: Int(part.entryCount)))
  }

  /// The head of a part by its first pages, which are sound; nil if they are not, or not what the part's entry says.
  func readHead(_ part: IndexPartEntry) throws(SedimentError) -> IndexPartHead? {
    var sum = Checksum.empty
    words.removeAll(from: 0)
    let partitionCount = part.partitions.count
    let guess = min(Self.headPageCountGuess, Int(part.pageCount))
    guard try readPages(0..<guess, of: part, &sum),
      let wordCount = withWords({ IndexPartHead.wordCount($0, partitionCount: partitionCount) })
    else { return nil }
    let pageCount = (wordCount + IndexPage.wordCountMax - 1) / IndexPage.wordCountMax
    guard pageCount <= Int(part.pageCount) else { return nil }
    if pageCount > guess, try !readPages(guess..<pageCount, of: part, &sum) { return nil }
    return withWords { words in
      try? IndexPartHead.decode(first: words, partitionCount: partitionCount, entryCount: part.entryCount)
    }
  }

  /// The pages that most heads are in.
  private static let headPageCountGuess = 4

  /// Calls `body` with the words that were read.
  private func withWords<Result>(_ body: (RawSpan) -> Result) -> Result {
    body(unsafe RawSpan(_unsafeStart: UnsafeRawPointer(words.start), byteCount: words.byteCount))
  }

  /// Reads some pages and moves their words together, behind those that are there; false if one is not what it should be.
  private func readPages(
    _ pages: Range<Int>, of part: IndexPartEntry, _ sum: inout Checksum
  ) throws(SedimentError) -> Bool {
    let seed = part.segment.seed(in: identity)
    let start = part.segment.run.byteRange.lowerBound + UInt64(SegmentHeader.byteCount)
    var number = pages.lowerBound
    while number < pages.upperBound {
      let count = min(pages.upperBound - number, Self.pageCountAtOnce)
      let wanted = count * IndexPage.byteCount
      var end = words.byteCount
      let target = unsafe words.add(wanted)
      var span = unsafe MutableRawSpan(_unsafeStart: target, byteCount: wanted)
      let found = try file.read(into: &span, at: start + UInt64(number * IndexPage.byteCount))
      guard found == wanted else { return false }
      for page in 0..<count {
        // Words are moved to the left only, behind those of the pages before.
        let place = unsafe target + page * IndexPage.byteCount
        let isLast = number + page == Int(part.pageCount) - 1
        guard
          let checked = unsafe try? IndexPage.check(
            RawSpan(_unsafeStart: UnsafeRawPointer(place), byteCount: IndexPage.byteCount),
            number: UInt32(truncatingIfNeeded: number + page), seed: seed),
          isLast || checked.wordCount == IndexPage.wordCountMax
        else { return false }
        sum = sum.continued(with: checked.checksum.rawValue)
        unsafe (words.start + end).copyMemory(
          from: place + IndexPage.headByteCount, byteCount: checked.wordCount * 8)
        end += checked.wordCount * 8
      }
      words.removeAll(from: end)
      number += count
    }
    return true
  }
}
