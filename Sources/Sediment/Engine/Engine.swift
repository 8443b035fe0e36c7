internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// An open store: the log, the index over it, and what keeps them together.
///
/// Readers take no lock (`Engine+Reading`). Whoever writes holds `lock`, which guards `writer` and every change of
/// the index. Syncs go through `gate`, one at a time (invariant 2). Checkpoints and the close exclude one another
/// by `headLock`, which is taken before `lock`.
///
/// Unchecked: constants, atomics, and what the locks above guard.
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

  let lock = Lock()
  /// Nil in a store that is only read.
  ///
  /// Under `lock`.
  let writer: LogWriter?
  /// The same, to be used without counting references.
  private let writerReference: Unmanaged<LogWriter>?
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
  ///
  /// Taken before `maintenanceLock`.
  let storingLock = Lock()
  /// Held by a change that found no room a second time, until it has ended: others begin no change meanwhile.
  ///
  /// Taken before all others.
  let roomTurn = TurnLock()
  /// Held while segments are moved, or a partition of the index is copied to be stored.
  ///
  /// Taken before `headLock`.
  let maintenanceLock = TurnLock()
  let headLock = Lock()
  /// Held while what was freed comes back: it is in nobody's list meanwhile, and others wait rather than believe that
  /// there is nothing.
  ///
  /// Taken after `maintenanceLock`, before `lock`.
  let reclaimLock = Lock()
  let gate: SyncGate
  /// Under `headLock`, but for its first change under `lock`; nil in a store that is only read.
  var head: HeadKeeper?
  /// Whether both superblocks say that the log is open.
  ///
  /// Under `lock`.
  var isHeadOpen: Bool
  /// Whether what this opening needs before its first change was done.
  ///
  /// Under `lock`.
  var isPrepared = false
  /// Whether the file's name was on the disk when it was opened; if not, it is once the head is open.
  let isNameOnDisk: Bool

  /// Whether the index was built anew because its keys were alike.
  ///
  /// Under `lock`.
  var isReseeded = false
  /// Segments that compaction found damaged: they stay as they are.
  ///
  /// Under `lock`.
  var refusedVictims: Set<Generation> = []
  /// The sequences of the changes that adopted survivors, as long as these may not be on the medium.
  ///
  /// Under `lock`.
  var adoptions: [Generation: UInt64] = [:]
  /// How much had been written when it was last looked at which dictionaries are needed.
  ///
  /// Under `lock`.
  var censusTotal: UInt64 = 0
  /// Dictionaries that are in the log and may not be used yet; they are none that have been replaced.
  ///
  /// Under `lock`.
  var unbornDictionaries: Set<UInt32> = []
  /// Dictionaries that are given up, and the tags behind which no reader needs them.
  ///
  /// Under `maintenanceLock`.
  var endedDictionaries: [(number: UInt32, tag: UInt64)] = []
  /// Where the log ended when space was last seen to.
  ///
  /// Under `lock`.
  var maintainedSequence: UInt64 = 0
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
    unsafe writerReference = opened.writer.map { unsafe Unmanaged.passUnretained($0) }
    collections = opened.collections
    defaultState = opened.collections.defaultState
    head = opened.head
    isHeadOpen = opened.isHeadOpen
    isNameOnDisk = opened.isNameOnDisk
    report = opened.report
    openFile = opened.ticket
    gate = SyncGate(syncedSequence: opened.syncedSequence, watermark: opened.watermark)
    conditions = Conditions()
    pace = opened.writer?.pace ?? PaceCell()
    events = EventQueue(options.observer)
    prepareWork()
    notePrefetch(liveByteCount: opened.liveByteCount)
    loadDictionaries(opened.dictionaries)
    if let writer { work.hasSoughtExtents = lostExtentSlotCount(writer) == 0 }
    noteOpenedAccounts()
    if opened.hasDead { planSweep() }
    guard let writer else { return }
    if writer.wantsMaintenance || mayHaveLostExtents || hasIdleBlocks(writer, nil) { planMaintenance() }
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

  /// The writer; throws if the store cannot be changed.
  ///
  /// Under `lock`.
  func checkWritable() throws(SedimentError) -> LogWriter {
    try checkFit()
    guard let writer else { throw .readOnly(path) }
    return writer
  }

  /// Throws if the store cannot be changed.
  ///
  /// Under `lock`.
  @inline(__always)
  private func checkFit() throws(SedimentError) {
    if conditions.isClosed || forkCount != Forks.count || !isPrepared || writer?.poison != nil {
      try prepareWriting()
    }
  }

  /// Calls `body` with the writer, or throws if the store cannot be changed.
  ///
  /// Under `lock`. It does not count references to the writer, which costs more than an append.
  @inline(__always)
  func withWriter<Value>(
    _ body: (LogWriter) throws(SedimentError) -> Value
  ) throws(SedimentError) -> Value {
    try checkFit()
    guard let reference = unsafe writerReference else { throw .readOnly(path) }
    // The engine holds it as long as the engine lives.
    let result = unsafe reference._withUnsafeGuaranteedRef { writer in
      Result { () throws(SedimentError) in try body(writer) }
    }
    return try result.get()
  }

  @inline(never)
  private func prepareWriting() throws(SedimentError) {
    try checkReadable()
    guard let writer else { throw .readOnly(path) }
    if let poison = writer.poison { throw poison }
    if isPrepared { return }
    try writer.prepare()
    if !isHeadOpen { try openHead() }
    isPrepared = true
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
