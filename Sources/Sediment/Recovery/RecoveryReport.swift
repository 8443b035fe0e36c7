/// What opening a file came to, and what it took.
public struct RecoveryReport: Hashable, Sendable {
  /// Whether the file was closed in order by whoever wrote it last.
  public internal(set) var wasClosed: Bool
  /// The records of the log that were read again behind its last checkpoint.
  public internal(set) var replayedRecordCount: UInt64
  /// The bytes of the records that were read again.
  public internal(set) var replayedByteCount: UInt64
  /// The keys that the index has from its stored parts, without a look at their records.
  public internal(set) var storedKeyCount: UInt64 = 0
  /// The records that were read to build the index, or what of it was not stored.
  public internal(set) var scannedRecordCount: UInt64 = 0
  /// The bytes of the records that were read to build the index.
  public internal(set) var scannedByteCount: UInt64 = 0
  /// Where the log ended, if it was not closed; what was written behind it and never synced is gone.
  public internal(set) var cut: Cut?
  /// Whether everything that the store returns is known to survive a power failure.
  public internal(set) var isDurable: Bool
  /// How many nanoseconds opening took.
  public internal(set) var durationNanoseconds: UInt64 = 0

  /// The place where the log was found to end.
  public struct Cut: Hashable, Sendable {
    /// The byte of the file where the first record would be that does not count.
    public let offset: UInt64
    /// What is there instead of a record, in words; nil where a segment was full to its end.
    public let reason: String?
  }
}
