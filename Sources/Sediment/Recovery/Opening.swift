package import SedimentDisk
internal import SedimentFormat

/// Brings the log of an open and locked file into memory and, for a writer, makes it durable (DESIGN.md 7).
package struct Opening {
  /// What the file is opened for.
  package enum Mode: Sendable {
    /// Nothing is written; what recovery would make durable is reported as not being so.
    case readOnly
    case readWrite
  }

  /// An opened log.
  package struct Result: Sendable {
    package var log: RecoveredLog
    /// The head of the file, for its writer; nil for those who only read.
    package var keeper: HeadKeeper?
    package var report: RecoveryReport
  }

  /// How often the log is read anew because the file changed under the reading.
  private static let attemptCountMax = 3

  private let file: StoreFile
  private let disk: any Disk
  private let writeNote: () -> Bool

  /// An opening of a file; all its syncs are those of `StoreFile.syncForOpening` (invariant 2).
  ///
  /// `writeNote` writes the owner's note, or says that it did not; it is called only for a file that was found to
  /// be one that may be written.
  package init(
    _ file: StoreFile, on disk: any Disk, writingNote writeNote: @escaping () -> Bool = { false }
  ) {
    self.file = file
    self.disk = disk
    self.writeNote = writeNote
  }

  /// Opens the log; when this returns for a writer, the log is clean or everything in it is on the medium.
  ///
  /// With `leavingHeaders`, the headers of a clean log's segments are left to the caller, and so is the owner's note then.
  package func recover(_ mode: Mode, leavingHeaders: Bool = false) throws(SedimentError) -> Result {
    let start = disk.monotonicClock()
    for _ in 0..<Self.attemptCountMax {
      let log = try LogReading(StoreFile(file.file)).run(
        leavingHeaders: leavingHeaders, forgettingUnwritten: mode == .readWrite)
      var result = Result(log: log, keeper: nil, report: report(log))
      if mode == .readWrite {
        guard try secure(&result) else { continue }
      } else if !log.isClean {
        // It may help, and proves nothing.
        try? file.sync()
      }
      result.report.durationNanoseconds = disk.monotonicClock() &- start
      return result
    }
    throw SedimentError(
      .inputOutput, path: file.path, message: "The file changes while it is read. Look after the disk.")
  }

  private func secure(_ result: inout Result) throws(SedimentError) -> Bool {
    let head = result.log.head
    guard head.leading.features.mayWrite else {
      throw SedimentError(
        .newer, path: file.path, offset: head.leading.copy.byteOffset,
        message: "A newer version wrote the file. Open it for reading only, or use that version.")
    }
    let isNoted = result.log.uncheckedHeaders == nil && writeNote()
    var keeper = HeadKeeper(head, of: file, session: disk.random(), isNoteUnsynced: isNoted)
    keeper.uncheckedEnd = result.log.uncheckedEnd
    if !result.log.isClean {
      let securing = Securing(file: result.log.patched ?? file, disk: disk)
      guard let secured = try securing.run(result.log, &keeper) else { return false }
      result.log = secured
      // What the window had was written to its place with the rest.
      result.log.patched = nil
      result.report.isDurable = true
    }
    result.keeper = keeper
    return true
  }

  private func report(_ log: RecoveredLog) -> RecoveryReport {
    let cut = RecoveryReport.Cut(offset: log.end.offset.byteOffset, reason: log.ending?.description)
    return RecoveryReport(
      wasClosed: log.isClean, replayedRecordCount: log.replayedRecordCount,
      replayedByteCount: log.replayedByteCount, cut: log.isClean ? nil : cut, isDurable: log.isClean)
  }
}

/// What opening a store found and did.
public struct RecoveryReport: Hashable, Sendable {
  /// Whether the last process that wrote the file closed it.
  public internal(set) var wasClosed: Bool
  /// How many records behind the last checkpoint were read again.
  public internal(set) var replayedRecordCount: UInt64
  /// The bytes of these records.
  public internal(set) var replayedByteCount: UInt64
  /// How many keys come from the stored index, without their records being read.
  ///
  /// After a close they come when they are asked for, or in the background. If a part of the stored index turns out to be
  /// no good then, all come from the log.
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
