internal import SedimentFormat

/// A moment of an open store at which the copying of its index begins: all that was appended before it, the index knows.
struct IndexMoment {
  /// Where the log stood.
  let position: LogPosition
  /// The sequence of its last record.
  let sequence: SequenceNumber
  /// Segments that come later have this generation or a higher one.
  let generationLimit: Generation
  let keyHash: KeyHash
  let baseBitCount: UInt64
  /// How much had ever been appended and moved.
  let appendedByteCount: UInt64

  var partitionCount: Int { 1 << Int(baseBitCount) }
}
