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
  private let writeNote: @Sendable () -> Bool
  private let sync: @Sendable () throws(SedimentError) -> Void

  /// An opening that syncs the file itself.
  package init(_ file: StoreFile, on disk: any Disk) {
    self.init(file, on: disk, writingNote: { false }) { () throws(SedimentError) in try Self.sync(file) }
  }

  /// An opening all of whose syncs go through `sync` (invariant 2).
  ///
  /// `writeNote` writes the owner's note, or says that it did not; it is called only for a file that was found to
  /// be one that may be written.
  package init(
    _ file: StoreFile, on disk: any Disk, writingNote writeNote: @escaping @Sendable () -> Bool,
    sync: @escaping @Sendable () throws(SedimentError) -> Void
  ) {
    self.file = file
    self.disk = disk
    self.writeNote = writeNote
    self.sync = sync
  }

  /// Opens the log; when this returns for a writer, the log is clean or everything in it is on the medium.
  package func recover(_ mode: Mode) throws(SedimentError) -> Result {
    let start = disk.monotonicClock()
    for _ in 0..<Self.attemptCountMax {
      let log = try LogReading(StoreFile(file.file)).run()
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
    var keeper = HeadKeeper(
      head, of: file, session: disk.random(), isNoteUnsynced: writeNote(), sync: sync)
    if !result.log.isClean {
      guard
        let secured = try Securing(result.log.patched ?? file, on: disk).run(result.log, &keeper, sync: sync)
      else {
        return false
      }
      result.log = secured
      // What the window had was written to its place with the rest.
      result.log.patched = nil
      result.report.isDurable = true
    }
    result.keeper = keeper
    return true
  }

  private func report(_ log: RecoveredLog) -> RecoveryReport {
    let cut = RecoveryReport.Cut(offset: log.cut.offset.byteOffset, reason: log.ending?.description)
    return RecoveryReport(
      wasClosed: log.isClean, replayedRecordCount: log.replayedRecordCount,
      replayedByteCount: log.replayedByteCount, cut: log.isClean ? nil : cut, isDurable: log.isClean)
  }

  /// Syncs a file for those who open it.
  static func sync(_ file: StoreFile) throws(SedimentError) {
    do throws(SedimentError) {
      try file.sync()
    } catch {
      throw .failedSync(error)
    }
  }
}
