internal import SedimentFormat

/// Sees whether the batches of the hot log are whole, from records that are shown to it in their order.
struct BatchCheck {
  private var members: BatchChecksum?
  /// Where the batch begins whose commit was not seen yet.
  private(set) var start: UInt64?
  /// Whether something is missing since the batch began, or since the record before it.
  private var isBroken = false

  enum Outcome {
    case nothing
    /// The batch that began at this byte ended, and is whole.
    case whole(from: UInt64)
    /// Members of a batch are missing, or it has others than its commit says; whether a gap is the reason.
    case broken(from: UInt64, byGap: Bool)
  }

  /// The highest sequence of the hot segment before; nil before the first.
  private var highest: SequenceNumber?
  /// Whether a segment was freed that had members of the batch.
  private var isPartial = false

  /// Records are missing here.
  mutating func noteGap() {
    isBroken = true
  }

  /// Goes on in a hot segment: where the one before it was freed, other members of a batch may be gone, all of which
  /// counted.
  mutating func begin(_ base: SequenceNumber, highest: SequenceNumber) {
    if base != self.highest { isPartial = true }
    self.highest = highest
  }

  /// Takes a record; `bytes` are all of it.
  mutating func take(
    _ header: RecordHeader, _ control: ControlRecord?, _ bytes: RawSpan, at offset: UInt64
  ) -> Outcome {
    if header.isBatched {
      if start == nil {
        start = offset
        members = BatchChecksum()
      }
      _ = members?.add(bytes)
      return .nothing
    }
    switch control {
    case .seal?: return .nothing
    case .commit(let commit)?:
      let begin = start ?? offset
      let hadGap = isBroken
      let isWhole = !isBroken && (isPartial || members?.commit == commit)
      reset()
      return isWhole ? .whole(from: begin) : .broken(from: begin, byGap: hadGap)
    default:
      // What lost its end, or nothing but its end.
      let (begin, hadGap, isPartial) = (start, isBroken, isPartial)
      reset()
      guard let begin else { return .nothing }
      return isPartial && !hadGap ? .whole(from: begin) : .broken(from: begin, byGap: hadGap)
    }
  }

  private mutating func reset() {
    start = nil
    members = nil
    isBroken = false
    isPartial = false
  }
}
