/// What the words of an index part begin with, before its entries (DESIGN.md 3.9).
///
///     word  0    sequence of the last record before "replay from"
///           1    number of accounts (4), zeros (4)
///           2    number of the entries of each partition (4 each), zeros up to 8
///                accounts, in the last part alone: generation 8, collection 4, records 4, of them expiring 4, slots
///                of extents 4, bytes 8
///                entries, partition by partition
package struct IndexPartHead: Hashable, Sendable {
  /// The sequence of the last record before the place from which on the log may hold what the part lacks.
  package let sequence: SequenceNumber
  /// How many entries each partition of the part has.
  package let entryCounts: [UInt32]
  /// What the entries of all parts lead to; the last part has them, and the others none.
  package let accounts: [IndexAccount]

  package init(sequence: SequenceNumber, entryCounts: [UInt32], accounts: [IndexAccount]) {
    self.sequence = sequence
    self.entryCounts = entryCounts
    self.accounts = accounts
  }

  private static let fixedWordCount = 2

  /// The records that the accounts count.
  package var accountedCount: UInt64 { accounts.reduce(0) { $0 + UInt64($1.recordCount) } }

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

  /// How many words the head of a part has whose first words are given; nil if they are too few to tell.
  package static func wordCount(_ words: RawSpan, partitionCount: Int) -> Int? {
    guard words.byteCount >= fixedWordCount * 8 else { return nil }
    // Neither is larger than 32 bits, so the sum is far from an overflow.
    return wordCount(partitionCount: partitionCount, accountCount: Int(words.integer(UInt32.self, at: 8)))
  }

  /// Decodes the head of a part whose words are all given; its partitions must count `entryCount` entries, which fill
  /// the rest.
  package static func decode(
    _ words: RawSpan, partitionCount: Int, entryCount: UInt64
  ) throws(FormatError) -> IndexPartHead {
    guard let headWordCount = wordCount(words, partitionCount: partitionCount),
      headWordCount <= words.byteCount / 8, UInt64(words.byteCount / 8 - headWordCount) == entryCount
    else { throw failure(.count) }
    return try decode(first: words, partitionCount: partitionCount, entryCount: entryCount)
  }

  /// Decodes the head of a part of which at least the words of the head are given; its partitions must count
  /// `entryCount` entries.
  package static func decode(
    first words: RawSpan, partitionCount: Int, entryCount: UInt64
  ) throws(FormatError) -> IndexPartHead {
    guard let headWordCount = wordCount(words, partitionCount: partitionCount),
      headWordCount <= words.byteCount / 8
    else { throw failure(.count) }
    guard let sequence = SequenceNumber(words.integer(at: 0)) else { throw failure(.sequence) }
    let accountCount = Int(words.integer(UInt32.self, at: 8))
    guard words.integer(UInt32.self, at: 12) == 0 else { throw failure(.reserved) }
    let countsOffset = fixedWordCount * 8
    let entryCounts = (0..<partitionCount).map { words.integer(UInt32.self, at: countsOffset + $0 * 4) }
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
    return IndexPartHead(sequence: sequence, entryCounts: entryCounts, accounts: accounts)
  }

  private static func failure(_ field: FormatError.Field) -> FormatError {
    FormatError(.indexPart, .field(field))
  }
}

/// What a stored index leads to in one segment, of one collection.
package struct IndexAccount: Hashable, Sendable {
  /// The segment's.
  package let generation: Generation
  package let collection: UInt32
  package let recordCount: UInt32
  /// How many of the records expire some day.
  package let expiringCount: UInt32
  /// The whole bytes of the records.
  package let byteCount: UInt64
  /// The slots of the extents that large values among them lie in.
  package let extentSlotCount: UInt32

  /// Nil for what no records can come to.
  package init?(
    generation: Generation, collection: UInt32, recordCount: UInt32, expiringCount: UInt32, byteCount: UInt64,
    extentSlotCount: UInt32 = 0
  ) {
    guard recordCount >= 1, expiringCount <= recordCount,
      byteCount >= UInt64(recordCount) * UInt64(Limits.recordFixedByteCount),
      byteCount % UInt64(Limits.unitByteCount) == 0
    else { return nil }
    self.generation = generation
    self.collection = collection
    self.recordCount = recordCount
    self.expiringCount = expiringCount
    self.byteCount = byteCount
    self.extentSlotCount = extentSlotCount
  }

  static let wordCount = 4

  func encode(into pages: inout IndexPages) {
    pages.add(generation.rawValue)
    pages.add(UInt64(collection) | UInt64(recordCount) << 32)
    pages.add(UInt64(expiringCount) | UInt64(extentSlotCount) << 32)
    pages.add(byteCount)
  }

  /// Decodes the account at an offset where the caller knows enough bytes to be.
  static func decode(_ bytes: RawSpan, at offset: Int) -> IndexAccount? {
    guard let generation = Generation(bytes.integer(at: offset)) else { return nil }
    return IndexAccount(
      generation: generation, collection: bytes.integer(at: offset + 8),
      recordCount: bytes.integer(at: offset + 12), expiringCount: bytes.integer(at: offset + 16),
      byteCount: bytes.integer(at: offset + 24), extentSlotCount: bytes.integer(at: offset + 20))
  }
}
