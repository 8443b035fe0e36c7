/// What the words of an index part begin with, before its entries (DESIGN.md 3.9).
///
///     word  0    sequence of the last record before "replay from"
///           1    number of accounts (4), zeros (4)
///           2    number of the entries of each partition (4 each), zeros up to 8
///                accounts: generation 8, collection 4, records 4, of them expiring 4, zeros 4, bytes 8
///                entries, partition by partition
package struct IndexPartHead: Hashable, Sendable {
  /// The sequence of the last record before the place from which on the log may hold what the part lacks.
  package let sequence: SequenceNumber
  /// How many entries each partition of the part has.
  package let entryCounts: [UInt32]
  package let accounts: [IndexAccount]

  package init(sequence: SequenceNumber, entryCounts: [UInt32], accounts: [IndexAccount]) {
    self.sequence = sequence
    self.entryCounts = entryCounts
    self.accounts = accounts
  }

  private static let fixedWordCount = 2

  /// The words before the first entry.
  package var wordCount: Int {
    Self.wordCount(partitionCount: entryCounts.count, accountCount: accounts.count)
  }

  private static func wordCount(partitionCount: Int, accountCount: Int) -> Int {
    fixedWordCount + (partitionCount + 1) / 2 + accountCount * IndexAccount.wordCount
  }

  package func encode(into pages: inout IndexPages) {
    pages.add(sequence.rawValue)
    pages.add(UInt64(accounts.count))
    for place in stride(from: 0, to: entryCounts.count, by: 2) {
      let next = place + 1 < entryCounts.count ? entryCounts[place + 1] : 0
      pages.add(UInt64(entryCounts[place]) | UInt64(next) << 32)
    }
    for account in accounts { account.encode(into: &pages) }
  }

  /// Decodes the head of a part whose words are all given; what its partitions and accounts count must come to
  /// `entryCount`, and the entries must fill the rest.
  package static func decode(
    _ words: RawSpan, partitionCount: Int, entryCount: UInt64
  ) throws(FormatError) -> IndexPartHead {
    let wordCount = words.byteCount / 8
    guard wordCount >= fixedWordCount else { throw failure(.count) }
    guard let sequence = SequenceNumber(words.integer(at: 0)) else { throw failure(.sequence) }
    let accountCount = Int(words.integer(UInt32.self, at: 8))
    guard words.integer(UInt32.self, at: 12) == 0 else { throw failure(.reserved) }
    // Neither is larger than 32 bits, so the sum is far from an overflow.
    let headWordCount = Self.wordCount(partitionCount: partitionCount, accountCount: accountCount)
    guard headWordCount <= wordCount, UInt64(wordCount - headWordCount) == entryCount else {
      throw failure(.count)
    }
    let countsOffset = fixedWordCount * 8
    var entryCounts: [UInt32] = []
    entryCounts.reserveCapacity(partitionCount)
    for place in 0..<partitionCount { entryCounts.append(words.integer(at: countsOffset + place * 4)) }
    if partitionCount % 2 == 1, words.integer(UInt32.self, at: countsOffset + partitionCount * 4) != 0 {
      throw failure(.reserved)
    }
    guard entryCounts.reduce(0 as UInt64, { $0 + UInt64($1) }) == entryCount else { throw failure(.count) }
    let accountsOffset = countsOffset + (partitionCount + 1) / 2 * 8
    var accounts: [IndexAccount] = []
    accounts.reserveCapacity(accountCount)
    for place in 0..<accountCount {
      let offset = accountsOffset + place * IndexAccount.wordCount * 8
      guard let account = IndexAccount.decode(words, at: offset) else { throw failure(.part) }
      accounts.append(account)
    }
    guard accounts.reduce(0 as UInt64, { $0 + UInt64($1.recordCount) }) == entryCount else {
      throw failure(.count)
    }
    return IndexPartHead(sequence: sequence, entryCounts: entryCounts, accounts: accounts)
  }

  private static func failure(_ field: FormatError.Field) -> FormatError {
    FormatError(.indexPart, .field(field))
  }
}
