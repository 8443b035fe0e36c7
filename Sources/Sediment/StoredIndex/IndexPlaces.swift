internal import SedimentFormat

/// Tells which segment a stored entry leads to, if it counts (DESIGN.md 7, step 8).
struct IndexPlaces: Sendable {
  /// For each slot of the file, the number of its segment and one more; 0 where no entry counts.
  private let numbers: [UInt32]
  /// The number of the segment in which the place to replay from lies, and one more; and that place.
  private let last: UInt32
  private let end: UInt64

  /// The places in hot and survivors segments that the parts know.
  init(_ segments: [SegmentEntry], _ coverage: IndexCoverage) {
    var numbers: [UInt32] = []
    var last: UInt32 = 0
    for (number, entry) in segments.enumerated() {
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
    end = coverage.replayFrom.offset.rawValue
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
