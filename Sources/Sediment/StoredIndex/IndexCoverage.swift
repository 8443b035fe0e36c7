internal import SedimentFormat

/// What the parts of a stored index know together, and so what of the log need not be scanned (DESIGN.md 7, step 8).
struct IndexCoverage {
  /// The parts in the order of their partitions.
  let parts: [IndexPartEntry]
  /// What all of them have in common.
  private let common: IndexPartEntry

  /// Nil if the parts do not count together: all of one build and moment, with each partition once.
  ///
  /// Nil also if their entries were hashed in another way than keys are now.
  init?(_ parts: [IndexPartEntry]) {
    guard let common = parts.first, common.hashVersion == KeyHash.version else { return nil }
    let ordered = parts.sorted { $0.partitions.lowerBound < $1.partitions.lowerBound }
    var next: UInt32 = 0
    for part in ordered {
      guard part.build == common.build, part.keyHash == common.keyHash,
        part.hashVersion == common.hashVersion,
        part.partitionTotal == common.partitionTotal, part.replayFrom == common.replayFrom,
        part.generationLimit == common.generationLimit, part.partitions.lowerBound == next
      else { return nil }
      next = part.partitions.upperBound
    }
    guard next == common.partitionTotal else { return nil }
    self.parts = ordered
    self.common = common
  }

  var keyHash: KeyHash { common.keyHash }
  var partitionCount: Int { Int(common.partitionTotal) }
  /// The hot log from here on may hold what the parts lack.
  var replayFrom: LogPosition { common.replayFrom }
  /// The segments of this generation and of higher ones may hold what the parts lack.
  var generationLimit: Generation { common.generationLimit }

  /// The entries of all parts, each of which has bytes of the file.
  var entryCount: Int {
    Int(clamping: parts.reduce(0 as UInt64) { $0 &+ $1.entryCount })
  }

  /// What of a segment the parts do not know.
  enum Rest {
    case nothing
    case everything
    /// The records behind a position.
    case behind(UnitOffset)
  }

  /// What is to be scanned of a hot or survivors segment.
  func rest(of entry: SegmentEntry) -> Rest {
    let generation = entry.identity.generation
    if generation >= generationLimit { return .everything }
    guard entry.identity.kind == .hot, generation >= replayFrom.generation else { return .nothing }
    return generation == replayFrom.generation ? .behind(replayFrom.offset) : .everything
  }

  /// Whether the place from which on the log is scanned, if its segment is still there, is one of its records'.
  func fits(_ segments: [SegmentEntry], end: LogPosition) -> Bool {
    guard let entry = segments.first(where: { $0.identity.generation == replayFrom.generation }) else {
      return replayFrom < end
    }
    let range = entry.identity.recordRange
    return entry.identity.kind == .hot && range.contains(replayFrom.offset)
      && replayFrom.offset <= entry.end ?? end.offset
  }
}
