internal import Foundation

/// A query on its way through the archives, some of them at a time, in the order in which they were first recorded.
struct QueryRun<Archive: Archivable> {
  private let core: ArchiveCore<Archive>
  private var gathering: QueryGathering<Archive>
  private let last: UInt64
  private var number: UInt64 = 0
  private let fails: (any Error) throws -> Void
  /// Whether nothing can be found.
  private let isVain: Bool

  /// How many archives are looked at in the next step: few at first, because they may be enough.
  private var stepCount = 4
  private static var stepCountMax: Int { 64 }

  /// A query of what is there now.
  ///
  /// `fails` is told of each archive that could not be read, and throws to end the query.
  init(
    _ queries: [Query<Archive>], of core: ArchiveCore<Archive>, fails: @escaping (any Error) throws -> Void
  ) throws {
    self.core = core
    self.fails = fails
    let plan = QueryPlan(queries)
    gathering = QueryGathering(plan)
    last = core.lastNumber
    isVain = plan.problem != nil
    if let problem = plan.problem { try fails(problem) }
  }

  /// Looks at some archives; false if nothing remains to be done.
  mutating func step() throws -> Bool {
    guard !isVain, !gathering.isFull,
      let (found, last) = core.walk(after: number, through: last, countMax: stepCount)
    else { return false }
    number = last
    stepCount = Swift.min(2 * stepCount, Self.stepCountMax)
    // What is stored is read for all of them first, and what users wrote is called outside of the reading.
    var data = try core.read(found)[...]
    for place in found where !gathering.isFull {
      do {
        if let archive = try archive(place, &data) { gathering.take(archive) }
      } catch {
        try fails(error)
      }
    }
    return true
  }

  /// An archive, of what was read of those that are stored; nil if it is gone.
  private func archive(
    _ found: ArchiveParts.Found, _ data: inout ArraySlice<ArchiveParts.Stored?>
  ) throws -> Archive? {
    switch found {
    case .kept(let kept): return try core.archive(kept)
    case .stored(let key, let number):
      if let stored = data.popFirst() ?? nil {
        let (head, data) = try stored.get()
        return try core.decode(data, key, head)
      }
      return try core.keptSince(key, number).map { try core.archive($0) }
    }
  }

  /// What came of it.
  func finished() -> [Archive] { gathering.finished() }
}
