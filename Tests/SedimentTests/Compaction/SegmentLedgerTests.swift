import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// The ledger by which compaction finds what to empty without a look at all segments.
@Suite struct SegmentLedgerTests {
  /// A ledger beside all that it should know.
  private final class Books {
    var ledger = SegmentLedger()
    var segments: [Generation: (entry: SegmentEntry, counts: SegmentCounts)] = [:]
    private var blocks: [Generation: Segment] = [:]
    var refused: Set<Generation> = []
    var needed = Generation.first
    /// Up to when it is known what has expired.
    var time: UInt64 = 1
    private var count: UInt64 = 0
    private let file = FileIdentity(low: 1, high: 2)!

    deinit {
      for segment in blocks.values { unsafe segment.address.deallocate() }
    }

    func add(_ generator: inout SeededGenerator, slotCountMax: UInt32 = 8) {
      count += 1
      let slotCount = UInt32.random(in: 1...slotCountMax, using: &generator)
      let kind: SegmentKind = Bool.random(using: &generator) ? .hot : .survivors
      let puts = Int.random(in: 0...100, using: &generator)
      let tombstones =
        Int.random(in: 0...3, using: &generator) == 0 ? Int.random(in: 0...200, using: &generator) : 0
      let identity = SegmentIdentity(
        run: SlotRun(first: UInt32(count) * slotCountMax, count: slotCount)!, kind: kind,
        generation: Generation(count)!,
        salt: count)
      let highest = kind == .hot ? count * 100 : UInt64.random(in: 1...count * 100, using: &generator)
      // That of a hot segment is the end of the one before.
      let floor = kind == .hot ? count * 100 - 100 : UInt64.random(in: 0...count * 100, using: &generator)
      var entry = SegmentEntry(
        identity: identity, base: .zero,
        floor: SequenceNumber(floor)!,
        end: UnitOffset(identity.recordRange.lowerBound.rawValue + UInt64(slotCount) * 1_000)!,
        highest: SequenceNumber(highest)!,
        latestExpiry: Int.random(in: 0...5, using: &generator) == 0
          ? UInt64.random(in: 1...50, using: &generator) : 0,
        recordCount: UInt32(puts + tombstones), tombstoneCount: UInt32(tombstones), largeCount: 0)
      let segment = Segment(identity, base: .zero, in: file)
      let counts = segment.counts(WritePermit())
      counts.liveCount = puts
      counts.tombstoneByteCount = tombstones * 40
      counts.liveByteCount = puts * (Int(slotCount) * Limits.slotByteCount / 200)
      if Bool.random(using: &generator) {
        for lifetime in [1, 2_000, 100_000, 5_000_000] as [UInt64] where Bool.random(using: &generator) {
          entry.expiring.add(
            byteCount: Int.random(in: 0...Int(slotCount) * 4_000, using: &generator),
            isLarge: Int.random(in: 0...9, using: &generator) == 0,
            expiry: time + lifetime * 1_000, now: time)
        }
      }
      segments[identity.generation] = (entry, counts)
      blocks[identity.generation] = segment
      ledger.enter(entry, counts)
    }

    /// Lets some records of a segment die.
    func kill(_ generation: Generation, _ generator: inout SeededGenerator) {
      guard let (_, counts) = segments[generation], counts.liveCount > 0 else { return }
      let each = counts.liveByteCount / counts.liveCount
      for _ in 0..<Int.random(in: 1...counts.liveCount, using: &generator) {
        counts.liveByteCount -= each
        counts.liveCount -= 1
        if counts.liveByteCount < counts.noticeBelow { ledger.noteShrunk(counts) }
      }
    }

    func remove(_ generation: Generation) {
      guard segments.removeValue(forKey: generation) != nil else { return }
      ledger.remove(generation)
      refused.remove(generation)
      unsafe blocks.removeValue(forKey: generation)?.address.deallocate()
    }

    func refuse(_ generation: Generation) {
      guard segments[generation] != nil else { return }
      ledger.refuse(generation)
      refused.insert(generation)
    }

    /// What one knows who looks at all segments.
    func candidates(_ goal: CompactionPolicy.Goal, expiredUpTo: UInt64) -> [CompactionCandidate] {
      segments.values.filter { !refused.contains($0.entry.identity.generation) }.map { entry, counts in
        let isNeeded = entry.identity.kind == .hot && entry.identity.generation >= needed
        var candidate = CompactionCandidate(entry, counts, isBlocked: isNeeded)
        candidate.liveByteCount -= hiddenByteCount(entry, counts)
        candidate.mayBeExpired = entry.latestExpiry != 0 && entry.latestExpiry <= expiredUpTo
        if goal != .eviction, candidate.mayBeExpired { candidate.liveByteCount = 0 }
        return candidate
      }
    }

    /// How many of the bytes that the index leads to have expired, at least.
    func hiddenByteCount(_ entry: SegmentEntry, _ counts: SegmentCounts) -> Int {
      let lasting = Int(entry.identity.run.count) * 8_000 - entry.expiring.byteCount(expiredBy: time)
      return entry.expiring.next(after: 0) > time
        ? 0 : counts.liveByteCount - min(max(lasting, 0), counts.liveByteCount)
    }

    var guardRows: [SegmentOrder.Row] {
      segments.values
        .filter { CompactionCandidate($0.entry, $0.counts, isBlocked: false).supersededCount > 0 }
        .map { SegmentOrder.Row($0.entry.floor.rawValue, $0.entry.identity.generation) }.sorted()
    }
  }

  private static func expectSound(_ books: Books, _ seed: UInt64) {
    #expect(books.ledger.findings(for: Set(books.segments.keys)) == [], "seed \(seed)")
    let rows = books.guardRows
    var floor = books.ledger.guardFloor(emptying: 2, tail: nil)
    for removed in 0...2 where removed < rows.count {
      #expect(floor.owner == rows[removed].generation, "seed \(seed)")
      floor.remove(rows[removed].generation)
    }
    let tombstones = books.candidates(.balance, expiredUpTo: 0).reduce(0) { $0 + $1.tombstoneByteCount }
    #expect(books.ledger.tombstoneByteCount == tombstones, "seed \(seed)")
    var (hidden, slack) = (0, 0)
    for (entry, counts) in books.segments.values {
      let byteCount = books.hiddenByteCount(entry, counts)
      hidden += byteCount
      // So much may die of a segment before it is looked at again.
      if byteCount > 0 || counts.liveCount < Int(entry.recordCount) {
        slack += Int(entry.identity.run.count) * Limits.slotByteCount / 16
      }
    }
    #expect(hidden <= books.ledger.hiddenByteCount, "seed \(seed)")
    #expect(books.ledger.hiddenByteCount <= hidden + slack, "seed \(seed)")
  }

  @Test func `What the ledger names is chosen as if all segments had been looked at`() {
    for seed in 0..<UInt64(TestEffort.of(60, long: 2000)) {
      var generator = SeededGenerator(seed: seed)
      let books = Books()
      for step in 0..<120 {
        let generation = books.segments.keys.sorted().randomElement(using: &generator) ?? .first
        if Int.random(in: 0...3, using: &generator) == 0 {
          books.time += UInt64.random(in: 0...20_000_000, using: &generator)
          // A clock that was wrong is right again.
          if Int.random(in: 0...9, using: &generator) == 0 { books.time /= 2 }
          books.ledger.noteExpired(upTo: books.time)
        }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...3: books.add(&generator)
        case 4...8: books.kill(generation, &generator)
        case 9: books.remove(generation)
        case 10 where Int.random(in: 0...3, using: &generator) == 0: books.refuse(generation)
        default:
          books.needed = max(books.needed, generation)
          books.ledger.setNeeded(from: books.needed)
        }
        guard step % 8 == 0 else { continue }
        Self.expectSound(books, seed)
        let floor = books.ledger.guardFloor(emptying: CompactionPolicy.victimCountMax, tail: nil)
        for goal in [CompactionPolicy.Goal.balance, .everything, .room, .eviction] {
          let expiredUpTo = UInt64.random(in: 0...60, using: &generator)
          let list = books.ledger.shortlist(for: goal, floor, expiredUpTo: expiredUpTo) { _ in true }
          let choices = [list, books.candidates(goal, expiredUpTo: expiredUpTo)].map { candidates in
            CompactionPolicy(
              candidates, at: SequenceNumber(1_000_000)!, floor, liveByteCount: 100_000,
              tombstoneByteCount: books.ledger.tombstoneByteCount
            ).choose(goal)
          }
          #expect(choices[0] == choices[1], "seed \(seed), step \(step), \(goal)")
        }
      }
      Self.expectSound(books, seed)
    }
  }

  @Test func `What is looked at does not grow with the number of segments`() {
    var generator = SeededGenerator(seed: 1)
    let books = Books()
    for goal in [CompactionPolicy.Goal.balance, .everything, .room, .eviction] {
      for _ in 0..<2_000 {
        books.add(&generator, slotCountMax: 2)
        books.kill(books.segments.keys.randomElement(using: &generator)!, &generator)
      }
      books.needed = books.segments.keys.max()!
      books.ledger.setNeeded(from: books.needed)
      let floor = books.ledger.guardFloor(emptying: CompactionPolicy.victimCountMax, tail: nil)
      var looks = 0
      let list = books.ledger.shortlist(for: goal, floor, expiredUpTo: 0) { _ in
        looks += 1
        return true
      }
      #expect(list.count <= looks)
      #expect(
        looks <= 2 * SegmentShelf.count * (SegmentLedger.countOfShelf + 1) + CompactionPolicy.victimCountMax)
    }
  }
}
