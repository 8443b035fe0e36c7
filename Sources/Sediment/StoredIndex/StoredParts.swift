internal import SedimentFormat

/// The parts of a stored index whose heads are sound, and the tables that come of each (DESIGN.md 7, step 8).
///
/// Several threads may ask for tables.
struct StoredParts: Sendable {
  private let file: StoreFile
  private let identity: FileIdentity
  private let parts: [IndexPartEntry]
  private let places: IndexPlaces
  private let segmentCount: Int
  let load: IndexLoad
  /// What the accounts of all parts come to.
  let accounts: StoredAccounts
  /// The sequence of the last record that the parts know for certain.
  let sequence: SequenceNumber

  /// Reads and verifies what the parts say of themselves; nil if they are no good.
  init?(
    _ coverage: IndexCoverage, of segments: [SegmentEntry], in catalogue: Catalogue, _ file: StoreFile,
    _ identity: FileIdentity
  ) throws(SedimentError) {
    var accounts = StoredAccounts(coverage, of: segments, in: catalogue)
    var sequence: SequenceNumber?
    var entryCounts: [UInt32] = []
    let pages = IndexPartReading(file, identity)
    for part in coverage.parts {
      guard let head = try pages.readHead(part), sequence ?? head.sequence == head.sequence,
        accounts.add(head)
      else { return nil }
      sequence = head.sequence
      entryCounts += head.entryCounts
    }
    for (number, entry) in segments.enumerated() {
      guard accounts.live[number].byteCount <= UInt64(entry.identity.run.byteRange.count) else { return nil }
    }
    guard let sequence, let load = IndexLoad(keyHash: coverage.common.keyHash, entryCounts: entryCounts)
    else { return nil }
    self.file = file
    self.identity = identity
    parts = coverage.parts
    places = IndexPlaces(segments, coverage)
    segmentCount = segments.count
    self.load = load
    self.accounts = accounts
    self.sequence = sequence
  }

  var count: Int { parts.count }

  /// The number of the part that a hash belongs to.
  func number(of hash: UInt64) -> Int {
    let partition = UInt32(truncatingIfNeeded: hash >> (64 - load.baseBitCount))
    var (low, high) = (0, parts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if parts[middle].partitions.lowerBound <= partition { low = middle } else { high = middle }
    }
    return low
  }

  /// The first of a part's partitions.
  func firstPartition(_ number: Int) -> Int { Int(parts[number].partitions.lowerBound) }

  /// What is thrown for a part that is no good.
  func damage(_ number: Int) -> SedimentError {
    .damaged(
      "a part of the stored index is not whole", path: file.path,
      offset: parts[number].segment.run.byteRange.lowerBound)
  }

  /// The tables of a part's partitions; nil if the part is no good.
  ///
  /// It is good if all of it is as it should be: every page, the checksum of all, and as many entries for each segment as
  /// its accounts say.
  func tables(_ number: Int) throws(SedimentError) -> [IndexLoad.Tables]? {
    let pages = IndexPartReading(file, identity)
    // The entries lie in its memory.
    defer { withExtendedLifetime(pages) {} }
    guard let (head, entries) = unsafe try pages.read(parts[number]), head.sequence == sequence else {
      return nil
    }
    let isEmpty = accounts.isWhollyDead(head)
    var counts = [UInt32](repeating: 0, count: segmentCount)
    var tables: [IndexLoad.Tables] = []
    var start = 0
    for (place, count) in head.entryCounts.enumerated() {
      // The counts come to the number of the entries, as was checked.
      let some = unsafe UnsafeMutableBufferPointer(rebasing: entries[start..<start + Int(count)])
      let kept = isEmpty ? 0 : unsafe places.keep(some, counting: &counts)
      let rest = unsafe UnsafeMutableBufferPointer(rebasing: some[0..<kept])
      guard let filled = unsafe load.tables(of: firstPartition(number) + place, rest) else { break }
      tables.append(filled)
      start += Int(count)
    }
    guard tables.count == head.entryCounts.count, accounts.agree(head, with: counts) else {
      for some in tables { some.drop() }
      return nil
    }
    return tables
  }
}
