internal import SedimentDisk
internal import SedimentFormat

/// The file that a backup becomes, from its first byte to the sync.
struct BackupFile {
  let file: StoreFile
  private let disk: any Disk

  init(_ file: StoreFile, on disk: any Disk) {
    self.file = file
    self.disk = disk
  }

  /// How much is copied at once.
  private static let pieceByteCount = 1 << 20

  /// Copies a segment's bytes to the same place, and tells of each piece how long it was.
  ///
  /// A part of the stored index, or the header of a window, that cannot be read is left off: the copy opens without it.
  func copy(
    _ range: Range<UInt64>, of segment: SegmentIdentity, from source: StoreFile,
    _ told: (UInt64) throws(SedimentError) -> Void
  ) throws(SedimentError) {
    var buffer = [UInt8](repeating: 0, count: min(range.count, Self.pieceByteCount))
    var position = range.lowerBound
    while position < range.upperBound {
      let count = Int(min(range.upperBound - position, UInt64(buffer.count)))
      do throws(SedimentError) {
        guard try source.read(into: &buffer, 0..<count, at: position) == count else {
          throw .damaged("the file ends before a segment does", path: source.path, offset: position)
        }
      } catch {
        if segment.kind == .index || segment.kind == .window { return try told(range.upperBound - position) }
        throw error
      }
      try file.write(unsafe buffer.span.bytes.extracting(0..<count), at: position)
      position += UInt64(count)
      try told(UInt64(count))
    }
  }

  /// Gives back whatever else lies in a file that shares its blocks with the one it is a copy of.
  ///
  /// What stays behind all the same is in nobody's way.
  func clear(but source: BackupSource) throws(SedimentError) {
    try file.truncate(to: source.byteCount)
    try file.write([UInt8](repeating: 0, count: OwnerNote.byteCount), at: OwnerNote.byteOffset)
    guard file.traits.punchesHoles else { return }
    for run in source.log.catalogue.slots.freeRuns(before: source.log.catalogue.slots.end) {
      try? file.punchHole(SlotSpace.byteRange(of: run))
    }
    let tail = source.log.tail.identity.run.byteRange
    try? file.punchHole(source.log.end.offset.byteOffset..<tail.upperBound)
  }

  /// Makes it a closed store of a lineage of its own: the log goes on in another segment, which begins with the
  /// catalogue, behind where it was copied up to; then the head; then a sync.
  func complete(_ source: BackupSource) throws(SedimentError) {
    let log = source.log.inFile(ofByteCount: source.byteCount)
    var fresh = try FreshLog(behind: log, in: file, on: disk)
    try fresh.writeCheckpoint()
    let next = fresh.log
    let parent = log.head.leading
    let lineage = Lineage(
      low: disk.random(), high: disk.random(), parentLow: parent.lineage.low, parentHigh: parent.lineage.high,
      fork: log.lastSequence)
    var block = Superblock(
      copy: .first, generation: .first, features: parent.features, identity: parent.identity, state: .closed,
      lineage: lineage, session: disk.random(), createdAt: disk.wallClock(), segment: fresh.first,
      checkpoint: next.checkpoint.offset, watermark: next.end)
    try file.write(block.encode(), at: block.copy.byteOffset)
    block.copy = .second
    block.generation = EmptyStoreImage.leadingGeneration
    try file.write(block.encode(), at: block.copy.byteOffset)
    try file.sync()
    try file.close()
  }
}
