/// Figures of a store at one moment.
///
/// Figures "since the file was made" are kept in the file; those of "this opening" begin at zero with each opening.
public struct SedimentStatistics: Sendable, Hashable {
  /// How many keys all collections have; expired ones are among them until they are deleted.
  public package(set) var liveKeyCount = 0
  /// The bytes of the file.
  public package(set) var fileByteCount: UInt64 = 0
  /// The bytes of records that hold present values.
  public package(set) var liveByteCount: UInt64 = 0
  /// The bytes of records that compaction will leave out.
  public package(set) var deadByteCount: UInt64 = 0
  /// The bytes that are allocated in the file and not in use.
  public package(set) var freeByteCount: UInt64 = 0
  /// The bytes of the file that are not in use and were given back to the file system, in this opening or, as far as
  /// is known, before it.
  public package(set) var holeByteCount: UInt64 = 0
  /// How many segments the file has.
  public package(set) var segmentCount = 0
  /// How many named collections there are.
  public package(set) var collectionCount = 0
  /// The bytes of memory that the index takes.
  public package(set) var indexByteCount = 0
  /// The bytes of the file that the stored index takes.
  public package(set) var storedIndexByteCount: UInt64 = 0
  /// The bytes of the log that are not in the stored index, so that an opening now would have to read them.
  ///
  /// It is the whole log if no index is stored, and where compaction has been at work, more than would be read.
  public package(set) var unstoredLogByteCount: UInt64 = 0
  /// The bytes of keys and values that were set since the file was made.
  public package(set) var userByteCount: UInt64 = 0
  /// The bytes of records that were written since the file was made.
  public package(set) var writtenByteCount: UInt64 = 0
  /// The bytes of records that compaction moved since the file was made.
  public package(set) var movedByteCount: UInt64 = 0
  /// How many keys were left out since the file was made because they were not read lately.
  public package(set) var evictedKeyCount: UInt64 = 0
  /// How many keys were deleted since the file was made because they had expired.
  public package(set) var expiredKeyCount: UInt64 = 0
  /// The bytes that compaction has still to win back until the file is as small as it should be.
  public package(set) var compactionDebtByteCount: UInt64 = 0
  /// How often a record was written on average in this opening: 1 if compaction moved none.
  public package(set) var writeAmplification = 1.0
  /// How often a record was written on average since the file was made: 1 if compaction moved none.
  public var lifetimeWriteAmplification: Double {
    Self.amplification(written: writtenByteCount, moved: movedByteCount)
  }
  /// What this opening compressed, for all collections together.
  public package(set) var compression = SedimentCompressionFigures()
  /// What this opening compressed, for each collection in which values were set, by its name; the name of the default
  /// one is empty.
  public package(set) var collectionCompression: [String: SedimentCompressionFigures] = [:]
  /// How many compression dictionaries the file has.
  public package(set) var dictionaryCount = 0
  /// The bytes of the dictionaries.
  public package(set) var dictionaryByteCount: UInt64 = 0
  /// How many dictionaries were damaged when the store was opened; values that need them cannot be read.
  public package(set) var lostDictionaryCount = 0
  /// How many nanoseconds the background trained dictionaries in this opening.
  public package(set) var trainingNanoseconds: UInt64 = 0
  /// How often this opening synced the file.
  public package(set) var syncCount: UInt64 = 0
  /// For how many nanoseconds the sync that is under way has waited for the disk; 0 if none is under way.
  ///
  /// If this figure keeps growing, the disk hangs: changes are not made durable, and nobody else is told so.
  public package(set) var syncingNanoseconds: UInt64 = 0
  /// How records are read, which the store chooses when it is opened, and when the file, without its holes, has grown or
  /// shrunk by a 16th.
  public package(set) var readMode = SedimentReadMode.mapped
  /// The bytes of memory that the process could have when the store chose how to read; 0 if that is not known, or was not
  /// asked for because the file is short.
  public package(set) var memoryByteCount: UInt64 = 0
  /// The number of the last change.
  public package(set) var sequence: UInt64 = 0

  package init() {}

  static func amplification(written: UInt64, moved: UInt64) -> Double {
    written == 0 ? 1 : (Double(written) + Double(moved)) / Double(written)
  }
}

/// What compression did to the values that were set.
public struct SedimentCompressionFigures: Sendable, Hashable {
  /// How many values were set, in a store that compresses.
  public package(set) var valueCount: UInt64 = 0
  /// How many of these values are stored compressed.
  public package(set) var compressedCount: UInt64 = 0
  /// The bytes of the values that were set.
  public package(set) var valueByteCount: UInt64 = 0
  /// The bytes that these values take as they are stored.
  public package(set) var storedByteCount: UInt64 = 0
  /// About how many nanoseconds compressing took, on all threads together: one call in 64 is timed.
  public package(set) var nanoseconds: UInt64 = 0

  init() {}

  /// How many bytes of values one stored byte stands for, on average; 1 if nothing is stored.
  public var ratio: Double {
    storedByteCount == 0 ? 1 : Double(valueByteCount) / Double(storedByteCount)
  }
}
