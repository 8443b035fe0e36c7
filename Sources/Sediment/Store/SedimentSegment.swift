/// A part of a store's file that has one use, as it is at one moment.
public struct SedimentSegment: Sendable, Hashable {
  /// What a segment is for.
  public enum Kind: String, Sendable, Hashable {
    /// Records of changes, in the order of the changes; the log ends in such a segment.
    case hot
    /// Records that compaction moved.
    case survivors
    /// The bytes of one large value.
    case extent
    /// A part of the stored index.
    case index
    /// The last records, until they are written to their place in the log.
    case window
  }

  /// What the segment is for.
  public internal(set) var kind: Kind
  /// The number of this use; later uses have higher numbers.
  public internal(set) var generation: UInt64
  /// The position of its first byte in the file.
  public internal(set) var byteOffset: UInt64
  /// The bytes of the file that it takes.
  public internal(set) var byteCount: UInt64
  /// The bytes of its records; for a large value and for a part of the index, all bytes of the segment.
  public internal(set) var usedByteCount: UInt64
  /// The bytes of those records that hold present values.
  public internal(set) var liveByteCount: UInt64
  /// How many records it holds.
  public internal(set) var recordCount: Int
  /// How many of the records say that a key was removed.
  public internal(set) var tombstoneCount: Int
  /// Whether the log ends in this segment.
  public internal(set) var isTail: Bool
}
