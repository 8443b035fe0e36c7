package import SedimentFormat

/// The segments with records, but for the tail, in the orders in which compaction asks for them: no step of it looks at
/// all of them (DESIGN.md 8, "Choosing").
///
/// A segment moves to another shelf as its records die. It is told so by `noteShrunk` when its live bytes fall below
/// `SegmentCounts.noticeBelow`, which is where its shelf ends.
package struct SegmentLedger {
  /// The segments by the numbers that they have here, and the numbers that none has now.
  private var rows: [LedgerRow?] = []
  private var vacant: [Int] = []
  /// Those that cannot be read.
  package private(set) var refused: Set<Generation> = []
  private var numbers: [Generation: Int] = [:]
  /// Those that may be emptied, on each shelf by the age of their last records; then those that a superblock needs.
  private var shelves = [SegmentOrder](repeating: SegmentOrder(), count: 2 * SegmentShelf.count)
  /// Those that a superblock needs, by their generations.
  private var needed = SegmentOrder()
  /// Those that may be emptied, by their floors.
  private var open = SegmentOrder()
  /// Those that hold superseded records, by their floors.
  private var guards = SegmentOrder()
  /// Those whose tombstones count as something to keep, by the sequence of their last records.
  private var keepingTombstones = SegmentOrder()
  /// Those whose puts all expire, by when the last of them does.
  private var expiring = SegmentOrder()
  /// Those of which more will expire, by when.
  private var nextExpiries = SegmentOrder()
  /// Those of which half or more has expired, or large values have.
  private var halfExpired = SegmentOrder()
  /// The bytes of expired records to which the index still leads; at most a 16th of each segment more than is certain.
  package private(set) var hiddenByteCount = 0
  /// The bytes that emptying segments would win, if no superblock needed them; at most a 16th of each segment less than
  /// is certain.
  package private(set) var heldByteCount = 0
  /// The time up to which it is known what has expired, and how often more was found to have.
  private var expiredUpTo: UInt64 = 0
  package private(set) var expiryCount: UInt64 = 0
  /// The bytes of the tombstones of those that can be read.
  package private(set) var tombstoneByteCount = 0
  /// The first generation that a superblock needs.
  private var neededGeneration = Generation.first

  package init() {}

  /// Whether any record was superseded or is a tombstone.
  package var hasDead: Bool { tombstoneByteCount > 0 || !guards.rows.isEmpty }

  // MARK: Coming and going

  /// Makes room for so many segments.
  mutating func reserve(_ count: Int) {
    rows.reserveCapacity(count)
    numbers.reserveCapacity(count)
  }

  /// Adds a segment that gets no more live records: one that was sealed, or one of survivors that the index leads to.
  package mutating func enter(_ entry: SegmentEntry, _ counts: SegmentCounts) {
    let number = vacant.popLast() ?? rows.count
    if number == rows.count { rows.append(nil) }
    numbers[entry.identity.generation] = number
    counts.ledgerNumber = number
    var row = LedgerRow(entry, counts, neededFrom: neededGeneration)
    row.isRefused = refused.contains(row.generation)
    row.settle()
    replace(number, by: row)
  }

  /// Forgets a segment that was freed, if it is there.
  package mutating func remove(_ generation: Generation) {
    guard let number = numbers.removeValue(forKey: generation) else { return }
    rows[number]?.counts.noticeBelow = .min
    replace(number, by: nil)
    vacant.append(number)
  }

  /// Lets a segment, which may be the tail, stay as it is, because it cannot be read; what it holds has to stay hidden.
  package mutating func refuse(_ generation: Generation) {
    refused.insert(generation)
    if let number = numbers[generation] { update(number) { row in row.isRefused = true } }
  }

  /// Notes that superblocks need hot segments from a generation on only.
  package mutating func setNeeded(from generation: Generation) {
    neededGeneration = generation
    while let first = needed.rows.first, first.generation < generation, let number = numbers[first.generation]
    {
      update(number) { row in row.isNeeded = false }
    }
  }

  /// Moves a segment that is here, and whose live bytes have fallen below its mark, to where it belongs now.
  package mutating func noteShrunk(_ counts: SegmentCounts) {
    update(counts.ledgerNumber) { _ in }
  }

  /// Moves all segments, after much has changed at once.
  package mutating func noteAllShrunk() {
    for number in numbers.values { update(number) { _ in } }
  }

  /// Notes what the tombstones of a segment take, now that they were read.
  package mutating func note(tombstoneByteCount: Int, of generation: Generation) {
    guard let number = numbers[generation] else { return }
    update(number) { row in
      row.counts.tombstoneByteCount = tombstoneByteCount
      row.tombstoneByteCount = tombstoneByteCount
    }
  }

  /// Notes what has expired by a time.
  package mutating func noteExpired(upTo time: UInt64) {
    let wholeCount = expiring.count(upTo: time)
    if wholeCount != expiring.count(upTo: expiredUpTo) { expiryCount &+= 1 }
    // By a clock that was wrong more had expired.
    let isBack = time < expiredUpTo
    expiredUpTo = time
    if isBack {
      for number in rows.indices where (rows[number]?.expiredByteCount ?? 0) > 0 { noteExpired(number) }
    }
    while let first = nextExpiries.rows.first, first.key <= time, let number = numbers[first.generation] {
      expiryCount &+= 1
      noteExpired(number)
    }
  }

  /// Notes what has expired of a segment by now.
  private mutating func noteExpired(_ number: Int) {
    let time = expiredUpTo
    update(number) { row in
      row.expiredByteCount = row.entry.expiring.byteCount(expiredBy: time)
      row.hasExpiredLarge = row.entry.expiring.largeCount(expiredBy: time) > 0
      row.nextExpiry = row.entry.expiring.next(after: time)
    }
  }

  /// Notes that emptying a segment won nothing, so that what has expired of it is not what it seems to be.
  package mutating func noteNothingExpired(_ generation: Generation) {
    guard let number = numbers[generation] else { return }
    update(number) { row in
      row.expiredByteCount = 0
      row.hasExpiredLarge = false
    }
  }

  private mutating func setKeepsTombstones(_ keepsTombstones: Bool, _ generation: Generation) {
    if let number = numbers[generation] { update(number) { row in row.keepsTombstones = keepsTombstones } }
  }

  /// Changes what is known of a segment, and moves it to where it belongs then.
  private mutating func update(_ number: Int, _ change: (inout LedgerRow) -> Void) {
    guard var row = rows[number] else { return }
    change(&row)
    row.settle()
    replace(number, by: row)
  }

  /// Keeps what is known of a segment now, or forgets it: all orders and sums follow.
  private mutating func replace(_ number: Int, by new: LedgerRow?) {
    let old = rows[number]?.places ?? LedgerPlaces()
    rows[number] = new
    let new = rows[number]?.places ?? LedgerPlaces()
    if old.shelf != new.shelf || old.onShelf != new.onShelf {
      if let shelf = old.shelf { shelves[shelf].replace(old.onShelf, by: nil) }
      if let shelf = new.shelf { shelves[shelf].replace(nil, by: new.onShelf) }
    }
    needed.replace(old.asNeeded, by: new.asNeeded)
    open.replace(old.asOpen, by: new.asOpen)
    guards.replace(old.asGuard, by: new.asGuard)
    keepingTombstones.replace(old.asKeeper, by: new.asKeeper)
    expiring.replace(old.asExpiring, by: new.asExpiring)
    nextExpiries.replace(old.byNextExpiry, by: new.byNextExpiry)
    halfExpired.replace(old.asHalfExpired, by: new.asHalfExpired)
    hiddenByteCount += new.hiddenByteCount - old.hiddenByteCount
    tombstoneByteCount += new.tombstoneByteCount - old.tombstoneByteCount
    heldByteCount += new.heldByteCount - old.heldByteCount
  }

  // MARK: Asking

  /// What hides superseded records where so many segments are emptied at once, the tail among it if it is given.
  package func guardFloor(emptying count: Int, tail: SegmentOrder.Row?) -> GuardFloor {
    GuardFloor((guards.rows.prefix(count + 2) + [tail].compactMap { $0 }).sorted())
  }

  /// Until when nothing expires that has not by then; the highest number if nothing does.
  package func nextExpiry(behind time: UInt64) -> UInt64 {
    min(expiring.first(behind: time), nextExpiries.first(behind: time))
  }

  /// Those of which half or more has expired, or large values have.
  package var mostlyExpired: some Sequence<Generation> { halfExpired.rows.lazy.map(\.generation) }

  /// Those that have expired as a whole, the first of them first.
  package func expired(upTo time: UInt64) -> some Sequence<Generation> {
    expiring.rows.prefix(expiring.count(upTo: time)).lazy.map(\.generation)
  }

  /// What is known of a segment; nil if it is not there, or cannot be read.
  package func candidate(_ generation: Generation) -> CompactionCandidate? {
    row(generation).flatMap { $0.isRefused ? nil : $0.candidate }
  }

  /// Calls `body` with those of a shelf that may be emptied, the oldest first, until it returns false.
  ///
  /// A segment whose tombstones have to stay again, since others have come to hold what these hide, moves to where it
  /// belongs.
  private mutating func forEach(
    onShelf shelf: Int, _ guardFloor: GuardFloor, _ body: (CompactionCandidate) -> Bool
  ) {
    var misplaced: [Generation] = []
    for place in shelves[shelf].rows {
      guard let row = row(place.generation) else { continue }
      let candidate = row.candidate
      if !row.keepsTombstones, candidate.tombstoneByteCount > 0, candidate.shelf(guardFloor) > shelf {
        misplaced.append(place.generation)
      } else if !body(candidate) {
        break
      }
    }
    for generation in misplaced { setKeepsTombstones(true, generation) }
  }

  /// Counts tombstones no more that need not stay now.
  private mutating func settleTombstones(_ guardFloor: GuardFloor) {
    while let row = keepingTombstones.rows.first,
      guardFloor.allowsDropping(SequenceNumber(row.key)!, of: row.generation)
    {
      setKeepsTombstones(false, row.generation)
    }
  }

  private func row(_ generation: Generation) -> LedgerRow? {
    numbers[generation].flatMap { rows[$0] }
  }

  // MARK: Choosing

  /// The segments that may be worth most for a goal: about as many as one choice can name, however many there are.
  ///
  /// Of those on one shelf the oldest, and as many of those that a superblock needs, which are blocked.
  package mutating func shortlist(
    for goal: CompactionPolicy.Goal, _ guardFloor: GuardFloor, expiredUpTo: UInt64,
    where isWanted: (CompactionCandidate) -> Bool
  ) -> [CompactionCandidate] {
    settleTombstones(guardFloor)
    let countMax = CompactionPolicy.victimCountMax
    var list: [CompactionCandidate] = []
    var known: Set<Generation> = []
    /// Adds a segment that is wanted, if it is not there; whether it was added.
    func add(_ candidate: CompactionCandidate?, _ mark: (inout CompactionCandidate) -> Void = { _ in })
      -> Bool
    {
      guard var candidate, isWanted(candidate), known.insert(candidate.generation).inserted else {
        return false
      }
      mark(&candidate)
      list.append(candidate)
      return true
    }
    for generation in expired(upTo: expiredUpTo) where list.count < countMax {
      _ = add(candidate(generation)) { candidate in
        candidate.mayBeExpired = true
        // For good; where the goal is to evict, by the wall clock alone.
        if goal != .eviction { candidate.liveByteCount = 0 }
      }
    }
    for generation in mostlyExpired where list.count < countMax {
      _ = add(candidate(generation)) { candidate in candidate.isMostlyExpired = true }
    }
    _ = add(needed.rows.first.flatMap { candidate($0.generation) })
    for shelf in shelves[SegmentShelf.count...] {
      for row in shelf.rows.prefix(Self.countOfShelf) { _ = add(candidate(row.generation)) }
    }
    switch goal {
    case .eviction:
      for row in open.rows {
        if list.count >= 2 * countMax { break }
        _ = add(candidate(row.generation))
      }
    case .balance, .everything, .room:
      for shelf in 0...SegmentShelf.last(for: goal) {
        var left = goal == .room ? countMax - list.count : Self.countOfShelf
        forEach(onShelf: shelf, guardFloor) { candidate in
          if left > 0, add(candidate) { left -= 1 }
          return left > 0
        }
      }
      _ = add(guardFloor.owner.flatMap { candidate($0) })
    }
    return list
  }

  /// So many segments of each shelf are compared by their age.
  package static let countOfShelf = 32

  // MARK: Accounts

  /// What is not as it would be if the ledger were made anew of these segments, in words.
  package func findings(for segments: Set<Generation>) -> [String] {
    var findings: [String] = []
    for generation in segments.symmetricDifference(numbers.keys) {
      findings.append("the ledger and the catalogue differ by segment \(generation.rawValue)")
    }
    for case .some(let row) in rows where !row.isRefused {
      let name = "segment \(row.generation.rawValue)"
      let shelf = row.candidate.shelf(withTombstones: row.keepsTombstones)
      if shelf != row.shelf { findings.append("\(name) stands on shelf \(row.shelf), not on \(shelf)") }
      let places = row.places
      if let place = places.onShelf, let shelf = places.shelf, !shelves[shelf].contains(place) {
        findings.append("\(name) does not stand on its shelf")
      }
      let supersededCount = row.candidate.supersededCount
      let isGuard = places.asGuard.map { guards.contains($0) } ?? false
      if isGuard != (supersededCount > 0) {
        findings.append("\(name) has \(supersededCount) superseded records, and guards: \(isGuard)")
      }
    }
    return findings
  }
}
