/// What opening a store found and did.
public struct RecoveryReport: Hashable, Sendable {
  /// Whether the last process that wrote the file closed it.
  public internal(set) var wasClosed: Bool
  /// How many records behind the last checkpoint were read again.
  public internal(set) var replayedRecordCount: UInt64
  /// The bytes of these records.
  public internal(set) var replayedByteCount: UInt64
  /// How many keys came from the stored index, without their records being read.
  public internal(set) var storedKeyCount: UInt64 = 0
  /// How many records were read for keys that the stored index did not have.
  public internal(set) var scannedRecordCount: UInt64 = 0
  /// The bytes of these records.
  public internal(set) var scannedByteCount: UInt64 = 0
  /// Where the log ended if the file was not closed; what was written behind and never synced is gone.
  public internal(set) var cut: Cut?
  /// Whether everything that the store returns now would survive a power failure.
  public internal(set) var isDurable: Bool
  /// How many nanoseconds opening took.
  public internal(set) var durationNanoseconds: UInt64 = 0

  /// The end of a log that was not closed.
  public struct Cut: Hashable, Sendable {
    /// The byte of the file behind the last record that counts.
    public let offset: UInt64
    /// In words, what is there instead of a record; nil where a segment was full.
    public let reason: String?
  }
}
