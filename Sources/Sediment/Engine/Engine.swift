internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// An open store: its components, each of which knows only those above it here.
@safe
final class Engine: AboveReader, Sendable {
  let reader: Reader
  let log: Log
  let contents: Contents
  let compressor: Compressor
  let compactor: Compactor
  let trainer: DictionaryTrainer
  let indexStorer: IndexStorer
  let changes: Changes

  let report: RecoveryReport
  let openFile: OpenFiles.Ticket
  let closing = Closing()

  /// What recovery hands over and the store goes on from.
  init(
    _ opened: OpenedStore, path: String, options: SedimentOptions, disk: any Disk,
    scheduler: any WorkScheduler
  ) {
    let background = Background(opened, Lifetime(path: path), options, scheduler)
    reader = Reader(opened, options, disk, background)
    log = Log(opened, reader)
    contents = Contents(log)
    compressor = Compressor(log)
    compactor = Compactor(opened, contents, compressor)
    trainer = DictionaryTrainer(compactor)
    indexStorer = IndexStorer(compactor)
    changes = Changes(opened, compactor)
    report = opened.report
    openFile = opened.ticket
    prepareWork()
    background.schedule(.fillIndex, after: Background.fillingPauseNanoseconds)
    reader.noteRecordLength(liveByteCount: opened.liveByteCount)
    // Until now the file was read from end to end.
    reader.volume.expectReads()
    trainer.loadDictionaries(opened.dictionaries)
    compactor.noteOpened(cleared: opened.cleared)
  }

  /// Gives the background its jobs, which hold the components as long as the store is open.
  private func prepareWork() {
    if reader.filling != nil {
      background.works[.fillIndex] = Work { [compactor] in compactor.completeIndexInBackground() }
    }
    guard let writer = log.writer else { return }
    background.works[.sync] = Work { [log] in log.syncInBackground() }
    background.works[.checkpoint] = Work { [log] in log.checkpointInBackground() }
    background.works[.grow] = Work { [log] in log.growInBackground() }
    background.works[.window] = Work { [log] in log.updateWindow() }
    background.works[.sweep] = Work { [contents] in contents.sweep() }
    background.works[.maintain] = Work { [compactor] in compactor.maintainInBackground() }
    if compressor.trainsDictionaries {
      background.works[.train] = Work { [trainer] in trainer.trainInBackground() }
    }
    if options.storesIndex {
      background.works[.storeIndex] = Work { [indexStorer] in indexStorer.storeIndexInBackground() }
      writer.withLock { writer in
        writer.unstored.byteCountMax = Background.unstoredByteCountMin
        if !writer.wantsIndexStored { writer.unstored.attemptedAt = reader.disk.monotonicClock() }
      }
    }
    if background.hasObserver {
      writer.withLock { writer in
        writer.sealed = { [unowned background] in background.tell(.segmentSealed) }
        writer.poisoned = { [unowned background] error in background.tell(.failed(error)) }
      }
    }
  }

  /// All segments in the order of the file; none in a store that is only read, or in a fork's child.
  func segments() -> [SedimentSegment] {
    guard !lifetime.isForked, let writer = log.writer else { return [] }
    return writer.withLock { writer in
      writer.catalogue.setTail(writer.tail.entry)
      return SedimentSegment.all(of: writer.catalogue, logEnd: writer.tail.position, log.slots, writer.permit)
    }
  }
}
