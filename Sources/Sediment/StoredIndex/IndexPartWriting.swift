internal import SedimentDisk
internal import SedimentFormat

/// Writes the parts of a stored index to slots that nobody knows of until a change of the log adopts them.
struct IndexPartWriting: ~Copyable {
  private let reader: Reader
  private let compaction: LockedInTurn<Compaction>
  private let writer: Locked<LogWriter>
  private let moment: IndexMoment
  /// Tells this copy of the index from every other.
  private let build: UInt64
  /// What was written.
  private(set) var parts: [IndexPartEntry] = []
  /// Their segments, until the log names them.
  var reservation: Reservation

  /// What the entries of all parts so far lead to.
  private var accounts = IndexAccounts()

  // The part that is being filled.
  private var firstPartition = 0
  private var entryCounts: [UInt32] = []
  private var entries: [UInt64] = []
  private var pages = IndexPages()

  /// From so many entries on a part is complete.
  private let partEntryCount: Int

  init(
    _ reader: Reader, _ writer: Locked<LogWriter>, _ compaction: LockedInTurn<Compaction>,
    _ returned: ReturnedSlots, _ moment: IndexMoment
  ) {
    reservation = Reservation(returned)
    self.reader = reader
    self.compaction = compaction
    self.writer = writer
    self.moment = moment
    build = reader.disk.random()
    partEntryCount = max(reader.options.storedPartEntryCount, reader.index.count / Self.partCountMax)
  }

  /// About as many parts as there are at most: each has an entry in the catalogue.
  private static let partCountMax = 1024

  /// Writes the whole index as parts; false if something stands against it, and what was written is to be given back.
  mutating func run(while mayGoOn: () -> Bool) throws(SedimentError) -> Bool {
    var snapshot = IndexSnapshot(reader, moment)
    var partition = 0
    while partition < moment.partitionCount {
      guard mayGoOn() else { return false }
      // Between two partitions segments may be moved: entries that lead to where a record was lead nowhere then, and
      // where it is now is scanned.
      let isCopied = compaction.withLock { _ in snapshot.copyPartitions(&accounts) }
      guard isCopied else { return false }
      for number in 0..<snapshot.copiedPartitionCount {
        let before = entries.count
        snapshot.append(copiedPartition: number, to: &entries)
        entryCounts.append(UInt32(truncatingIfNeeded: entries.count - before))
        partition += 1
        let isLast = partition == moment.partitionCount
        if isLast || entries.count >= partEntryCount { try writePart(before: partition) }
      }
    }
    return true
  }

  private mutating func writePart(before nextPartition: Int) throws(SedimentError) {
    let head = IndexPartHead(
      sequence: moment.sequence, entryCounts: entryCounts,
      accounts: nextPartition == moment.partitionCount ? accounts.all : [])
    pages.removeAll()
    pages.reserve(wordCount: head.wordCount + entries.count)
    head.encode(into: &pages)
    for entry in entries { pages.add(entry) }
    let pageCount = pages.pageCount
    let segment = try takeSegment(pageCount: pageCount)
    let checksum = pages.seal(seed: segment.seed(in: reader.volume.identity))
    let part = IndexPartEntry(
      partitions: UInt32(firstPartition)..<UInt32(nextPartition), of: UInt32(moment.partitionCount),
      splitBy: UInt8(moment.splitBitCount),
      pageCount: UInt32(pageCount), segment: segment, checksum: checksum, replayFrom: moment.position,
      generationLimit: moment.generationLimit, entryCount: UInt64(entries.count), keyHash: moment.keyHash,
      build: build)
    guard let part else { preconditionFailure("a part of the index does not fit the segment made for it") }
    parts.append(part)
    let file = reader.volume.file
    try file.write(
      SegmentHeader(identity: segment, base: .zero, floor: .zero), of: reader.volume.identity)
    try file.write(unsafe pages.words.span.bytes, at: segment.recordRange.lowerBound.byteOffset)
    firstPartition = nextPartition
    entryCounts.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
  }

  /// Slots for a part; what a full disk needs to go on is left alone.
  private mutating func takeSegment(pageCount: Int) throws(SedimentError) -> SegmentIdentity {
    let byteCount = SegmentHeader.byteCount + pageCount * IndexPage.byteCount
    let slotCount = (byteCount + Limits.slotByteCount - 1) / Limits.slotByteCount
    guard slotCount <= Int(Limits.segmentSlotCountMax) else { throw .exhausted("slots", path: reader.path) }
    return try writer.withLock { (writer) throws(SedimentError) in
      if let poison = writer.poison { throw poison }
      // There it might lie in the way of what has to go before the cap.
      if writer.space.isOverlong {
        throw .capReached(reader.path, SlotSpace.byteCount(of: writer.space.slotCountMax))
      }
      let run = try writer.takeRun(UInt32(slotCount), for: .storing, &reservation)
      return try writer.newSegment(.index, in: run)
    }
  }
}
