internal import SedimentFormat

/// Sees whether the batches of the hot log are whole, from records that are shown to it in their order.
struct BatchCheck {
  private var members: BatchChecksum?
  /// Where the batch begins whose commit was not seen yet.
  private var start: UInt64?
  /// Whether records are missing since the batch began, or since the record before it.
  private var isBroken = false
  /// Whether a segment was freed that had members of the batch.
  private var isPartial = false
  /// The highest sequence of the hot segment before; nil before the first.
  private var highest: SequenceNumber?

  enum Outcome {
    case nothing
    /// A batch ended, and is whole.
    case whole
    /// Members of a batch are missing, or it has others than its commit says; whether a gap is the reason.
    case broken(from: UInt64, byGap: Bool)
  }

  /// Records are missing here.
  mutating func noteGap() {
    isBroken = true
  }

  /// Goes on in a hot segment.
  ///
  /// If the one before it was freed, members of a batch may be gone with it, and that batch counted.
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
    var commit: Commit?
    switch control {
    case .seal?: return .nothing
    case .commit(let found)?: commit = found
    default: break
    }
    defer { (members, start, isBroken, isPartial) = (nil, nil, false, false) }
    // A commit may have lost all its members, and members may have lost their commit.
    guard let begin = start ?? (commit == nil ? nil : offset) else { return .nothing }
    let isAsSaid = isPartial || commit != nil && members?.commit == commit
    return !isBroken && isAsSaid ? .whole : .broken(from: begin, byGap: isBroken)
  }
}
