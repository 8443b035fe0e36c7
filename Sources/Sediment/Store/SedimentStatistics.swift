/// Figures of a store at one moment.
public struct SedimentStatistics: Sendable, Hashable {
  /// How many keys are there in all collections; some that have expired may be among them until they are deleted.
  public var liveKeyCount = 0
  /// The bytes of the file.
  public var fileByteCount: UInt64 = 0
  /// The bytes of the records that hold the present values.
  public var liveByteCount: UInt64 = 0
  /// The bytes of records that compaction will leave out.
  public var deadByteCount: UInt64 = 0
  /// The bytes that are allocated in the file and not in use.
  public var freeByteCount: UInt64 = 0
  /// How many segments the file has.
  public var segmentCount = 0
  /// How many collections have a name.
  public var collectionCount = 0
  /// The memory of the index.
  public var indexByteCount = 0
  /// The bytes of the file that the stored index takes.
  public var storedIndexByteCount: UInt64 = 0
  /// The bytes of the log that an opening would scan now because the stored index does not know them; all if there is
  /// none, and some more than it would where compaction has been at work.
  public var unstoredLogByteCount: UInt64 = 0
  /// The bytes of keys and values that were set since the file was made.
  public var userByteCount: UInt64 = 0
  /// The bytes of records that were written since the file was made.
  public var writtenByteCount: UInt64 = 0
  /// How often this opening synced the file.
  public var syncCount: UInt64 = 0
  /// The number of the last change.
  public var sequence: UInt64 = 0

  /// Creates figures that are all zero.
  public init() {}
}
