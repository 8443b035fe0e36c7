internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Log {
  /// Returns once everything that was appended before the call is on the disk.
  func sync() throws(SedimentError) {
    try waitForSync(try countedSequence())
  }

  /// Up to which sequence there is something to sync; throws in a store that syncs nothing any more.
  func countedSequence() throws(SedimentError) -> UInt64 {
    // In a fork's child another thread's lock would stay taken.
    try lifetime.check()
    guard let writer else { throw .readOnly(path) }
    return try writer.withLock { (writer) throws(SedimentError) in
      try lifetime.check()
      if let poison = writer.poison { throw poison }
      return writer.tail.countedSequence
    }
  }

  /// Returns once everything up to a sequence is on the disk.
  @inline(never)
  func waitForSync(_ sequence: UInt64) throws(SedimentError) {
    try gate.wait(for: sequence) { () throws(SedimentError) in
      // One round of the processor for those who are about to append: they share this sync then.
      SchedulePoint.yield()
      return try syncLog()
    }
  }

  /// Syncs the log to where it stands; only with the gate's turn.
  func syncLog() throws(SedimentError) -> (sequence: UInt64, watermark: LogPosition) {
    guard let writer else { throw .readOnly(path) }
    let began = background.hasObserver ? disk.monotonicClock() : 0
    let (sequence, watermark, total) = try writer.withLock { (writer) throws(SedimentError) in
      if let poison = writer.poison { throw poison }
      // What is known to be on the medium, if the log does not say so already and has room for it in this segment.
      if gate.watermark > writer.markedWatermark {
        do throws(SedimentError) {
          try writer.appendMark(gate.watermark)
        } catch  where error.code == .outOfSpace {
          // The next sync says it.
        }
      }
      try writer.flush()
      return (writer.tail.countedSequence, writer.tail.position, writer.syncableTotal)
    }
    try syncFile()
    gate.syncCount.wrappingAdd(1, ordering: .relaxed)
    let hasFreed = writer.withLock { writer in
      noteSynced(&writer, watermark, total)
      return !writer.space.freedRuns.isEmpty
    }
    // That it fails poisons, and the sync before it counts all the same.
    if hasFreed { _ = try? reclaim(syncedUpTo: sequence) }
    if background.hasObserver { background.tell(.synced(nanoseconds: disk.monotonicClock() &- began)) }
    return (sequence, watermark)
  }

  /// Syncs the file, with the gate's turn; if this fails, the store fails (invariant 20).
  func syncFile() throws(SedimentError) {
    try poisoning { () throws(SedimentError) in
      try volume.file.sync()
    }
  }

  /// Throws if the device refused bytes that were written before the call.
  ///
  /// After a failed write-back the page cache may return older bytes, and only the next sync reports the failure. So a
  /// copy of the file calls this once all bytes were read, even if no change waits for a sync.
  func expectWritten() throws(SedimentError) {
    // In a fork's child the turn of another thread would stay taken.
    try lifetime.check()
    guard let writer else { return }
    try gate.turn { () throws(SedimentError) in
      // After its own turn a close closes the file: the sync would fail, and be taken for a failure of the device.
      try lifetime.check()
      if let poison = writer.withLock({ writer in writer.poison }) { throw poison }
      try syncFile()
      return (gate.syncedSequence, gate.watermark)
    }
  }

  /// After a sync: the log says at once how far it is on the medium if nothing followed, or if that is news of much.
  ///
  /// Recovery writes again what it does not know to be there. Otherwise the next sync says so.
  private func noteSynced(_ writer: inout LogWriter, _ watermark: LogPosition, _ total: UInt64) {
    writer.noteClocks()
    // Where little is written nobody else would see that time has passed.
    if writer.hasExpired, writer.poison == nil, !lifetime.isClosed { background.planMaintenance(&writer) }
    let isMuch = total &- writer.syncedTotal >= Self.markedByteCountMin
    writer.syncedTotal = total
    // Whoever closes the store has appended the last record.
    guard writer.poison == nil, !lifetime.isClosed,
      isMuch || writer.tail.position == watermark
    else { return }
    // What fails poisons, and the sync before it counts all the same.
    try? writer.appendMark(watermark)
  }

  /// How much a sync has to bring to the medium for a mark of its own to cost nothing beside it.
  private static let markedByteCountMin: UInt64 = 1 << 20

  /// Returns once everything that was appended before is on the disk, without holding a thread meanwhile.
  func synced() async throws(SedimentError) {
    // A continuation hands it over as well; but the thread sanitizer cannot see that in every library, and sees a lock.
    let outcome = Locked<SedimentError?>(.leaf, nil)
    await withCheckedContinuation { continuation in
      whenSynced { failure in
        outcome.withLock { outcome in outcome = failure }
        continuation.resume()
      }
    }
    if let failure = outcome.withLock({ outcome in outcome }) { throw failure }
  }

  /// Calls a closure, with why that failed if it did, once everything that was appended before is on the disk.
  func whenSynced(_ completion: @escaping @Sendable (SedimentError?) -> Void) {
    do throws(SedimentError) {
      let sequence = try countedSequence()
      if gate.whenSynced(sequence, completion) { background.syncSoon() }
    } catch {
      completion(error)
    }
  }

  func syncInBackground() {
    guard lifetime.isUsable, let writer else { return }
    let sequence = writer.withLock { writer in
      writer.plans.syncNanoseconds = WrittenDurability.unsynced.nanoseconds
      return writer.tail.countedSequence
    }
    var refusal: SedimentError?
    do throws(SedimentError) {
      try waitForSync(sequence)
    } catch  where error.code == .outOfSpace {
      // What was to be flushed before the sync waits in the window.
      refusal = error
      background.tell(.failed(error))
    } catch {
      // That it fails poisons, and is told with that.
    }
    writer.withLock { writer in
      reader.noteRecordLength(liveByteCount: writer.liveByteCount)
      if writer.poison == nil, writer.wantsMaintenance { background.planMaintenance(&writer) }
    }
    gate.resumeReached(refusing: refusal)
  }
}
