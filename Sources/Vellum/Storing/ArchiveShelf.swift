internal import Foundation
internal import Sediment

/// The disk part of one type's archives: their collections in the file and the ledger of them.
///
/// Whoever calls it has its lock, unless a method says otherwise. No method calls what users wrote.
final class ArchiveShelf: @unchecked Sendable {
  // Sendable: `lock` guards the variables; the rest is constant and may be used by every thread.

  /// Recursive, because what goes away under it may belong to a user, whose `deinit` may come back.
  let lock = NSRecursiveLock()
  let name: String
  private(set) var byteCountMax = Int.max
  let clock: ArchiveClock
  let store: SedimentStore
  let archives: SedimentCollection
  let uses: SedimentCollection
  let scheduler: any WorkScheduler
  let observer: FailureObserver
  /// Held, so that all who ask for the same file meet there.
  private let place: ArchivePlace

  var ledger = ArchiveLedger()
  /// Saves uses in the background; made with the first of them, and holds the shelf until `finish`.
  var saving: Work?
  var isSavingScheduled = false
  var isFinished = false
  /// False once the store has refused in a way that will not change.
  var canSave = true
  /// Why an archive could not be read when the shelf was opened, until somebody is told.
  var damage: SedimentError?
  /// Where values are put together.
  private var buffer: [UInt8] = []

  /// What the collection with the archives of a name is called.
  static func collectionName(_ name: String) -> String { "archive:" + name }

  /// Whether the changes that are made here are waited for later, so that none waits for the disk itself.
  @TaskLocal static var areAwaited = false

  /// How durable changes are when the calls that make them return; nil for what the store was opened with.
  private var durability: SedimentDurability? { Self.areAwaited ? .unsynced : nil }

  /// How many changes there are in a batch at most.
  static let batchCountMax = 4096

  /// Opens the collections and reads what is there.
  ///
  /// Archives that exceed the size are deleted if the program asked for it.
  init(_ name: String, _ size: DiskPartSize, in place: ArchivePlace, observer: FailureObserver) throws {
    self.name = name
    self.observer = observer
    self.place = place
    clock = place.clock
    store = place.store
    scheduler = place.scheduler
    do {
      archives = try place.store.collection(Self.collectionName(name))
      uses = try place.store.collection("used:" + name)
      let orphans = try readLedger()
      try unlessReadOnly {
        try removeUses(orphans)
      }
      try take(size)
    } catch {
      throw VellumError.store(name, error)
    }
  }

  /// Takes on a size that a program asks for after the shelf was opened for something else.
  func settle(_ size: DiskPartSize) throws {
    do { try take(size) } catch { throw VellumError.store(name, error) }
  }

  /// Takes on a size.
  ///
  /// Only one that was asked for deletes archives. It stays known in the file, because a later run may use the archives
  /// before it asks.
  private func take(_ size: DiskPartSize) throws {
    switch size {
    case .unbounded: byteCountMax = .max
    case .byDefault(let byteCount):
      byteCountMax = Swift.max(byteCount, place.notes.size(of: name) ?? 0, ledger.byteCount)
    case .asked(let byteCount):
      let before = byteCountMax
      byteCountMax = byteCount
      do {
        try unlessReadOnly {
          try trim()
          try place.notes.setSize(byteCount, of: name)
        }
      } catch {
        byteCountMax = before
        throw error
      }
    }
  }

  // MARK: Reading, without the lock

  /// An archive's data with its head; nil if the file has none under this key.
  func read(_ key: String) throws -> (head: ArchiveHead, data: Data)? {
    do {
      return try archives.withValue(forKey: key) { try parse($0) }
    } catch {
      throw VellumError.store(name, error)
    }
  }

  /// Takes a value apart.
  func parse(_ value: RawSpan) throws -> (head: ArchiveHead, data: Data) {
    do throws(ArchiveHead.Failure) {
      let (head, byteCount) = try ArchiveHead.read(value)
      return (head, Data(sedimentBytes: value.extracting(byteCount..<value.byteCount)))
    } catch {
      throw error == .newer ? VellumError.newer(name) : VellumError.damaged(name)
    }
  }

  // MARK: Changing

  /// Stores data under a key in place of what is there, and lets the least recently used go until it fits.
  ///
  /// What does not fit by itself leaves the disk, if it may be elsewhere; else it is refused. If it throws, nothing has
  /// changed, but that some may have gone.
  func record(
    _ key: String, _ data: Data, mayBeElsewhere: Bool, isElsewhere: (String) -> Bool
  ) throws {
    let old = ledger.slot(of: key)
    let key = old.map { ledger[$0].key } ?? key
    let number = old.map { ledger[$0].number } ?? ledger.nextNumber
    let head = ArchiveHead(number: number, tick: ledger.nextTick, milliseconds: clock.milliseconds())
    try checkSize(data, mayBeElsewhere: mayBeElsewhere)
    let fits = data.count <= byteCountMax
    if fits {
      let victims = try makeRoom(data.count, for: old, isElsewhere)
      try write(key, head, data, without: victims)
      forget(victims, isElsewhere)
    } else if let old {
      try erase([old])
    }
    if let old {
      ledger.replace(old, head, byteCount: data.count, isOnDisk: fits)
    } else {
      ledger.add(key, head, byteCount: data.count, isOnDisk: fits)
    }
  }

  /// Refuses data that fits nowhere.
  func checkSize(_ data: Data, mayBeElsewhere: Bool) throws {
    guard data.count <= byteCountMax || mayBeElsewhere else {
      throw VellumError.tooLarge(name, byteCount: data.count)
    }
  }

  /// What became of an archive that was to be inserted.
  enum Insertion {
    case inserted
    /// The file has it already.
    case present
    /// There is another one with its key, or others would have to go.
    case refused
  }

  /// Whether the file has an archive with this key and data.
  func has(_ key: String, _ data: Data) throws -> Bool {
    guard let slot = ledger.slot(of: key), ledger[slot].isOnDisk else { return false }
    return try read(ledger[slot].key)?.data == data
  }

  /// Stores data under a key where there is none, as if it had been recorded at a time.
  func insert(_ key: String, _ data: Data, _ milliseconds: UInt64) throws -> Insertion {
    if ledger.slot(of: key) != nil { return try has(key, data) ? .present : .refused }
    guard data.count <= byteCountMax - ledger.byteCount else { return .refused }
    let head = ArchiveHead(number: ledger.nextNumber, tick: ledger.nextTick, milliseconds: milliseconds)
    try write(key, head, data, without: [])
    ledger.add(key, head, byteCount: data.count, isOnDisk: true)
    return .inserted
  }

  /// Deletes archives.
  func delete(_ slots: [ArchiveLedger.Slot]) throws {
    var rest = slots[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(Self.batchCountMax))
      try erase(part)
      for slot in part { ledger.remove(slot) }
      rest = rest.dropFirst(part.count)
    }
  }

  func deleteAll() throws {
    do {
      try archives.removeAll(durability: durability)
      ledger.removeAll()
      try uses.removeAll(durability: durability)
    } catch {
      throw VellumError.store(name, error)
    }
  }

  /// Those that were last used before a time.
  func slots(notUsedSince milliseconds: Double) -> [ArchiveLedger.Slot] {
    ledger.slots(after: 0, through: .max, countMax: .max).filter {
      Double(ledger[$0].milliseconds) < milliseconds
    }
  }

  // MARK: Room

  /// The least recently used that have to go for so many bytes, apart from the one that these replace; if they are
  /// many, all but the last have gone already.
  private func makeRoom(
    _ byteCount: Int, for old: ArchiveLedger.Slot?, _ isElsewhere: (String) -> Bool
  ) throws -> [ArchiveLedger.Slot] {
    var excess = ledger.byteCount - (old.map { ledger[$0].byteCount } ?? 0) + byteCount - byteCountMax
    var victims: [ArchiveLedger.Slot] = []
    var next = ledger.leastRecent
    while excess > 0, let slot = next {
      next = ledger.moreRecent(than: slot)
      if slot == old { continue }
      victims.append(slot)
      excess -= ledger[slot].byteCount
      if victims.count == Self.batchCountMax {
        try erase(victims)
        forget(victims, isElsewhere)
        victims = []
      }
    }
    return victims
  }

  /// Does what a store that is only read goes without.
  private func unlessReadOnly(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SedimentError where error.code == .readOnly {
      canSave = false
    } catch let error as VellumError where (error.underlyingError as? SedimentError)?.code == .readOnly {
      canSave = false
    }
  }

  /// Lets the least recently used go until the rest fits.
  private func trim() throws {
    let victims = try makeRoom(0, for: nil) { _ in false }
    if victims.isEmpty { return }
    try erase(victims)
    forget(victims) { _ in false }
  }

  /// Notes that these are not in the file any more.
  private func forget(_ slots: [ArchiveLedger.Slot], _ isElsewhere: (String) -> Bool) {
    for slot in slots {
      if isElsewhere(ledger[slot].key) { ledger.leaveDisk(slot) } else { ledger.remove(slot) }
    }
  }

  // MARK: The file

  /// Writes one archive and removes others, all or nothing.
  private func write(
    _ key: String, _ head: ArchiveHead, _ data: Data, without victims: [ArchiveLedger.Slot]
  ) throws {
    buffer.removeAll(keepingCapacity: true)
    head.append(to: &buffer)
    buffer.append(contentsOf: data)
    // A buffer that a large archive needed is not kept.
    defer { if buffer.capacity > 1 << 20 { buffer = [] } }
    do {
      if victims.isEmpty {
        try archives.set(buffer, forKey: key, durability: durability)
      } else {
        try store.batch(durability: durability) { batch in
          for slot in victims { remove(slot, in: &batch) }
          batch.set(buffer, forKey: key, in: archives)
        }
      }
    } catch {
      throw VellumError.store(name, error)
    }
  }

  /// Removes archives from the file, all or nothing.
  private func erase(_ slots: [ArchiveLedger.Slot]) throws {
    let stored = slots.filter { ledger[$0].isOnDisk }
    if stored.isEmpty { return }
    do {
      try store.batch(durability: durability) { batch in
        for slot in stored { remove(slot, in: &batch) }
      }
    } catch {
      throw VellumError.store(name, error)
    }
  }

  private func remove(_ slot: ArchiveLedger.Slot, in batch: inout SedimentBatch) {
    let entry = ledger[slot]
    batch.remove(forKey: entry.key, in: archives)
    if entry.hasSavedUse { batch.remove(forKey: SavedUse.key(number: entry.number), in: uses) }
  }
}
