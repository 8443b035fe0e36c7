internal import Foundation
internal import Sediment

extension ArchiveShelf {
  /// Notes a use of an archive, which is in the file a second later.
  func use(_ slot: ArchiveLedger.Slot) {
    ledger.use(slot, milliseconds: clock.milliseconds())
    scheduleSaving()
  }

  private func scheduleSaving() {
    guard !isSavingScheduled, canSave, !isFinished, ledger.hasUnsaved else { return }
    isSavingScheduled = true
    let work = saving ?? Work { self.saveInBackground() }
    saving = work
    scheduler.schedule(work, after: 1_000_000_000)
  }

  /// Writes the uses that there are by now, in small batches between which others may use the archives.
  private func saveInBackground() {
    let tick = lock.withLock {
      isSavingScheduled = false
      return ledger.tick
    }
    do {
      while try lock.withLock({ try saveUses(through: tick) }) {}
    } catch {
      observer.tell(
        VellumFailure(archiveName: name, operation: .savingUses, error: .store(name, error)))
    }
  }

  /// Writes the earliest of the uses that are not in the file yet; false if there are none up to a tick any more.
  private func saveUses(through tick: UInt64) throws -> Bool {
    do {
      try saveUses()
    } catch {
      let lasting: [SedimentError.Code] = [.readOnly, .closed, .outcomeUnknown, .collectionDropped, .forked]
      if let error = error as? SedimentError, lasting.contains(error.code) { canSave = false }
      throw error
    }
    if ledger.hasUnsaved(through: tick) { return true }
    scheduleSaving()
    return false
  }

  /// Writes the earliest of the uses that are not in the file yet, in one small batch.
  private func saveUses() throws {
    let slots = ledger.unsavedSlots(countMax: Self.batchCountMax)
    if slots.isEmpty { return }
    try store.batch(durability: .interval(.seconds(1))) { batch in
      for slot in slots {
        let entry = ledger[slot]
        let use = SavedUse(tick: entry.tick, milliseconds: entry.milliseconds)
        batch.set(use.bytes, forKey: SavedUse.key(number: entry.number), in: uses)
      }
    }
    ledger.noteSaved(slots)
  }

  /// Writes all uses that are not in the file yet.
  func saveAllUses() throws {
    guard canSave else { return }
    while ledger.hasUnsaved { try saveUses() }
  }

  /// Ends the background, and writes what it has not; for a shelf that nobody uses any more, without its lock.
  func finish() {
    let work = lock.withLock {
      isFinished = true
      return saving
    }
    work?.cancelAndWait()
    lock.withLock {
      saving = nil
      // What fails here cannot be told to anybody; uses of the last second are lost then.
      try? saveAllUses()
    }
  }
}
