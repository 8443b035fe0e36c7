internal import SedimentFormat

/// The parts of a stored index, and the tables that come of each (DESIGN.md 7, step 8).
///
/// Several threads may ask for tables.
struct StoredParts: Sendable {
  private let file: StoreFile
  private let identity: FileIdentity
  private let parts: [IndexPartEntry]
  private let places: IndexPlaces
  let load: IndexLoad
  /// What the entries of all parts lead to, as the last part says.
  let accounts: StoredAccounts
  /// The sequence of the last record that the parts know for certain.
  let sequence: SequenceNumber

  /// Reads and verifies what the last part says of all; nil if it is no good.
  init?(
    _ coverage: IndexCoverage, of segments: [SegmentEntry], in catalogue: Catalogue, _ file: StoreFile,
    _ identity: FileIdentity
  ) throws(SedimentError) {
    self.file = file
    self.identity = identity
    parts = coverage.parts
    guard let last = parts.last,
      let head = try IndexPartReading(file, identity).readHead(last),
      head.accountedCount == Self.entryCount(of: parts),
      let accounts = StoredAccounts(head, coverage, of: segments, in: catalogue),
      let load = IndexLoad(
        keyHash: coverage.common.keyHash, partitionCount: Int(coverage.common.partitionTotal),
        splitBitCount: UInt64(coverage.common.splitBitCount),
        // What the parts are said to have takes memory only as far as the file has blocks that could hold it.
        entryCount: Int(clamping: min(Self.entryCount(of: parts), try file.allocatedByteCount() / 8)),
        largestCount: parts.reduce(0) { max($0, Int($1.entryCount) / $1.partitions.count) })
    else { return nil }
    sequence = head.sequence
    self.accounts = accounts
    places = IndexPlaces(segments, coverage, leavingOut: accounts.cleared)
    self.load = load
  }

  var count: Int { parts.count }

  /// The number of the part that a hash belongs to.
  func number(of hash: UInt64) -> Int {
    let partition = UInt32(truncatingIfNeeded: hash >> (64 - load.partitionBitCount))
    return max(parts.firstIndexByHalving { $0.partitions.lowerBound > partition }, 1) - 1
  }

  /// The first of a part's partitions.
  func firstPartition(_ number: Int) -> Int { Int(parts[number].partitions.lowerBound) }

  /// What is thrown for a part that is no good.
  func damage(_ number: Int) -> SedimentError {
    .damaged(
      "a part of the stored index is not whole", path: file.path,
      offset: parts[number].segment.run.byteRange.lowerBound)
  }

  /// The tables of a part's partitions, and how many of its entries lead to each segment; nil if the part is no good.
  ///
  /// It is good if every page of it is sound, and the checksum of all, and if the last part alone has accounts.
  func tables(_ number: Int) throws(SedimentError) -> (tables: [IndexLoad.Tables], counts: [UInt32])? {
    let pages = IndexPartReading(file, identity)
    // The entries lie in its memory.
    defer { withExtendedLifetime(pages) {} }
    guard let (head, entries) = unsafe try pages.read(parts[number]), head.sequence == sequence,
      head.accounts.isEmpty || number == parts.count - 1
    else { return nil }
    var counts = [UInt32](repeating: 0, count: accounts.live.count)
    var tables: [IndexLoad.Tables] = []
    var start = 0
    for (place, count) in head.entryCounts.enumerated() {
      // The counts come to the number of the entries, as was checked.
      let some = unsafe UnsafeMutableBufferPointer(rebasing: entries[start..<start + Int(count)])
      let kept = unsafe places.keep(some, counting: &counts)
      let rest = unsafe UnsafeMutableBufferPointer(rebasing: some[0..<kept])
      guard let filled = unsafe load.tables(of: firstPartition(number) + place, rest) else {
        for some in tables { some.drop() }
        return nil
      }
      tables.append(filled)
      start += Int(count)
    }
    return (tables, counts)
  }

  /// The entries of some parts; what one has is bounded by its pages, so the sum is far from an overflow.
  private static func entryCount(of parts: [IndexPartEntry]) -> UInt64 {
    parts.reduce(0) { $0 + $1.entryCount }
  }
}
