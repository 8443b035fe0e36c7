internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// An open store: the log, the index over it, and what keeps them together.
///
/// Readers take no lock (`Engine+Reading`). Whoever changes anything has the writer, and with it the writer's lock.
/// Syncs go through `gate`, one at a time (invariant 2). The order of the locks is that of `LockRank`.
///
/// Unchecked: constants and atomics.
@usableFromInline
@safe
final class Engine: @unchecked Sendable {
  let path: String
  let options: SedimentOptions
  let disk: any Disk
  let log: LogFile
  let index: HashIndex
  let slots: SlotTable
  let domain: ReaderDomain
  let retired: RetiredList
  let scheduler: any WorkScheduler
  /// Whether what was not read lately makes room for what is new.
  let evicts: Bool

  /// Nil in a store that is only read.
  let writer: Locked<LogWriter>?
  /// The superblocks; nil in a store that is only read.
  let head: Locked<HeadKeeper>?
  /// Whether what this opening needs before its first change was done.
  private let isPrepared = Atomic<Bool>(false)
  /// Whether the file's name was on the disk when it was opened; if not, it is once the head is open.
  private let isNameOnDisk: Bool
  let collections: CollectionTable
  /// The collection without a name.
  @usableFromInline let defaultState: CollectionState
  /// The level that values are compressed at, nil if they are not, and whether dictionaries are trained for them.
  let compressionLevel: Int32?
  let compresses: Bool
  let trainsDictionaries: Bool
  let dictionaries: DictionaryTable
  /// How long dictionaries were trained.
  let trainingNanoseconds = Atomic<UInt64>(0)
  /// The batch whose changes are being told to the index: the address of a `BatchChanges`, or 0.
  let publishedBatch = Atomic<UInt>(0)

  /// How often a record was read from the window.
  let windowReads = Atomic<Int>(0)
  /// How many bytes of a record to bring near before it is known how long it is.
  let prefetchByteCount = Atomic<Int>(192)

  /// Held while the index is stored.
  let storingLock = Lock(.storing)
  /// Held by a change that found no room a second time, until it has ended: others begin no change meanwhile.
  let roomTurn = TurnLock(.room)
  /// Held while segments are moved, or a partition of the index is copied to be stored.
  let maintenanceLock = TurnLock(.maintenance)
  /// Held while what was freed comes back: it is in nobody's list meanwhile, and others wait rather than believe that
  /// there is nothing.
  let reclaimLock = Lock(.reclaiming)
  let gate: SyncGate
  let returned: ReturnedSlots

  /// Dictionaries that are given up, and the tags behind which no reader needs them.
  ///
  /// Under `maintenanceLock`.
  var endedDictionaries: [(number: UInt32, tag: UInt64)] = []
  let conditions: Conditions
  /// How long a change waits for compaction; the writer's.
  let pace: PaceCell
  let report: RecoveryReport
  private let forkCount = Forks.count
  let work = EngineWork()
  let openFile: OpenFiles.Ticket
  let closing = Closing()
  let events: EventQueue

  /// What recovery hands over and the store goes on from.
  init(
    _ opened: OpenedStore, path: String, options: SedimentOptions, disk: any Disk,
    scheduler: any WorkScheduler
  ) {
    self.path = path
    self.options = options
    self.disk = disk
    self.scheduler = scheduler
    evicts = options.capacity.evicts
    compressionLevel = opened.writer == nil ? nil : options.compression.level
    compresses = compressionLevel != nil
    trainsDictionaries = compresses && options.compression == .automatic
    dictionaries = DictionaryTable()
    log = opened.log
    index = opened.index
    slots = opened.slots
    domain = opened.domain
    retired = opened.retired
    writer = opened.writer
    collections = opened.collections
    defaultState = opened.collections.defaultState
    head = opened.head
    isNameOnDisk = opened.isNameOnDisk
    report = opened.report
    openFile = opened.ticket
    gate = SyncGate(syncedSequence: opened.syncedSequence, watermark: opened.watermark)
    conditions = Conditions()
    pace = opened.pace
    returned = opened.returned
    events = EventQueue(options.observer)
    prepareWork()
    notePrefetch(liveByteCount: opened.liveByteCount)
    loadDictionaries(opened.dictionaries)
    guard let writer else { return }
    work.hasSoughtExtents = writer.withLock { writer in lostExtentSlotCount(writer) == 0 }
    noteOpenedAccounts()
    writer.withLock { writer in
      if opened.hasDead { planSweep(&writer) }
      if writer.wantsMaintenance || mayHaveLostExtents || hasIdleBlocks(writer, nil) {
        planMaintenance(&writer)
      }
    }
  }

  // MARK: Whether it may be used

  /// Throws if the store cannot be read: closed, or inherited by a fork.
  @inline(__always)
  func checkReadable() throws(SedimentError) {
    if conditions.isClosed || forkCount != Forks.count { throw whyUnusable() }
  }

  /// Throws in a child of a fork, which may be in a reader's scope.
  func checkNotForked() throws(SedimentError) {
    if forkCount != Forks.count { throw whyUnusable() }
  }

  /// Begins a reader's scope, to be ended with `Readers.leave`; throws, in none, if the store cannot be read.
  ///
  /// It asks within the scope, since a close waits for those that began before it.
  @inline(__always)
  func enterReading() throws(SedimentError) {
    Readers.enter(domain)
    if conditions.isClosed || forkCount != Forks.count { throw leaveUnusable() }
  }

  @inline(never)
  private func leaveUnusable() -> SedimentError {
    Readers.leave()
    return whyUnusable()
  }

  /// Calls `body` with the writer, or throws if the store cannot be changed.
  @inline(__always)
  func withWriter<Value: ~Copyable>(
    _ body: (inout LogWriter) throws(SedimentError) -> Value
  ) throws(SedimentError) -> Value {
    // In a fork's child another thread's lock would stay taken.
    try checkReadable()
    if !isPrepared.load(ordering: .acquiring) { try prepare() }
    guard let writer else { throw .readOnly(path) }
    return try writer.withLock { (writer) throws(SedimentError) in
      // Whoever closes the store waits for those who are past this.
      if conditions.isClosed || writer.poison != nil { throw whyUnwritable(writer) }
      return try body(&writer)
    }
  }

  @inline(never)
  private func whyUnwritable(_ writer: borrowing LogWriter) -> SedimentError {
    writer.poison ?? .closed(path)
  }

  /// Does what this opening needs before its first change: room to write, and two superblocks that say that the log is
  /// open (invariants 7 and 16).
  ///
  /// With none of the store's locks of the rank of the head or of a later one. A log that is closed stays so at a close.
  func prepare(atClose: Bool = false) throws(SedimentError) {
    guard let writer, let head else { throw .readOnly(path) }
    try head.withLock { (head) throws(SedimentError) in
      if isPrepared.load(ordering: .relaxed) { return }
      if atClose, head.isClosed { throw .closed(path) }
      try writer.withLock { (writer) throws(SedimentError) in
        if conditions.isClosed, !atClose { throw .closed(path) }
        if let poison = writer.poison { throw poison }
        try writer.prepare()
      }
      if head.isClosed {
        do throws(SedimentError) {
          try open(&head)
        } catch {
          throw writer.withLock { writer in writer.fail(error) }
        }
      }
      isPrepared.store(true, ordering: .releasing)
      SchedulePoint.reach(.published)
    }
  }

  private func open(_ head: inout HeadKeeper) throws(SedimentError) {
    if !isNameOnDisk {
      try onDisk { () throws(DiskError) in try disk.secureNames(of: path) }
    }
    try head.reopen()
  }

  var isForked: Bool { forkCount != Forks.count }

  private func whyUnusable() -> SedimentError {
    isForked ? .forked(path) : .closed(path)
  }

  /// Lets the observer know soon; may be called with any lock held.
  func tell(_ event: SedimentEvent) {
    guard events.add(event), let tell = work.tell else { return }
    scheduler.schedule(tell, after: 0)
  }
}

/// The states of a store that every call asks for.
final class Conditions: Sendable {
  private let closed = Atomic<Bool>(false)

  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// Refuses every call from now on.
  func close() {
    closed.store(true, ordering: .releasing)
    SchedulePoint.reach(.published)
  }
}
