internal import SedimentDisk
internal import SedimentFormat

/// Reads the pages of an index part and verifies them; its memory is used again for the next part.
@safe
final class IndexPartReading {
  private let file: StoreFile
  private let identity: FileIdentity
  private var bytes: UnsafeMutableRawPointer
  private var byteCount: Int
  /// The bytes of words that were read and verified, at the beginning of the memory.
  private var wordByteCount = 0

  /// The pages that are read at once.
  private static let pageCountAtOnce = 1024

  init(_ file: StoreFile, _ identity: FileIdentity) {
    self.file = file
    self.identity = identity
    byteCount = Self.headPageCountGuess * IndexPage.byteCount
    unsafe bytes = .allocate(byteCount: byteCount, alignment: 4096)
  }

  deinit {
    unsafe bytes.deallocate()
  }

  /// The head of a part and its entries, which are there until the next call; nil if they are not what the part's
  /// entry says.
  func read(
    _ part: IndexPartEntry
  ) throws(SedimentError) -> (head: IndexPartHead, entries: UnsafeMutableBufferPointer<UInt64>)? {
    var sum = Checksum.empty
    wordByteCount = 0
    guard try readPages(0..<Int(part.pageCount), of: part, &sum), sum == part.checksum,
      let head = withWords({ words in
        try? IndexPartHead.decode(
          words, partitionCount: part.partitions.count, entryCount: part.entryCount)
      })
    else { return nil }
    // The entries follow the head, as `decode` has made sure; the memory holds nothing but integers.
    let start = unsafe (bytes + head.wordCount * 8).bindMemory(
      to: UInt64.self, capacity: Int(part.entryCount))
    return unsafe (head, UnsafeMutableBufferPointer(start: start, count: Int(part.entryCount)))
  }

  /// The head of a part by its first pages, which are sound; nil if they are not, or not what the part's entry says.
  func readHead(_ part: IndexPartEntry) throws(SedimentError) -> IndexPartHead? {
    var sum = Checksum.empty
    wordByteCount = 0
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
    body(unsafe RawSpan(_unsafeStart: UnsafeRawPointer(bytes), byteCount: wordByteCount))
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
      reserve(wordByteCount + wanted)
      let target = unsafe bytes + wordByteCount
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
        unsafe (bytes + wordByteCount).copyMemory(
          from: place + IndexPage.headByteCount, byteCount: checked.wordCount * 8)
        wordByteCount += checked.wordCount * 8
      }
      number += count
    }
    return true
  }

  /// Makes room for so many bytes in all; at most twice what was read and verified, and a piece.
  private func reserve(_ needed: Int) {
    guard needed > byteCount else { return }
    let larger = max(needed, wordByteCount * 2)
    let replacement = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 4096)
    unsafe replacement.copyMemory(from: bytes, byteCount: wordByteCount)
    unsafe bytes.deallocate()
    unsafe bytes = replacement
    byteCount = larger
  }
}
