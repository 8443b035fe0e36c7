/// The numbers of a store that are neither segments nor collections (DESIGN.md 3.6).
package struct StoreNumbers: Hashable, Sendable {
  package var nextGeneration: Generation
  package var nextCollection: UInt32
  package var nextDictionary: UInt32
  /// The slots of the file when the checkpoint was made; a hint.
  package var slotCount: UInt32
  /// All records up to this sequence are dead, but for those of the system's own collections.
  package var everythingClearedAt: SequenceNumber
  package var clocks: Clocks
  package var totals: Totals

  package init(
    nextGeneration: Generation, nextCollection: UInt32, nextDictionary: UInt32, slotCount: UInt32,
    everythingClearedAt: SequenceNumber, clocks: Clocks, totals: Totals
  ) {
    self.nextGeneration = nextGeneration
    self.nextCollection = nextCollection
    self.nextDictionary = nextDictionary
    self.slotCount = slotCount
    self.everythingClearedAt = everythingClearedAt
    self.clocks = clocks
    self.totals = totals
  }

  /// What is known of time, in milliseconds; a record's deletion goes by `deletion` alone (DESIGN.md 8).
  package struct Clocks: Hashable, Sendable {
    /// The highest wall clock seen.
    package var highest: UInt64 = 0
    /// What expired before this wall clock may be deleted.
    package var deletion: UInt64 = 0
    /// The wall clock that `deletion` takes once it was confirmed.
    package var candidate: UInt64 = 0
    /// How long writers had the file open in all, by clocks that cannot jump.
    package var observed: UInt64 = 0
    /// The value of `observed` when the candidate was chosen.
    package var candidateObserved: UInt64 = 0

    package init() {}
  }

  /// What happened since the file was made; for people.
  package struct Totals: Hashable, Sendable {
    package var userByteCount: UInt64 = 0
    package var writtenByteCount: UInt64 = 0
    package var movedByteCount: UInt64 = 0
    package var evictedCount: UInt64 = 0
    package var expiredCount: UInt64 = 0

    package init() {}
  }
}

extension StoreNumbers {
  private enum Place {
    static let nextCollection = 4
    static let nextGeneration = 8
    static let nextDictionary = 16
    static let slotCount = 20
    static let everythingClearedAt = 40
    static let clocksAndTotals = 48
  }

  /// The clocks and totals, of 8 bytes each, in the order in which they are stored.
  private static let clocksAndTotals: [any WritableKeyPath<StoreNumbers, UInt64> & Sendable] = [
    \.clocks.highest, \.clocks.deletion, \.clocks.candidate, \.clocks.observed, \.clocks.candidateObserved,
    \.totals.userByteCount, \.totals.writtenByteCount, \.totals.movedByteCount, \.totals.evictedCount,
    \.totals.expiredCount,
  ]

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(nextCollection, at: offset + Place.nextCollection)
    bytes.store(nextGeneration.rawValue, at: offset + Place.nextGeneration)
    bytes.store(nextDictionary, at: offset + Place.nextDictionary)
    bytes.store(slotCount, at: offset + Place.slotCount)
    bytes.store(everythingClearedAt.rawValue, at: offset + Place.everythingClearedAt)
    for (number, path) in Self.clocksAndTotals.enumerated() {
      bytes.store(self[keyPath: path], at: offset + Place.clocksAndTotals + 8 * number)
    }
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> StoreNumbers {
    guard let nextGeneration = Generation(bytes.integer(at: Place.nextGeneration)) else {
      throw CatalogueEntry.failure(.field(.generation))
    }
    let nextCollection: UInt32 = bytes.integer(at: Place.nextCollection)
    guard nextCollection >= 1, nextCollection <= CollectionEntry.systemNumberMin else {
      throw CatalogueEntry.failure(.field(.collection))
    }
    let nextDictionary: UInt32 = bytes.integer(at: Place.nextDictionary)
    guard nextDictionary >= 1, nextDictionary <= Limits.dictionaryNumberMax + 1 else {
      throw CatalogueEntry.failure(.field(.dictionary))
    }
    let slotCount: UInt32 = bytes.integer(at: Place.slotCount)
    guard slotCount <= Limits.fileSlotCountMax else { throw CatalogueEntry.failure(.field(.slots)) }
    guard let everythingClearedAt = SequenceNumber(bytes.integer(at: Place.everythingClearedAt)) else {
      throw CatalogueEntry.failure(.field(.sequence))
    }
    var numbers = StoreNumbers(
      nextGeneration: nextGeneration, nextCollection: nextCollection, nextDictionary: nextDictionary,
      slotCount: slotCount, everythingClearedAt: everythingClearedAt, clocks: Clocks(), totals: Totals())
    for (number, path) in clocksAndTotals.enumerated() {
      numbers[keyPath: path] = bytes.integer(at: Place.clocksAndTotals + 8 * number)
    }
    let clocks = numbers.clocks
    guard clocks.highest <= Limits.clockMax, clocks.deletion <= clocks.highest,
      clocks.candidate <= clocks.highest, clocks.observed <= Limits.clockMax,
      clocks.candidateObserved <= clocks.observed
    else { throw CatalogueEntry.failure(.field(.clock)) }
    return numbers
  }
}
