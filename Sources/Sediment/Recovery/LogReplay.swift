internal import SedimentFormat

/// Replays the hot log from the checkpoint to its end (DESIGN.md 7, step 4): what counts, it takes into the
/// catalogue.
struct LogReplay {
  private(set) var catalogue: Catalogue
  private(set) var reader: ChainReader
  /// How far the log counts.
  private(set) var progress: Progress
  private var batch: PendingBatch?
  private(set) var found = Findings()

  /// What changes with each record, so that a batch without its commit is undone by taking it back.
  struct Progress {
    /// The entry of the segment that the log ends in, which the catalogue is told of only now and then.
    var tail: SegmentEntry
    /// Behind the last record that counts.
    var end: LogPosition
    /// Its sequence; nil while there is none.
    var lastSequence: SequenceNumber?
    /// The records of the hot log from where replay began, up to the segment that it ends in.
    var chain: [LogStretch]
    var recordCount: UInt64 = 0
    var byteCount: UInt64 = 0
  }

  /// What the log says of itself and of segments.
  ///
  /// Positions of what stands in a batch are the batch's.
  struct Findings {
    /// The highest watermark of a mark.
    var watermark: LogPosition?
    /// The latest clock of a mark.
    var clock: UInt64 = 0
    /// What records name that lies elsewhere, with where the log ends if it is not there.
    var sides: [(unit: LogPosition, piece: SidePiece)] = []
    /// Where segments were freed, and adopted.
    var freedAt: [Generation: LogPosition] = [:]
    var adoptedAt: [Generation: LogPosition] = [:]
  }

  /// The highest position that was known to be on the medium before.
  private let synced: LogPosition

  /// Where a close has left the log, behind which no window has anything; nil if it was not closed.
  private let closedEnd: LogPosition?

  /// Behind the checkpoint, which was read before.
  private let checkpointEnd: LogPosition

  /// `synced` is what the superblocks know to be on the medium.
  init(_ checkpoint: CheckpointReading, synced: LogPosition, closedEnd: LogPosition?) {
    self.synced = synced
    self.closedEnd = closedEnd
    checkpointEnd = checkpoint.end
    catalogue = checkpoint.catalogue
    reader = checkpoint.replay
    let first = LogStretch(
      header: SegmentHeader(identity: reader.segment, base: reader.base, floor: reader.base),
      start: reader.offset, end: reader.offset)
    progress = Progress(
      tail: checkpoint.tail, end: reader.position, lastSequence: reader.lastSequence, chain: [first])
  }

  /// Replays to the log's end or to `limit`, which is where a record that counts, or a batch, begins.
  mutating func run(upTo limit: LogPosition? = nil) throws(SedimentError) {
    while limit.map({ reader.position < $0 }) ?? true {
      if limit == nil, batch == nil { takePuts() }
      // What was synced lies in the log, or the log is damaged.
      let isAboveSynced = reader.position >= max(synced, found.watermark ?? synced)
      reader.ring =
        isAboveSynced && reader.position != closedEnd ? catalogue.window.map { Window($0.run) } : nil
      guard let record = try reader.next(passingParts: reader.position < checkpointEnd) else { break }
      try take(record)
    }
    if let batch { progress = batch.before }
    batch = nil
    progress.chain[progress.chain.count - 1].end = progress.end.offset
    catalogue.setTail(progress.tail)
  }

  // MARK: Records

  /// Takes the plain puts that come next.
  private mutating func takePuts() {
    let (count, byteCount) = reader.skipPuts()
    guard count > 0, let sequence = reader.lastSequence else { return }
    progress.tail.countPuts(count, highest: sequence)
    progress.recordCount += UInt64(count)
    progress.byteCount += byteCount
    progress.end = reader.position
    progress.lastSequence = sequence
  }

  private mutating func take(_ record: LogRecord) throws(SedimentError) {
    switch record.control {
    case _ where record.header.isBatched: try takeMember(record)
    case .seal(let seal)?: try takeSeal(seal, of: record)
    case .commit(let commit)?: try takeCommit(commit, of: record)
    case _ where batch != nil: throw reader.damaged("a batch is interrupted by another record", record)
    case .mark(let mark)?: try takeMark(mark, of: record)
    default: try count(record)
    }
    if batch == nil {
      progress.end = reader.position
      progress.lastSequence = record.header.sequence
    }
  }

  /// Counts a record, and does what it says of the catalogue.
  private mutating func count(_ record: LogRecord) throws(SedimentError) {
    progress.tail.count(record.header, now: catalogue.numbers.clocks.highest)
    progress.recordCount += 1
    progress.byteCount += UInt64(record.header.byteCount)
    if let place = record.place { try perform(.large(place), of: record) }
    if case .catalogueChange(let change)? = record.control { try perform(.change(change), of: record) }
  }

  private mutating func takeMember(_ record: LogRecord) throws(SedimentError) {
    var pending = batch.take() ?? PendingBatch(start: record.position, before: progress)
    pending.byteCount += record.header.byteCount
    guard reader.add(to: &pending.checksum), pending.byteCount <= Limits.batchByteCountMax else {
      throw reader.damaged("a batch is larger than one can be", record)
    }
    batch = pending
    try count(record)
  }

  private mutating func takeCommit(_ commit: Commit, of record: LogRecord) throws(SedimentError) {
    guard let batch = batch.take(), batch.checksum.commit == commit else {
      throw reader.damaged("a commit does not fit its batch", record)
    }
    try count(record)
    for step in batch.steps { try perform(step.operation, of: step.record, unit: batch.start) }
  }

  private mutating func takeMark(_ mark: Mark, of record: LogRecord) throws(SedimentError) {
    guard mark.salt == reader.segment.salt, mark.watermark <= record.position else {
      throw reader.damaged("a mark states what it cannot know", record)
    }
    try count(record)
    found.watermark = max(found.watermark ?? mark.watermark, mark.watermark)
    found.clock = max(found.clock, mark.clock)
  }

  private mutating func takeSeal(_ seal: Seal, of record: LogRecord) throws(SedimentError) {
    guard seal.recordCount == progress.tail.recordCount else {
      throw reader.damaged("a seal counts other records than there are", record)
    }
    try count(record)
    let end = reader.position
    guard try reader.follow(seal, of: record) else { return }
    var closed = progress.tail
    closed.end = end.offset
    progress.tail = SegmentEntry(tail: seal.next, base: reader.base)
    progress.chain[progress.chain.count - 1].end = end.offset
    progress.chain.append(
      LogStretch(
        header: SegmentHeader(
          identity: seal.next, base: reader.base, floor: reader.base, predecessor: end),
        start: reader.offset, end: reader.offset, adoptedAt: record.position))
    try perform(.link(closed, seal.next), of: record)
  }

  // MARK: The catalogue

  /// What a record does to the catalogue.
  enum Operation {
    case large(ValuePlace)
    case change(CatalogueChange)
    /// The log went on in another segment, and this is what became of the one before.
    case link(SegmentEntry, SegmentIdentity)
  }

  /// Does what a record says, in a batch once that is complete.
  private mutating func perform(_ operation: Operation, of record: LogRecord) throws(SedimentError) {
    if batch == nil {
      try perform(operation, of: record, unit: record.position)
    } else {
      batch?.steps.append((operation, record))
    }
  }

  private mutating func perform(
    _ operation: Operation, of record: LogRecord, unit: LogPosition
  ) throws(SedimentError) {
    do throws(Catalogue.Contradiction) {
      switch operation {
      case .large(let place):
        for piece in place.pieces { try checkUnused(piece.extent.generation) }
        try catalogue.adopt(place)
        for piece in place.pieces {
          found.sides.append((unit, .extent(piece)))
          found.adoptedAt[piece.extent.generation] = unit
        }
      case .change(let change):
        try apply(change, at: record.header.sequence, unit: unit)
      case .link(let closed, let next):
        try checkUnused(next.generation)
        catalogue.setTail(closed)
        try catalogue.link(next, base: record.header.sequence, endOfTail: closed.end)
        found.adoptedAt[next.generation] = record.position
      }
    } catch {
      throw reader.damaged("the log contradicts itself: \(error.reason)", record)
    }
  }

  private mutating func apply(
    _ change: CatalogueChange, at sequence: SequenceNumber, unit: LogPosition
  ) throws(Catalogue.Contradiction) {
    let first = progress.chain[0].identity.generation
    for entry in change.entries {
      switch entry {
      case .freed(_, let generation):
        if generation >= first, catalogue.segments[generation]?.identity.kind == .hot {
          throw Catalogue.Contradiction("a segment is freed that the log still needs")
        }
        found.freedAt[generation] = unit
      case .segment(let entry):
        try checkUnused(entry.identity.generation)
        found.adoptedAt[entry.identity.generation] = unit
        if entry.identity.kind == .survivors { found.sides.append((unit, .survivors(entry))) }
      case .indexPart(let part): try checkUnused(part.segment.generation)
      default: break
      }
    }
    try catalogue.apply(change, at: sequence)
  }

  /// A generation that was freed is never adopted again; one that is there, the catalogue refuses.
  private func checkUnused(_ generation: Generation) throws(Catalogue.Contradiction) {
    guard found.freedAt[generation] == nil else {
      throw Catalogue.Contradiction("a generation is used twice")
    }
  }
}

/// Members of a batch whose commit was not read yet.
private struct PendingBatch {
  /// Where its first member begins.
  let start: LogPosition
  /// How far the log counted before it.
  let before: LogReplay.Progress
  var steps: [(operation: LogReplay.Operation, record: LogRecord)] = []
  var checksum = BatchChecksum()
  /// The bytes of its members so far, without the seals between them.
  var byteCount = 0
}
