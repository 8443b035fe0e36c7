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
  private var numbers: [Generation: Int] = [:]
  /// Those that may be emptied, and those that a superblock needs: on each shelf by the age of their last records.
  private var open = [SegmentOrder](repeating: SegmentOrder(), count: SegmentShelf.count)
  private var needed = [SegmentOrder](repeating: SegmentOrder(), count: SegmentShelf.count)
  /// Those that a superblock needs, by their generations.
  private var neededByGeneration = SegmentOrder()
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
  /// The bytes that have expired in all of them, though the index leads to them: a 16th of a segment more at the most
  /// than is certain.
  package private(set) var hiddenByteCount = 0
  /// Up to when it is known what has expired, and how often that became more.
  private var expiredUpTo: UInt64 = 0
  package private(set) var expiryCount: UInt64 = 0
  /// Those that may be emptied, by their floors.
  private var oldest = SegmentOrder()
  /// The bytes of the tombstones of those that can be read.
  package private(set) var tombstoneByteCount = 0
  /// The first generation that a superblock needs.
  private var neededGeneration = Generation.first

  package init() {}

  /// Whether any record was superseded or is a tombstone.
  package var hasDead: Bool { tombstoneByteCount > 0 || !guards.rows.isEmpty }

  // MARK: Coming and going

  /// Adds a segment that gets no more live records: one that was sealed, or one of survivors that the index leads to.
  package mutating func enter(_ entry: SegmentEntry, _ counts: SegmentCounts) {
    let row = LedgerRow(entry, counts, neededFrom: neededGeneration)
    let number = vacant.popLast() ?? rows.count
    if number == rows.count { rows.append(row) } else { rows[number] = row }
    numbers[row.generation] = number
    counts.ledgerNumber = number
    if row.latestExpiry != 0 { expiring.insert(.init(row.latestExpiry, row.generation)) }
    if row.nextExpiry != .max { nextExpiries.insert(.init(row.nextExpiry, row.generation)) }
    if row.keepsTombstones { keepingTombstones.insert(row.byHighest) }
    tombstoneByteCount += row.tombstoneByteCount
    list(row)
    put(number)
  }

  /// Forgets a segment that was freed, if it is there.
  package mutating func remove(_ generation: Generation) {
    guard let number = numbers.removeValue(forKey: generation), let row = rows[number] else { return }
    row.counts.noticeBelow = .min
    take(number)
    if row.isGuarding { guards.remove(row.byFloor) }
    if row.latestExpiry != 0 { expiring.remove(.init(row.latestExpiry, generation)) }
    if row.nextExpiry != .max { nextExpiries.remove(.init(row.nextExpiry, generation)) }
    if row.isHalfExpired { halfExpired.remove(row.byGeneration) }
    hiddenByteCount -= row.hiddenByteCount
    if row.keepsTombstones { keepingTombstones.remove(row.byHighest) }
    if !row.isRefused {
      tombstoneByteCount -= row.tombstoneByteCount
      unlist(row)
    }
    rows[number] = nil
    vacant.append(number)
  }

  /// Lets a segment stay as it is, because it cannot be read; what it holds has to stay hidden.
  package mutating func refuse(_ generation: Generation) {
    guard let number = numbers[generation], let row = rows[number], !row.isRefused else { return }
    take(number)
    tombstoneByteCount -= row.tombstoneByteCount
    unlist(row)
    rows[number]?.isRefused = true
  }

  /// Notes that superblocks need hot segments from a generation on only.
  package mutating func setNeeded(from generation: Generation) {
    neededGeneration = generation
    while let first = neededByGeneration.rows.first, first.generation < generation,
      let number = numbers[first.generation], let row = rows[number]
    {
      take(number)
      unlist(row)
      rows[number]?.isNeeded = false
      oldest.insert(row.byFloor)
      put(number)
    }
  }

  /// Moves a segment that is here, and whose live bytes have fallen below its mark, to where it belongs now.
  package mutating func noteShrunk(_ counts: SegmentCounts) {
    take(counts.ledgerNumber)
    put(counts.ledgerNumber)
  }

  /// Notes what the tombstones of a segment take, now that they were read.
  package mutating func note(tombstoneByteCount: Int, of generation: Generation) {
    guard let number = numbers[generation], let row = rows[number], !row.isRefused,
      row.tombstoneByteCount != tombstoneByteCount
    else { return }
    take(number)
    self.tombstoneByteCount += tombstoneByteCount - row.tombstoneByteCount
    row.counts.tombstoneByteCount = tombstoneByteCount
    rows[number]?.tombstoneByteCount = tombstoneByteCount
    put(number)
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
    change(number) { row, time in
      row.expiredByteCount = row.expiring.byteCount(expiredBy: time)
      row.hasExpiredLarge = row.expiring.largeCount(expiredBy: time) > 0
      row.nextExpiry = row.expiring.next(after: time)
    }
  }

  /// Notes that emptying a segment won nothing, so that what has expired of it is not what it seems to be.
  package mutating func noteNothingExpired(_ generation: Generation) {
    guard let number = numbers[generation] else { return }
    change(number) { row, _ in
      row.expiredByteCount = 0
      row.hasExpiredLarge = false
    }
  }

  /// Changes what is known to have expired of a segment.
  private mutating func change(_ number: Int, _ body: (inout LedgerRow, UInt64) -> Void) {
    guard var row = rows[number] else { return }
    take(number)
    if row.isHalfExpired { halfExpired.remove(row.byGeneration) }
    if row.nextExpiry != .max { nextExpiries.remove(.init(row.nextExpiry, row.generation)) }
    body(&row, expiredUpTo)
    rows[number] = row
    if row.nextExpiry != .max { nextExpiries.insert(.init(row.nextExpiry, row.generation)) }
    if row.isHalfExpired { halfExpired.insert(row.byGeneration) }
    put(number)
  }

  /// Moves all segments, after much has changed at once.
  package mutating func noteAllShrunk() {
    for number in numbers.values {
      take(number)
      put(number)
    }
  }

  private mutating func list(_ row: LedgerRow) {
    if row.isNeeded { neededByGeneration.insert(row.byGeneration) } else { oldest.insert(row.byFloor) }
  }

  private mutating func unlist(_ row: LedgerRow) {
    if row.isNeeded { neededByGeneration.remove(row.byGeneration) } else { oldest.remove(row.byFloor) }
  }

  /// Takes a segment from its shelf.
  private mutating func take(_ number: Int) {
    guard let row = rows[number], !row.isRefused else { return }
    if row.isNeeded { needed[row.shelf].remove(row.byHighest) } else { open[row.shelf].remove(row.byHighest) }
  }

  /// Puts a segment where it belongs.
  private mutating func put(_ number: Int) {
    guard let row = rows[number] else { return }
    let live = row.counts.liveByteCount
    var isGuarding = row.isGuarding
    if !isGuarding, row.supersededCount > 0 {
      isGuarding = true
      rows[number]?.isGuarding = true
      guards.insert(row.byFloor)
    }
    let tombstones = row.keptTombstoneByteCount
    let shelf = row.ownShelf
    rows[number]?.shelf = shelf
    // The first record that is superseded makes it a guard.
    let hidden = live - min(row.liveByteCount, live)
    hiddenByteCount += hidden - row.hiddenByteCount
    rows[number]?.hiddenByteCount = hidden
    var end = isGuarding ? SegmentShelf.leastByteCount(of: shelf, of: row.byteCount) - tombstones : live
    // Then fewer of these have expired.
    if hidden > 0 { end = max(end, live - row.byteCount / 16) }
    row.counts.noticeBelow = max(end, 1)
    if row.isRefused { return }
    if row.isNeeded { needed[shelf].insert(row.byHighest) } else { open[shelf].insert(row.byHighest) }
  }

  // MARK: Asking

  /// What hides superseded records where so many segments are emptied at once; the tail is given as it is now.
  package func guardFloor(emptying count: Int, tail: CompactionCandidate) -> GuardFloor {
    var lowest = Array(guards.rows.prefix(count + 2))
    if tail.supersededCount > 0 {
      var order = SegmentOrder()
      for row in lowest { order.insert(row) }
      order.insert(.init(tail.floor.rawValue, tail.generation))
      lowest = order.rows
    }
    return GuardFloor(lowest)
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
    guard let row = row(generation), !row.isRefused else { return nil }
    return row.candidate
  }

  /// Calls `body` with those of a shelf that may be emptied, the oldest first, until it returns false.
  ///
  /// A segment whose tombstones have to stay again, since others have come to hold what these hide, moves to where it
  /// belongs.
  package mutating func forEach(
    onShelf shelf: Int, _ guardFloor: GuardFloor, _ body: (CompactionCandidate) -> Bool
  ) {
    var misplaced: [Generation] = []
    for place in open[shelf].rows {
      guard let row = row(place.generation) else { continue }
      let candidate = row.candidate
      if !row.keepsTombstones, candidate.tombstoneByteCount > 0,
        SegmentShelf.number(keeping: candidate.keptByteCount(guardFloor), of: candidate.byteCount) > shelf
      {
        misplaced.append(place.generation)
      } else if !body(candidate) {
        break
      }
    }
    for generation in misplaced { setKeepsTombstones(true, generation) }
  }

  /// The oldest on each shelf of those that a superblock needs, and the oldest of all of these.
  package var neededCandidates: [CompactionCandidate] {
    let generations = needed.compactMap { $0.rows.first?.generation }
    let first = neededByGeneration.rows.prefix(1).map(\.generation).filter { !generations.contains($0) }
    return (first + generations).compactMap { candidate($0) }
  }

  /// Those that may be emptied, the lowest floor first.
  package var byFloor: some Sequence<CompactionCandidate> {
    oldest.rows.lazy.compactMap { candidate($0.generation) }
  }

  /// Counts tombstones no more that need not stay now.
  package mutating func settleTombstones(_ guardFloor: GuardFloor) {
    while let row = keepingTombstones.rows.first,
      guardFloor.allowsDropping(SequenceNumber(row.key)!, of: row.generation)
    {
      setKeepsTombstones(false, row.generation)
    }
  }

  private mutating func setKeepsTombstones(_ keepsTombstones: Bool, _ generation: Generation) {
    guard let number = numbers[generation], let row = rows[number], row.keepsTombstones != keepsTombstones
    else { return }
    take(number)
    rows[number]?.keepsTombstones = keepsTombstones
    if keepsTombstones {
      keepingTombstones.insert(row.byHighest)
    } else {
      keepingTombstones.remove(row.byHighest)
    }
    put(number)
  }

  private func row(_ generation: Generation) -> LedgerRow? {
    numbers[generation].flatMap { rows[$0] }
  }

  // MARK: Accounts

  /// What is not as it would be if the ledger were made anew of these segments, in words.
  package func findings(for segments: Set<Generation>) -> [String] {
    var findings: [String] = []
    for generation in segments.symmetricDifference(numbers.keys) {
      findings.append("the ledger and the catalogue differ by segment \(generation.rawValue)")
    }
    for case .some(let row) in rows where !row.isRefused {
      let name = "segment \(row.generation.rawValue)"
      let shelf = row.ownShelf
      if shelf != row.shelf { findings.append("\(name) stands on shelf \(row.shelf), not on \(shelf)") }
      let order = row.isNeeded ? needed[row.shelf] : open[row.shelf]
      if !order.contains(row.byHighest) { findings.append("\(name) does not stand on its shelf") }
      let isGuarding = row.supersededCount > 0
      if isGuarding != row.isGuarding || guards.contains(row.byFloor) != isGuarding {
        findings.append(
          "\(name) has \(row.supersededCount) superseded records, and guards: \(row.isGuarding)")
      }
    }
    return findings
  }
}
