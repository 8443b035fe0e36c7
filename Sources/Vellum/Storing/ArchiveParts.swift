internal import Foundation
internal import Shallows

/// The memory part and the disk part of one type's archives, as data and what is kept of them.
///
/// It knows nothing of the type. All managers of a type share one.
class ArchiveParts: @unchecked Sendable {
  // Sendable: the memory part and the shelf are touched with the shelf's lock taken. What is kept in memory is handed
  // from one thread to another only by a manager that is Sendable because its archives are.

  let shelf: ArchiveShelf
  private(set) final var memory: LRUStorage<String, KeptArchive>
  /// Whether the program has not asked for the archives itself yet, so that their sizes may still be others.
  private var isProvisional: Bool

  init(_ name: String, _ sizes: ArchiveSizes, in place: ArchivePlace, observer: FailureObserver) throws {
    isProvisional = sizes.areProvisional
    memory = Self.memory(sizes)
    shelf = try ArchiveShelf(name, sizes.disk, in: place, observer: observer)
  }

  private static func memory(_ sizes: ArchiveSizes) -> LRUStorage<String, KeptArchive> {
    LRUStorage(capacity: .cost(sizes.memoryByteCountMax) { _, kept in kept.byteCount })
  }

  /// Takes on the sizes of a program that asks for the archives, if it is the first to do so.
  final func settle(_ sizes: ArchiveSizes) throws {
    guard !sizes.areProvisional else { return }
    try withLock {
      guard isProvisional else { return }
      try shelf.settle(sizes.disk)
      isProvisional = false
      let before = memory
      memory = Self.memory(sizes)
      var next = shelf.ledger.leastRecent
      while let slot = next {
        next = shelf.ledger.moreRecent(than: slot)
        let key = shelf.ledger[slot].key
        if let kept = before.peek(forKey: key) { memory.insert(kept, forKey: key) }
      }
    }
  }

  final var memoryByteCountMax: Int { memory.capacity.costMax }

  final var name: String { shelf.name }

  final func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
    shelf.lock.lock()
    defer { shelf.lock.unlock() }
    return try body()
  }

  // MARK: Figures

  final var maxSize: DataSize { withLock { .bytes(memoryByteCountMax) + .bytes(shelf.byteCountMax) } }

  /// The bytes in each part.
  final var byteCounts: (memory: Int, disk: Int) { withLock { (memory.totalCost, shelf.ledger.byteCount) } }

  final func latestUse(_ key: String) -> Date? {
    withLock {
      presentSlot(key).map { Date(timeIntervalSince1970: Double(shelf.ledger[$0].milliseconds) / 1000) }
    }
  }

  // MARK: Recording

  /// Records data, unless that is to be done only where there is none with its key, and there is some.
  final func record(_ key: String, _ data: Data, _ kept: KeptArchive, onlyIfAbsent: Bool) throws {
    try withLock {
      if presentSlot(key) != nil {
        if onlyIfAbsent { return }
      } else if let gone = shelf.ledger.slot(of: key) {
        shelf.ledger.remove(gone)
      }
      try shelf.record(key, data, mayBeElsewhere: fits(kept)) { memory.peek(forKey: $0) != nil }
      noteRecorded(kept, key)
      keep(kept, key)
      prune()
    }
  }

  /// Whether memory may have an archive; with the lock.
  final func fits(_ kept: KeptArchive) -> Bool {
    memoryByteCountMax > 0 && kept.byteCount <= memoryByteCountMax
  }

  /// Is told of what was recorded, with the lock.
  func noteRecorded(_ kept: KeptArchive, _ key: String) {}

  // MARK: Accessing

  /// Where an archive was found.
  enum Place {
    case nowhere
    case memory(KeptArchive)
    /// Under a key that may have other bytes, as it was recorded at that tick.
    case disk(key: String, tick: UInt64)
  }

  /// Looks for an archive; finding it in memory is a use of it.
  final func look(_ key: String) -> Place {
    withLock {
      guard let slot = shelf.ledger.slot(of: key) else { return .nowhere }
      if let kept = memory.value(forKey: key) {
        shelf.use(slot)
        return .memory(kept)
      }
      let entry = shelf.ledger[slot]
      if entry.isOnDisk { return .disk(key: entry.key, tick: entry.recordedTick) }
      shelf.ledger.remove(slot)
      return .nowhere
    }
  }

  /// Notes a use of an archive, if there is one.
  final func useIfPresent(_ key: String) -> Bool {
    withLock {
      guard let slot = presentSlot(key) else { return false }
      _ = memory.value(forKey: key)
      shelf.use(slot)
      return true
    }
  }

  /// Notes a use of an archive that was read, and keeps it in memory if it is still what is recorded.
  final func use(_ key: String, _ head: ArchiveHead, _ kept: KeptArchive) {
    withLock {
      guard let slot = shelf.ledger.slot(of: key) else { return }
      shelf.use(slot)
      if shelf.ledger[slot].recordedTick == head.tick { keep(kept, key) }
      prune()
    }
  }

  /// Forgets an archive that the file has no more though nobody deleted it here; false if it was recorded meanwhile, or
  /// is in memory alone now.
  final func forget(_ key: String, _ tick: UInt64) -> Bool {
    withLock {
      guard let slot = shelf.ledger.slot(of: key) else { return true }
      guard shelf.ledger[slot].recordedTick == tick, shelf.ledger[slot].isOnDisk else { return false }
      shelf.ledger.remove(slot)
      return true
    }
  }

  // MARK: Memory, with the lock

  private func keep(_ kept: KeptArchive, _ key: String) {
    if !fits(kept) || !memory.insert(kept, forKey: key) {
      memory.removeValue(forKey: key)
    }
  }

  /// Where the archive of a key is noted; nil if there is none.
  private func presentSlot(_ key: String) -> ArchiveLedger.Slot? {
    guard let slot = shelf.ledger.slot(of: key) else { return nil }
    return shelf.ledger[slot].isOnDisk || memory.peek(forKey: key) != nil ? slot : nil
  }

  /// Forgets archives that were in memory alone and have left it, once they may be more than those that have not.
  private func prune() {
    guard shelf.ledger.countElsewhere > 2 * memory.count + 64 else { return }
    for slot in shelf.ledger.slotsElsewhere where memory.peek(forKey: shelf.ledger[slot].key) == nil {
      shelf.ledger.remove(slot)
    }
  }
}
