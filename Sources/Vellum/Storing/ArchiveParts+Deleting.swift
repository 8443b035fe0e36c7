internal import Foundation
internal import Sediment
internal import Shallows

extension ArchiveParts {
  func delete(_ key: String) throws {
    try withLock {
      guard let slot = shelf.ledger.slot(of: key) else { return }
      try shelf.delete([slot])
      memory.removeValue(forKey: key)
    }
  }

  func deleteAll() throws {
    try withLock {
      defer { if shelf.ledger.count == 0 { memory.purge() } }
      try shelf.deleteAll()
    }
  }

  /// Deletes what was last used longer ago than an interval.
  func deleteAll(unusedFor interval: TimeInterval) throws {
    try withLock {
      let limit = Double(shelf.clock.milliseconds()) - interval * 1000
      let slots = shelf.slots(notUsedSince: limit)
      let keys = slots.map { shelf.ledger[$0].key }
      // Of what it could not delete it deletes nothing from memory either.
      defer { for key in keys where shelf.ledger.slot(of: key) == nil { memory.removeValue(forKey: key) } }
      try shelf.delete(slots)
    }
  }

  // MARK: The disk

  /// Returns once all uses that were noted are in the file.
  func saveUses() throws {
    do {
      try withLock { try shelf.saveAllUses() }
    } catch {
      throw VellumError.store(name, error)
    }
  }

  /// Returns once all changes, and all uses that were noted, are on the disk.
  func sync() throws {
    do {
      try saveUses()
      try shelf.store.sync()
    } catch {
      throw VellumError.store(name, error)
    }
  }

  /// Returns once all changes are on the disk.
  nonisolated(nonsending) func synced() async throws {
    do {
      try await shelf.store.sync()
    } catch {
      throw VellumError.store(name, error)
    }
  }
}
