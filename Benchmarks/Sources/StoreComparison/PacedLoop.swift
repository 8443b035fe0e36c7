internal import CBench

/// A loop of single calls that goes on in pieces: slow stores do fewer than quick ones, and nobody takes hours.
///
/// Whoever runs it may have it stop for a sync now and then; the time of that counts.
package struct PacedLoop {
  /// How many calls there are between two looks at the clock, unless told.
  package static let pieceCount = 1000

  private let pieceCount: Int
  private let nanosecondsMax: UInt64
  private let nanosecondsBetweenSyncs: UInt64?
  private let now: () -> UInt64
  private let start: UInt64
  private var synced: UInt64

  /// How many calls were made so far.
  package private(set) var doneCount = 0

  /// Whether the time is over.
  package private(set) var isOver = false

  /// Begins now; without `secondsBetweenSyncs` there are none.
  package init(
    secondsMax: Double, secondsBetweenSyncs: Double? = nil, pieceCount: Int = PacedLoop.pieceCount,
    now: @escaping () -> UInt64 = bench_nanoseconds
  ) {
    self.pieceCount = pieceCount
    nanosecondsMax = UInt64(secondsMax * 1e9)
    nanosecondsBetweenSyncs = secondsBetweenSyncs.map { UInt64($0 * 1e9) }
    self.now = now
    start = now()
    synced = start
  }

  /// Makes so many calls, or fewer if the time is over before; returns how many.
  package mutating func run(
    _ count: Int, sync: () throws -> Void = {}, piece: (Range<Int>) throws -> Void
  ) throws -> Int {
    var done = 0
    while done < count, !isOver {
      let end = min(done + pieceCount, count)
      try piece(done..<end)
      doneCount += end - done
      done = end
      if let nanosecondsBetweenSyncs, now() - synced >= nanosecondsBetweenSyncs {
        try sync()
        synced = now()
      }
      isOver = now() - start >= nanosecondsMax
    }
    return done
  }
}
