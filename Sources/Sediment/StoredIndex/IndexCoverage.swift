internal import SedimentFormat

/// What the parts of a stored index know together, and so what of the log need not be scanned (DESIGN.md 7, step 8).
struct IndexCoverage {
  /// The parts in the order of their partitions.
  let parts: [IndexPartEntry]
  /// Any of them, for what all have in common: the log from its "replay from" on, and the segments of its generation limit
  /// and of higher ones, may hold what the parts lack.
  let common: IndexPartEntry

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
        part.partitionTotal == common.partitionTotal,
        part.splitBitCount == common.splitBitCount, part.replayFrom == common.replayFrom,
        part.generationLimit == common.generationLimit, part.partitions.lowerBound == next
      else { return nil }
      next = part.partitions.upperBound
    }
    guard next == common.partitionTotal else { return nil }
    self.parts = ordered
    self.common = common
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
    if generation >= common.generationLimit { return .everything }
    guard entry.identity.kind == .hot, generation >= common.replayFrom.generation else { return .nothing }
    return generation == common.replayFrom.generation ? .behind(common.replayFrom.offset) : .everything
  }

  /// Whether the place from which on the log is scanned, if its segment is still there, is one of its records'.
  func fits(_ segments: [SegmentEntry], end: LogPosition) -> Bool {
    guard let entry = segments.first(where: { $0.identity.generation == common.replayFrom.generation }) else {
      return common.replayFrom < end
    }
    let range = entry.identity.recordRange
    return entry.identity.kind == .hot && range.contains(common.replayFrom.offset)
      && common.replayFrom.offset <= entry.end ?? end.offset
  }
}

/// Tells which segment a stored entry leads to, if it counts (DESIGN.md 7, step 8).
struct IndexPlaces: Sendable {
  /// For each slot of the file, the number of its segment and one more; 0 where no entry counts.
  private let numbers: [UInt32]
  /// The number of the segment in which the place to replay from lies, and one more; and that place.
  private let last: UInt32
  private let end: UInt64

  /// The places in hot and survivors segments that the parts know, but for those whose records were all cleared.
  init(_ segments: [SegmentEntry], _ coverage: IndexCoverage, leavingOut cleared: Set<Generation>) {
    var numbers: [UInt32] = []
    var last: UInt32 = 0
    for (number, entry) in segments.enumerated() where !cleared.contains(entry.identity.generation) {
      switch coverage.rest(of: entry) {
      case .everything: continue
      case .behind: last = UInt32(number) + 1
      case .nothing: break
      }
      let run = entry.identity.run
      if numbers.count < Int(run.end) {
        numbers.append(contentsOf: repeatElement(0, count: Int(run.end) - numbers.count))
      }
      for slot in run.first..<run.end { numbers[Int(slot)] = UInt32(number) + 1 }
    }
    self.numbers = numbers
    self.last = last
    end = coverage.common.replayFrom.offset.rawValue
  }

  /// Leaves out the entries that lead nowhere any more, moves the others together and counts them for each segment;
  /// the result is how many are left.
  func keep(
    _ entries: UnsafeMutableBufferPointer<UInt64>, counting counts: inout [UInt32]
  ) -> Int {
    var kept = 0
    unsafe numbers.withUnsafeBufferPointer { numbers in
      unsafe counts.withUnsafeMutableBufferPointer { counts in
        for place in 0..<entries.count {
          let raw = unsafe entries[place]
          let position = raw & IndexEntry.positionMask
          let slot = Int(truncatingIfNeeded: position / Limits.slotUnitCount)
          guard slot < numbers.count else { continue }
          // Below the number of slots, as was just checked; the number is one of a segment.
          let number = unsafe numbers[slot]
          if number == 0 || number == last && position >= end { continue }
          unsafe counts[Int(number) &- 1] &+= 1
          unsafe entries[kept] = raw
          kept &+= 1
        }
      }
    }
    return kept
  }
}
