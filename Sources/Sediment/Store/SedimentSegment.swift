/// A run of a store's file in one use, as it is at one moment.
public struct SedimentSegment: Sendable, Hashable {
  /// What a segment is for.
  public enum Kind: Sendable, Hashable {
    /// Records in the order in which they were set; the log ends in one of them.
    case hot
    /// Records that compaction moved.
    case survivors
    /// The bytes of one large value.
    case extent
    /// A part of the stored index.
    case index
    /// What was set last, until it goes to its place in the log.
    case window
  }

  /// What it is for.
  public var kind: Kind
  /// The number of this use; later ones are higher.
  public var generation: UInt64
  /// Where in the file it begins.
  public var byteOffset: UInt64
  /// The bytes that it takes of the file.
  public var byteCount: UInt64
  /// The bytes of its records; of a large value's or an index's segment, all of it.
  public var usedByteCount: UInt64
  /// The bytes of its records that hold present values.
  public var liveByteCount: UInt64
  /// How many records it holds.
  public var recordCount: Int
  /// How many of them only say that a key was removed.
  public var tombstoneCount: Int
  /// Whether the log ends in it.
  public var isTail: Bool
}
