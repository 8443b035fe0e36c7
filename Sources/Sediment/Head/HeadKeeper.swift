package import SedimentFormat

/// Where a checkpoint begins.
package typealias CheckpointPlace = (segment: SegmentIdentity, offset: UnitOffset)

/// Owns the two superblocks of an open file and makes every change of them, with its syncs (invariants 16 and 17).
///
/// The superblock that does not lead, or is not sound, is always written first, and only once the leading one is
/// known to be on the medium; having read it proves only that the cache has it. After a failure every further
/// change fails with the same error (invariant 20), unless the disk refused the first byte of a superblock for want of
/// space: then both superblocks are as they were. Not for several threads at once.
package struct HeadKeeper: Sendable {
  /// The superblock that an opening would follow now.
  package private(set) var leading: Superblock
  /// The one that led before, or would if the leading one were lost; nil if it is not sound.
  private var other: Superblock?
  /// What every superblock is to say from now on besides.
  private var addedToRead: UInt64 = 0
  /// Whether the leading one was written again, or written, and synced by this opening.
  private var isLeadingOnMedium = false
  /// Whether something lies in the first slot that must be synced before a superblock is written.
  var isNoteUnsynced: Bool
  /// What is to be asked behind the end of a closed log before it is declared open; nil if nothing is.
  var uncheckedEnd: EvidenceSearch?
  private var failure: SedimentError?
  private let file: StoreFile
  private let session: UInt64

  /// `isNoteUnsynced` says that the owner's note, which shares a slot with the first superblock, was written and not
  /// synced.
  package init(_ head: Head, of file: StoreFile, session: UInt64, isNoteUnsynced: Bool = false) {
    leading = head.leading
    other = head.other
    self.file = file
    self.session = session
    self.isNoteUnsynced = isNoteUnsynced
  }

  /// Whether a log that was closed must be declared open before anything is appended to it, by both superblocks.
  package var isClosed: Bool { leading.state == .closed || other?.state == .closed }
  /// Whether nothing more can be changed.
  var hasFailed: Bool { failure != nil }

  /// The lowest generation of a hot segment that one of the superblocks needs (invariant 12).
  package var neededGeneration: Generation {
    min(leading.segment.generation, (other ?? leading).segment.generation)
  }

  /// Whether both superblocks say that a reader must know something.
  package func says(neededToRead feature: UInt64) -> Bool {
    leading.features.neededToRead & (other?.features.neededToRead ?? 0) & feature == feature
  }

  /// Refuses to let a log that was closed go on if the file has more of it behind its end.
  ///
  /// No crash leads to that, but a file that was put together of several moments may look so.
  mutating func checkEnd() throws(SedimentError) {
    // A search looks at nothing twice, so each change that is refused makes one of its own.
    guard var search = uncheckedEnd else { return }
    try search.check()
    uncheckedEnd = nil
  }

  // MARK: Changes

  /// Lets every superblock that is written from now on say that a reader must know something.
  package mutating func add(neededToRead feature: UInt64) {
    addedToRead |= feature
  }

  /// Makes both superblocks say that the log may go on: what the first write to a cleanly closed file does.
  package mutating func reopen() throws(SedimentError) {
    for _ in Superblock.Copy.allCases { try advance(watermark: leading.watermark, state: .open) }
  }

  /// Writes the superblock that does not lead, which then leads; all that it names must have been synced.
  ///
  /// With nil, the checkpoint stays as it is.
  package mutating func advance(
    to checkpoint: CheckpointPlace? = nil, watermark: LogPosition, state: Superblock.State
  ) throws(SedimentError) {
    if let failure { throw failure }
    if !isLeadingOnMedium {
      try writeLeadingAgain()
      try syncLeading()
    }
    guard let generation = leading.generation.advanced(by: 1) else {
      throw .exhausted("superblock generations", path: file.path)
    }
    var block = leading
    block.copy = leading.copy.other
    block.generation = generation
    block.state = state
    block.session = session
    block.features.neededToRead |= addedToRead
    if let checkpoint { (block.segment, block.checkpoint) = checkpoint }
    block.watermark = watermark
    try guarded { (keeper) throws(SedimentError) in
      try keeper.put(block)
      try keeper.file.syncForOpening()
      (keeper.leading, keeper.other) = (block, keeper.leading)
    }
  }

  // MARK: The leading superblock, written again

  /// Writes the leading superblock again as it was read; it counts for this opening after `syncLeading`.
  package mutating func writeLeadingAgain() throws(SedimentError) {
    try guarded { (keeper) throws(SedimentError) in
      if keeper.isNoteUnsynced { try keeper.file.syncForOpening() }
      keeper.isNoteUnsynced = false
      try keeper.put(keeper.leading)
    }
  }

  /// Syncs the leading superblock and whatever else was written with it.
  package mutating func syncLeading() throws(SedimentError) {
    try guarded { (keeper) throws(SedimentError) in
      try keeper.file.syncForOpening()
      keeper.isLeadingOnMedium = true
    }
  }

  private func put(_ block: Superblock) throws(SedimentError) {
    try file.write(block.encode(), at: block.copy.byteOffset)
  }

  private mutating func guarded(
    _ body: (inout HeadKeeper) throws(SedimentError) -> Void
  ) throws(SedimentError) {
    if let failure { throw failure }
    do throws(SedimentError) {
      try body(&self)
    } catch {
      let isRefusal = Superblock.Copy.allCases.contains { file.isRefusal(error, at: $0.byteOffset) }
      if !isRefusal { failure = error }
      throw error
    }
  }
}
