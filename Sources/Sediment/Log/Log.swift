internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// The log of an open store: appends changes, makes them durable, and lets slots come back that they have freed.
///
/// Syncs go through `gate`, one at a time (invariant 2). The order of the locks is that of `LockRank`.
@safe
final class Log: AboveReader, Sendable {
  let reader: Reader
  // Copies of what the reader has, since every change needs them: a copy saves a load, and counting a reference.
  let options: SedimentOptions
  let disk: any Disk
  let volume: Volume
  let lifetime: Lifetime
  let background: Background
  /// Nil in a store that is only read.
  let writer: Locked<LogWriter>?
  /// The same, for changes.
  private let keptWriter: Locked<LogWriter>.Kept?
  /// The superblocks; nil in a store that is only read.
  let head: Locked<HeadKeeper>?
  let gate: SyncGate
  let returned: ReturnedSlots
  /// Held while what was freed comes back.
  let reclaimLock = Lock(.reclaiming)
  /// Whether what this opening needs before its first change was done.
  private let isPrepared = Atomic<Bool>(false)
  /// Whether the file's name was on the disk when it was opened; if not, it is once the head is open.
  private let isNameOnDisk: Bool

  init(_ opened: OpenedStore, _ reader: Reader) {
    self.reader = reader
    options = reader.options
    disk = reader.disk
    volume = reader.volume
    lifetime = reader.lifetime
    background = reader.background
    writer = opened.writer
    keptWriter = opened.writer?.kept
    head = opened.head
    gate = SyncGate(
      syncedSequence: opened.syncedSequence, watermark: opened.watermark, disk: reader.disk)
    returned = opened.returned
    isNameOnDisk = opened.isNameOnDisk
  }

  /// Calls `body` with the writer, or throws if the store cannot be changed.
  @inline(__always)
  func withWriter<Value: ~Copyable>(
    _ body: (inout LogWriter) throws(SedimentError) -> Value
  ) throws(SedimentError) -> Value {
    // In a fork's child another thread's lock would stay taken.
    try lifetime.check()
    if !isPrepared.load(ordering: .acquiring) { try prepare() }
    guard let keptWriter else { throw .readOnly(path) }
    return try keptWriter.withLock { (writer) throws(SedimentError) in
      // Whoever closes the store waits for those who are past this.
      if lifetime.isClosed || writer.poison != nil { throw whyUnwritable(writer) }
      return try body(&writer)
    }
  }

  /// Makes a change: calls `body` with the writer, plans what follows, and waits until the change is on the disk if its
  /// durability says so.
  @inline(__always)
  func transact<Value>(
    _ durability: WrittenDurability, _ body: (inout LogWriter) throws(SedimentError) -> Value
  ) throws(SedimentError) -> Value {
    let (value, sequence) = try withWriter { (writer) throws(SedimentError) in
      let value = try body(&writer)
      background.planSync(&writer, durability)
      return (value, writer.tail.countedSequence)
    }
    // What refused the change may not be on the disk yet: a synced call waits for that, too.
    if durability == .synced { try waitForSync(sequence) }
    return value
  }

  @inline(never)
  private func whyUnwritable(_ writer: borrowing LogWriter) -> SedimentError {
    writer.poison ?? .closed(path)
  }

  /// Does what poisons if it fails (invariant 20); without the writer's lock.
  func poisoning(_ body: () throws(SedimentError) -> Void) throws(SedimentError) {
    do throws(SedimentError) {
      try body()
    } catch {
      throw writer?.withLock { writer in writer.fail(error) } ?? error
    }
  }

  /// Lets superblocks lead by `body`, and poisons if that fails; without the writer's lock.
  ///
  /// A superblock whose first byte the disk refused for want of space is as it was, and does not poison.
  func advancing(
    _ head: inout HeadKeeper, _ body: (inout HeadKeeper) throws(SedimentError) -> Void
  ) throws(SedimentError) {
    do throws(SedimentError) {
      try body(&head)
    } catch  where error.code == .outOfSpace && !head.hasFailed {
      throw error
    } catch {
      throw writer?.withLock { writer in writer.fail(error) } ?? error
    }
  }

  /// Does what this opening needs before its first change: room to write, and two superblocks that say that the log is
  /// open (invariants 7 and 16).
  ///
  /// Called without the lock of the head and all of a later rank. At a close, a log that is closed stays closed; the index
  /// is complete if it is not.
  func prepare(atClose: Bool = false) throws(SedimentError) {
    guard let writer, let head else { throw .readOnly(path) }
    if !atClose { try reader.completeIndex() }
    try head.withLock { (head) throws(SedimentError) in
      if isPrepared.load(ordering: .relaxed) { return }
      if atClose, head.isClosed { throw .closed(path) }
      try writer.withLock { (writer) throws(SedimentError) in
        if lifetime.isClosed, !atClose { throw .closed(path) }
        if let poison = writer.poison { throw poison }
        try writer.prepare()
      }
      if head.isClosed {
        try head.checkEnd()
        if !isNameOnDisk {
          try poisoning { () throws(SedimentError) in
            try onDisk { () throws(DiskError) in try disk.secureNames(of: path) }
          }
        }
        try advancing(&head) { (head) throws(SedimentError) in try head.reopen() }
      }
      isPrepared.store(true, ordering: .releasing)
      SchedulePoint.reach(.published)
    }
  }
}

extension Log {
  /// The number of the last change.
  var lastSequence: UInt64 {
    writer?.withLock { writer in writer.tail.sequence } ?? 0
  }

  /// The largest value that a record itself ever holds.
  static let inlineValueByteCountTop = 128 << 10

  /// The largest value that a record itself holds, less in a small file; larger ones get extents, written outside the
  /// lock.
  ///
  /// Compaction moves a record that finds no slots in a row to as many that lie scattered, so no record is longer than
  /// what is kept free for that.
  var inlineValueByteCountMax: Int {
    min(Self.inlineValueByteCountTop, writer?.withLock { writer in writer.survivorByteCountMax } ?? .max)
  }

  /// Gives the file slots ahead of need; that there are none is told to whoever needs them.
  ///
  /// Only where the system gives blocks to a range. Elsewhere a file's length is read and then set, and nobody else
  /// may let it grow in between.
  func growInBackground() {
    guard lifetime.isUsable, let writer else { return }
    let (range, blockLossCount) = writer.withLock { writer in
      (writer.poison == nil ? writer.spaceAhead() : nil, writer.blockLossCount)
    }
    if let range, (try? volume.file.allocate(SlotSpace.byteRange(of: range))) != nil {
      writer.withLock { writer in
        if writer.blockLossCount == blockLossCount { return writer.take(ahead: range) }
        // Blocks that a copy came to share meanwhile are none to be written to. If the end was cut off meanwhile, this has
        // made the file longer again.
        let end = SlotSpace.byteCount(of: writer.space.end)
        if writer.poison == nil, !lifetime.isClosed, SlotSpace.byteRange(of: range).upperBound > end {
          try? volume.file.truncate(to: end)
        }
      }
    }
    writer.withLock { writer in reader.noteRecordLength(liveByteCount: writer.liveByteCount) }
  }
}
