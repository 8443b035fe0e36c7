internal import SedimentFormat

/// What the parts of a stored index say by their accounts, summed up: no record is read for it.
struct StoredAccounts {
  /// What the parts lead to in each segment, by the segments' numbers.
  private(set) var live: [IndexBuildResult.Live]
  /// The keys of each collection.
  private(set) var collections: [UInt32: IndexBuildResult.Keys] = [:]
  /// Whether some entries lead to records that were cleared since.
  private(set) var hasDead = false
  private let catalogue: Catalogue
  private let numbers: SegmentNumbers
  private let generationLimit: Generation

  /// For the hot and survivors segments of a catalogue, by whose numbers here what lives in them is counted.
  init(_ coverage: IndexCoverage, of segments: [SegmentEntry], in catalogue: Catalogue) {
    live = Array(repeating: IndexBuildResult.Live(), count: segments.count)
    self.catalogue = catalogue
    numbers = SegmentNumbers(segments)
    generationLimit = coverage.common.generationLimit
  }

  /// How many entries of the parts count.
  var entryCount: UInt64 { live.reduce(0) { $0 + UInt64($1.recordCount) } }

  /// Adds what a part says; false if that is more than a segment can hold.
  mutating func add(_ head: IndexPartHead) -> Bool {
    if isWhollyDead(head) { return true }
    for account in head.accounts {
      guard let number = number(of: account) else { continue }
      let (records, isTooMany) = live[number].recordCount.addingReportingOverflow(account.recordCount)
      let (bytes, isTooLong) = live[number].byteCount.addingReportingOverflow(account.byteCount)
      if isTooMany || isTooLong { return false }
      live[number] = IndexBuildResult.Live(recordCount: records, byteCount: bytes)
      let deadUpTo = catalogue.deadUpTo(collection: account.collection)
      if let deadUpTo, deadUpTo <= head.sequence {
        collections[account.collection, default: IndexBuildResult.Keys()].add(account)
      } else {
        hasDead = true
      }
    }
    return true
  }

  /// Whether the entries that were taken of a part, counted for each segment, are those that its accounts count.
  func agree(_ head: IndexPartHead, with counts: [UInt32]) -> Bool {
    var counts = counts
    if !isWhollyDead(head) {
      for account in head.accounts {
        guard let number = number(of: account) else { continue }
        let (rest, isTooFew) = counts[number].subtractingReportingOverflow(account.recordCount)
        if isTooFew { return false }
        counts[number] = rest
      }
    }
    return counts.allSatisfy { $0 == 0 }
  }

  /// Whether all records of a part were cleared: they need not come back to be swept out.
  func isWhollyDead(_ head: IndexPartHead) -> Bool {
    catalogue.numbers.everythingClearedAt > head.sequence
      && !head.accounts.contains { $0.collection >= CollectionEntry.systemNumberMin }
  }

  /// The number of an account's segment, if that is still there and the parts know all of it.
  private func number(of account: IndexAccount) -> Int? {
    account.generation < generationLimit ? numbers.number(of: account.generation) : nil
  }
}

extension IndexBuildResult.Keys {
  fileprivate mutating func add(_ account: IndexAccount) {
    count &+= UInt64(account.recordCount)
    expiringCount &+= UInt64(account.expiringCount)
    extentSlotCount &+= UInt64(account.extentSlotCount)
  }
}

/// Finds the numbers of segments that are ordered by their generations.
private struct SegmentNumbers {
  private let generations: [UInt64]
  /// Where the generations lie close together, the number of each and one more, from the first on; else empty.
  private let dense: [UInt32]

  /// So many places for each segment are not too many for being found at once.
  private static let placesPerSegment: UInt64 = 16

  init(_ segments: [SegmentEntry]) {
    generations = segments.map(\.identity.generation.rawValue)
    guard let first = generations.first, let last = generations.last,
      last - first < UInt64(generations.count) * Self.placesPerSegment
    else {
      dense = []
      return
    }
    var dense = [UInt32](repeating: 0, count: Int(last - first) + 1)
    for (number, generation) in generations.enumerated() {
      dense[Int(generation - first)] = UInt32(number) + 1
    }
    self.dense = dense
  }

  func number(of generation: Generation) -> Int? {
    let wanted = generation.rawValue
    guard let first = generations.first, wanted >= first else { return nil }
    if !dense.isEmpty {
      let place = wanted - first
      guard place < UInt64(dense.count) else { return nil }
      return Int(dense[Int(place)]) - 1 < 0 ? nil : Int(dense[Int(place)]) - 1
    }
    var (low, high) = (0, generations.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if generations[middle] <= wanted { low = middle } else { high = middle }
    }
    return generations[low] == wanted ? low : nil
  }
}
