/// What is known of each archive of a type without a look at the file: who has it guards it.
///
/// Looking up, adding, using and removing take the same time whatever there is, on the average.
struct ArchiveLedger {
  /// Where an archive stands in the ledger, until it is removed.
  typealias Slot = Int

  /// An archive.
  struct Entry {
    fileprivate(set) var key: String
    /// Its number, which stays when it is replaced.
    let number: UInt64
    /// The tick of its last recording: tells which version of it somebody has seen.
    var recordedTick: UInt64
    /// The tick of its last use, at least that of its recording.
    var tick: UInt64
    /// The time of its last use.
    var milliseconds: UInt64
    /// The bytes of its data; 0 if it is not on the disk.
    var byteCount: Int
    /// Whether the disk part has it; else only the memory part may.
    var isOnDisk: Bool
    /// Whether a use is saved beside it in the file.
    var hasSavedUse: Bool
    /// Whether its last use is not in the file yet.
    var isUnsaved = false

    fileprivate var previous: Slot = none
    fileprivate var next: Slot = none
    fileprivate var place = 0
  }

  fileprivate static let none = -1

  /// By slot; what is in free ones means nothing.
  private var entries: [Entry] = []
  private var freeSlots: [Slot] = []
  private var slots: [String: Slot] = [:]
  private var order = NumberOrder()
  /// By their last use: those on the disk, and those that are not.
  private var disk = UseList()
  private var elsewhere = UseList()

  /// The bytes of the data on the disk.
  private(set) var byteCount = 0
  /// The highest tick there was, and the highest number.
  private(set) var tick: UInt64 = 0
  private(set) var number: UInt64 = 0

  /// The first of the unsaved uses of archives on the disk; everything behind it in the list is looked at.
  private var unsaved: Slot = none

  /// How many archives there are, on the disk or elsewhere.
  var count: Int { slots.count }
  /// How many are not on the disk.
  var countElsewhere: Int { elsewhere.count }
  /// The one on the disk that was used before all others.
  var leastRecent: Slot? { disk.first == Self.none ? nil : disk.first }
  /// Whether there is a use of an archive on the disk that is not in the file yet.
  var hasUnsaved: Bool { unsaved != Self.none }
  /// Whether there is one up to a tick.
  func hasUnsaved(through tick: UInt64) -> Bool { hasUnsaved && self[unsaved].tick <= tick }

  subscript(slot: Slot) -> Entry {
    _read { yield entries[slot] }
  }

  func slot(of key: String) -> Slot? { slots[key] }

  /// The one on the disk that was used next after another on the disk.
  func moreRecent(than slot: Slot) -> Slot? {
    let next = self[slot].next
    return next == Self.none ? nil : next
  }

  /// Numbers and ticks that are greater than all before; they count once an entry has them.
  var nextNumber: UInt64 { number + 1 }
  var nextTick: UInt64 { tick + 1 }

  // MARK: Changing

  /// Takes an archive in whose number is greater than all others', and whose tick too.
  @discardableResult
  mutating func add(
    _ key: String, _ head: ArchiveHead, byteCount: Int, isOnDisk: Bool
  ) -> Slot {
    let slot = freeSlots.popLast() ?? entries.count
    var entry = Entry(
      key: key, number: head.number, recordedTick: head.tick, tick: head.tick,
      milliseconds: head.milliseconds, byteCount: isOnDisk ? byteCount : 0, isOnDisk: isOnDisk,
      hasSavedUse: false)
    entry.place = order.append(head.number, slot)
    if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
    slots[key] = slot
    self.byteCount += entry.byteCount
    number = Swift.max(number, head.number)
    tick = Swift.max(tick, head.tick)
    link(slot)
    return slot
  }

  /// Notes that an archive was recorded again: a use that is saved beside it is an earlier one from now on.
  mutating func replace(_ slot: Slot, _ head: ArchiveHead, byteCount: Int, isOnDisk: Bool) {
    unlink(slot)
    self.byteCount += (isOnDisk ? byteCount : 0) - self[slot].byteCount
    update(slot) { entry in
      entry.recordedTick = head.tick
      entry.tick = head.tick
      entry.milliseconds = head.milliseconds
      entry.byteCount = isOnDisk ? byteCount : 0
      entry.isOnDisk = isOnDisk
      entry.hasSavedUse = entry.hasSavedUse && isOnDisk
      entry.isUnsaved = false
    }
    tick = Swift.max(tick, head.tick)
    link(slot)
  }

  /// Notes a use, which is the last of all.
  mutating func use(_ slot: Slot, milliseconds: UInt64) {
    unlink(slot)
    tick += 1
    let now = tick
    update(slot) { entry in
      entry.tick = now
      entry.milliseconds = milliseconds
      entry.isUnsaved = entry.isOnDisk
    }
    link(slot)
    if unsaved == Self.none, self[slot].isUnsaved { unsaved = slot }
  }

  /// Notes that a use of an archive is in the file, as it was found there.
  mutating func noteFound(_ use: SavedUse, of slot: Slot) {
    update(slot) { entry in
      entry.hasSavedUse = true
      if use.tick > entry.tick { (entry.tick, entry.milliseconds) = (use.tick, use.milliseconds) }
    }
    tick = Swift.max(tick, use.tick)
  }

  /// Notes that the disk part has an archive no more.
  mutating func leaveDisk(_ slot: Slot) {
    unlink(slot)
    byteCount -= self[slot].byteCount
    update(slot) { entry in
      entry.byteCount = 0
      entry.isOnDisk = false
      entry.hasSavedUse = false
      entry.isUnsaved = false
    }
    link(slot)
  }

  /// Forgets an archive.
  mutating func remove(_ slot: Slot) {
    unlink(slot)
    let entry = self[slot]
    byteCount -= entry.byteCount
    slots[entry.key] = nil
    entries[slot].key = ""
    freeSlots.append(slot)
    for (moved, place) in order.remove(at: entry.place) { entries[moved].place = place }
  }

  /// Forgets all; numbers and ticks go on.
  mutating func removeAll() {
    let (tick, number) = (tick, number)
    self = ArchiveLedger()
    self.tick = tick
    self.number = number
  }

  // MARK: Uses and the file

  /// Puts the list of uses of archives on the disk, all of which are in the file, into the order of their ticks.
  mutating func sortByUse() {
    var sorted: [(tick: UInt64, slot: Slot)] = []
    var slot = disk.first
    while slot != Self.none {
      sorted.append((self[slot].tick, slot))
      slot = self[slot].next
    }
    sorted.sort { $0.tick < $1.tick }
    disk = UseList()
    for (_, slot) in sorted { link(slot) }
  }

  /// The archives, at most so many, with the earliest of the uses that are not in the file yet.
  func unsavedSlots(countMax: Int) -> [Slot] {
    var found: [Slot] = []
    var slot = unsaved
    while slot != Self.none, found.count < countMax {
      if self[slot].isUnsaved { found.append(slot) }
      slot = self[slot].next
    }
    return found
  }

  /// Notes that the uses of these, the earliest that were not, are in the file now.
  mutating func noteSaved(_ saved: [Slot]) {
    for slot in saved {
      update(slot) { entry in
        entry.isUnsaved = false
        entry.hasSavedUse = true
      }
    }
    while unsaved != Self.none, !self[unsaved].isUnsaved { unsaved = self[unsaved].next }
  }

  // MARK: Walking

  /// Archives in the order of their numbers, at most so many: those above one number, and up to another.
  func slots(after number: UInt64, through last: UInt64, countMax: Int) -> [Slot] {
    order.slots(after: number, through: last, countMax: countMax)
  }

  /// Archives that are not on the disk, those first that were not used for the longest.
  var slotsElsewhere: [Slot] {
    var found: [Slot] = []
    var slot = elsewhere.first
    while slot != Self.none {
      found.append(slot)
      slot = self[slot].next
    }
    return found
  }

  // MARK: Lists

  private mutating func update(_ slot: Slot, _ change: (inout Entry) -> Void) {
    change(&entries[slot])
  }

  private mutating func link(_ slot: Slot) {
    let isOnDisk = self[slot].isOnDisk
    let last = isOnDisk ? disk.last : elsewhere.last
    entries[slot].previous = last
    entries[slot].next = Self.none
    if last != Self.none { entries[last].next = slot }
    if isOnDisk { disk.append(slot) } else { elsewhere.append(slot) }
  }

  private mutating func unlink(_ slot: Slot) {
    let (previous, next, isOnDisk) = (self[slot].previous, self[slot].next, self[slot].isOnDisk)
    if slot == unsaved { moveUnsaved(behind: slot) }
    if previous != Self.none { entries[previous].next = next }
    if next != Self.none { entries[next].previous = previous }
    if isOnDisk {
      disk.remove(slot, previous: previous, next: next)
    } else {
      elsewhere.remove(slot, previous: previous, next: next)
    }
  }

  /// Lets the unsaved uses begin with the next behind one that goes.
  private mutating func moveUnsaved(behind slot: Slot) {
    repeat { unsaved = self[unsaved].next } while unsaved != Self.none && !self[unsaved].isUnsaved
  }
}

/// The ends of a doubly linked list of slots.
private struct UseList {
  var first = ArchiveLedger.none
  var last = ArchiveLedger.none
  var count = 0

  mutating func append(_ slot: ArchiveLedger.Slot) {
    if first == ArchiveLedger.none { first = slot }
    last = slot
    count += 1
  }

  mutating func remove(_ slot: ArchiveLedger.Slot, previous: ArchiveLedger.Slot, next: ArchiveLedger.Slot) {
    if first == slot { first = next }
    if last == slot { last = previous }
    count -= 1
  }
}
