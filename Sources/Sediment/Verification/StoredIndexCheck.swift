internal import SedimentFormat

/// Holds the index that an opening would take from the stored one against the records of the log.
///
/// Records are shown in any order, each once. The entries that lead to a shown record under the hash of its key must be
/// all that the index has, and those of records that live must be the ones that a scan of the log comes to. Sets of
/// positions are compared by their sizes and sums of hashes, so nothing is kept of a record.
struct StoredIndexCheck {
  private let index: HashIndex
  private let built: IndexBuildResult
  private let positionHash: KeyHash
  /// The entries that lead to a record that was shown.
  private var foundCount = 0
  /// Those of them whose record was not cleared.
  private var live = PositionSum()

  /// The index of a log as an opening by the stored parts makes it; nil if the log has none that counts, or it cannot be
  /// had.
  init?(_ log: RecoveredLog, _ surveyed: SurveyedFile, keyHash: KeyHash) {
    guard let coverage = IndexCoverage(log.catalogue.indexParts) else { return nil }
    // Two threads read it, and only this one may ask whether to stop.
    let file = surveyed.file.unmetered
    index = HashIndex(keyHash: keyHash) { $0.free() }
    positionHash = keyHash
    let source = RecordSource(file, byteCount: surveyed.byteCount)
    guard let built = try? IndexBuild(log, of: file).run(into: index, source),
      index.view.keyHash == coverage.common.keyHash
    else { return nil }
    self.built = built
  }

  /// Takes a record of a user.
  mutating func take(_ key: RawSpan, _ collection: UInt32, at position: UInt64, isCleared: Bool) {
    let hash = index.view.hash(key, collection: collection)
    guard index.view.find(hash, at: position) != nil else { return }
    foundCount += 1
    if !isCleared { live.add(position, positionHash) }
  }

  /// Whether the stored index leads to the same records as an index that was made of all that were shown, and counts them
  /// alike.
  func agrees(
    with scanned: HashIndex, _ segments: [IndexBuildResult.Live],
    _ collections: [UInt32: IndexBuildResult.Keys]
  ) -> Bool {
    var scannedSum = PositionSum()
    var walk = IndexWalk()
    while case .entries = walk.advance(in: scanned.view) {
      for entry in walk.entries { scannedSum.add(entry.position, positionHash) }
    }
    return foundCount == index.count && live == scannedSum && built.collections == collections
      && (built.hasDead || built.segments.map(\.live) == segments)
  }
}

/// A set of positions, known by its size and the sum of their hashes.
private struct PositionSum: Equatable {
  private var count: UInt64 = 0
  private var sum: UInt64 = 0

  mutating func add(_ position: UInt64, _ hash: KeyHash) {
    count += 1
    var bytes = position
    sum &+= unsafe withUnsafeBytes(of: &bytes) { hash.hash(unsafe RawSpan(_unsafeBytes: $0), collection: 0) }
  }
}
