package import SedimentDisk
internal import SedimentFormat

/// Makes a recovered log durable and lets it go on in new segments (DESIGN.md 7, step 10).
///
/// A crash anywhere in it, or a failure, leaves superblocks from which the same log is recovered again.
package struct Securing {
  private let file: StoreFile
  private let disk: any Disk

  package init(_ file: StoreFile, on disk: any Disk) {
    self.file = file
    self.disk = disk
  }

  /// The log as it then is; nil if the file is not as it was when the log was read, which must be read anew.
  ///
  /// `sync` is the keeper's own.
  package func run(
    _ log: RecoveredLog, _ keeper: inout HeadKeeper, sync: () throws(SedimentError) -> Void
  ) throws(SedimentError) -> RecoveredLog? {
    try keeper.writeLeadingAgain()
    let surveyed = SurveyedFile(
      file: file, identity: log.head.leading.identity, byteCount: log.unsecured.fileByteCount)
    let rewriting = Rewriting(surveyed, watermark: log.watermark)
    guard try rewriting.run(log.unsecured) else { return nil }
    try keeper.syncLeading()
    var fresh = try FreshLog(behind: log, in: file, on: disk)
    try fresh.writeCheckpoint()
    var next = fresh.log
    try sync()
    var written: [Superblock] = []
    for _ in Superblock.Copy.allCases {
      try keeper.advance(
        checkpoint: next.checkpoint.offset, segment: fresh.first, watermark: next.end, state: .open)
      written.append(keeper.leading)
    }
    next.head = Head(leading: keeper.leading, other: written.first)
    return next
  }
}
