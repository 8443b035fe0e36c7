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
  /// The bytes of the file that are not in use and were given back to the file system, or may have been before it was
  /// opened.
  public var holeByteCount: UInt64 = 0
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
  /// The bytes of records that compaction moved since the file was made.
  public var movedByteCount: UInt64 = 0
  /// How many keys were left out since the file was made because they were not read lately.
  public var evictedKeyCount: UInt64 = 0
  /// How many keys were deleted since the file was made because they had expired.
  public var expiredKeyCount: UInt64 = 0
  /// The bytes that compaction would have to win for the file to be as small as it should be; 0 if it is.
  public var compactionDebtByteCount: UInt64 = 0
  /// How often records were written on the average since this opening: 1 where compaction moved none.
  public var writeAmplification = 1.0
  /// How often records were written on the average since the file was made: 1 where compaction moved none.
  public var lifetimeWriteAmplification: Double {
    Self.amplification(written: writtenByteCount, moved: movedByteCount)
  }
  /// What this opening compressed, of all collections together.
  public var compression = SedimentCompressionFigures()
  /// What this opening compressed of each collection in which values were set, by its name; empty for the one
  /// without.
  public var collectionCompression: [String: SedimentCompressionFigures] = [:]
  /// How many dictionaries the file has.
  public var dictionaryCount = 0
  /// The bytes of the dictionaries.
  public var dictionaryByteCount: UInt64 = 0
  /// How many dictionaries were not whole when the store was opened: values that need them cannot be read.
  public var lostDictionaryCount = 0
  /// How many nanoseconds this opening trained dictionaries, in the background.
  public var trainingNanoseconds: UInt64 = 0
  /// How often this opening synced the file.
  public var syncCount: UInt64 = 0
  /// The number of the last change.
  public var sequence: UInt64 = 0

  /// Creates figures that are all zero.
  public init() {}

  static func amplification(written: UInt64, moved: UInt64) -> Double {
    written == 0 ? 1 : (Double(written) + Double(moved)) / Double(written)
  }
}

/// What compression made of the values that were set.
public struct SedimentCompressionFigures: Sendable, Hashable {
  /// How many values were set, in a store that compresses.
  public var valueCount: UInt64 = 0
  /// How many of them are stored compressed.
  public var compressedCount: UInt64 = 0
  /// The bytes of the values that were set.
  public var valueByteCount: UInt64 = 0
  /// The bytes that are stored for them.
  public var storedByteCount: UInt64 = 0
  /// About how many nanoseconds compressing took, on all threads together; one call of 64 is timed.
  public var nanoseconds: UInt64 = 0

  /// Creates figures that are all zero.
  public init() {}

  /// How many bytes of values are stored in one.
  public var ratio: Double {
    storedByteCount == 0 ? 1 : Double(valueByteCount) / Double(storedByteCount)
  }
}
