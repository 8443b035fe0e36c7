internal import SedimentFormat
internal import Synchronization

/// A moment of an open store at which the copying of its index begins: all that was appended before it, the index knows.
struct IndexMoment {
  /// Where the log stood.
  let position: LogPosition
  /// The sequence of its last record.
  let sequence: SequenceNumber
  /// Segments that come later have this generation or a higher one.
  let generationLimit: Generation
  let keyHash: KeyHash
  /// How many bits of a hash choose its partition, and how many of these entries hold, too: as many as all partitions of
  /// the index were split by.
  let partitionBitCount: UInt64
  let splitBitCount: UInt64
  /// How much had ever been appended and moved.
  let appendedByteCount: UInt64

  var partitionCount: Int { 1 << Int(partitionBitCount) }

  /// The present moment.
  init(_ writer: borrowing LogWriter, _ view: IndexView) {
    position = writer.tail.position
    sequence = SequenceNumber(writer.tail.sequence)!
    generationLimit = writer.catalogue.numbers.nextGeneration
    keyHash = view.keyHash
    splitBitCount = view.leastDepth
    partitionBitCount = KeyHash.baseBitCount + splitBitCount
    appendedByteCount = writer.writtenTotal
  }
}

/// Copies the entries of an index, partition by partition, as they were at a moment or later (DESIGN.md 8,
/// "Stored index").
///
/// Entries that lead to what came after the moment are left out, for who goes by the copy scans that; so are those
/// whose records were cleared. No segment may be moved or freed while a partition is copied.
struct IndexSnapshot {
  private let reader: Reader
  private let moment: IndexMoment
  private let collections: [UInt32: CollectionState]
  private var prefix: UInt64? = 0
  private var copied: [IndexEntry] = []
  private var order = EntryOrder()

  init(_ reader: Reader, _ moment: IndexMoment) {
    self.reader = reader
    self.moment = moment
    collections = Dictionary(uniqueKeysWithValues: reader.collections.all.map { ($0.number, $0) })
  }

  /// Appends the entries of the next partition and counts what they lead to; false if it cannot be told.
  mutating func copyPartition(
    into entries: inout [UInt64], _ accounts: inout IndexAccounts
  ) -> Bool {
    guard let first = prefix else { return false }
    let partition = first >> (64 - moment.partitionBitCount)
    while let from = prefix, from >> (64 - moment.partitionBitCount) == partition {
      copied.removeAll(keepingCapacity: true)
      Readers.enter(reader.domain)
      defer { Readers.leave() }
      let view = reader.index.view
      // It was built anew, under other hashes or without anything in it.
      guard view.keyHash == moment.keyHash, view.depth(at: from) >= moment.splitBitCount else { return false }
      prefix = view.copyEntries(from: from, into: &copied)
      guard count(&accounts) else { return false }
      for entry in copied where entry != Self.leftOut { entries.append(entry.rawValue) }
    }
    return true
  }

  /// What stands for an entry that is not to be stored.
  private static let leftOut = IndexEntry(rawValue: IndexEntry.vacant)

  /// Counts what the copied entries lead to, and takes out those that are not to be stored; false if it cannot be told.
  ///
  /// In a reader's scope.
  private mutating func count(_ accounts: inout IndexAccounts) -> Bool {
    let ahead = 32
    order.sort(copied)
    // Looked up once: counting references for each record costs more than what is done with them.
    let reader = reader
    let slots = reader.slots
    let defaultState = reader.collections.defaultState
    for place in 0..<copied.count {
      if place + ahead < copied.count { reader.prefetchHead(copied[order[place + ahead]]) }
      let number = order[place]
      let position = copied[number].position << 3
      guard let segment = slots.segment(at: position >> UInt64(Limits.slotByteCountLog2)) else {
        return false
      }
      if isLater(position, segment) {
        copied[number] = Self.leftOut
        continue
      }
      guard let found = try? reader.record(at: position) else { return false }
      defer { found.release() }
      switch isLive(found, defaultState) {
      case true?:
        let view = found.view
        accounts.count(
          generation: segment.generation, collection: view.collection, byteCount: view.byteCount,
          expires: !view.isPlainPut && view.expiry != 0,
          extentSlotCount: view.isPlainPut ? 0 : found.place?.slotCount ?? 0)
      case false?: copied[number] = Self.leftOut
      case nil: return false
      }
    }
    return true
  }

  /// Whether a position was appended to or moved to after the moment.
  @inline(__always)
  private func isLater(_ position: UInt64, _ segment: Segment) -> Bool {
    let generation = segment.generation
    if generation >= moment.generationLimit.rawValue { return true }
    return generation == moment.position.generation.rawValue
      && position >= moment.position.offset.byteOffset
  }

  /// Whether a record was not cleared; nil if its bytes make no sense.
  @inline(__always)
  private func isLive(_ found: FoundRecord, _ defaultState: CollectionState) -> Bool? {
    let view = found.view
    guard view.kind == .put || view.kind == .putLarge else { return nil }
    if view.shape & 0b0000_1000 == 0 {
      if Self.isLive(found, in: defaultState) { return true }
    } else if let state = collections[view.collection] {
      if Self.isLive(found, in: state) { return true }
    } else if view.collection >= CollectionEntry.systemNumberMin {
      return true
    }
    // A rotten bit may say so; then the key must not go without a word.
    return view.isIntact(at: found.position, seed: found.segment.seed) ? false : nil
  }

  @inline(__always)
  private static func isLive(_ found: FoundRecord, in state: CollectionState) -> Bool {
    let clearedAt = state.clearedAt.load(ordering: .acquiring)
    return clearedAt == 0 || found.sequence > clearedAt
  }
}

/// Entries in the order of the places in the file that they lead to, but for places that lie near each other.
///
/// Who follows them in their own order leaves the page of the one before with each: looking up where a page is takes
/// the processor longer than what is read there.
private struct EntryOrder {
  private var numbers: [UInt32] = []
  private var starts: [Int] = []

  private static let groupCountLog2 = 10

  /// The number of the entry that comes at a place.
  subscript(place: Int) -> Int { Int(numbers[place]) }

  mutating func sort(_ entries: [IndexEntry]) {
    let highest = entries.reduce(0) { max($0, $1.position) }
    let shift = max(UInt64.bitWidth - highest.leadingZeroBitCount - Self.groupCountLog2, 0)
    starts = Array(repeating: 0, count: 1 << Self.groupCountLog2 + 1)
    for entry in entries { starts[Int(entry.position >> shift) + 1] += 1 }
    for group in 1..<starts.count { starts[group] += starts[group - 1] }
    numbers = Array(repeating: 0, count: entries.count)
    for (number, entry) in entries.enumerated() {
      let group = Int(entry.position >> shift)
      numbers[starts[group]] = UInt32(truncatingIfNeeded: number)
      starts[group] += 1
    }
  }
}

/// Counts what the entries of an index lead to: in which segments, and of which collections.
struct IndexAccounts {
  private var rows: [Row] = []
  private var numbers: [Name: Int] = [:]
  /// The row of one of the names that have a place here, found without hashing.
  private var cache = [UInt32](repeating: 0, count: cacheCount)

  private static let cacheCount = 1024

  private struct Name: Hashable {
    let generation: UInt64
    let collection: UInt32
  }

  private struct Row {
    let name: Name
    var recordCount: UInt32 = 0
    var expiringCount: UInt32 = 0
    var byteCount: UInt64 = 0
    var extentSlotCount: UInt32 = 0
  }

  mutating func count(
    generation: UInt64, collection: UInt32, byteCount: Int, expires: Bool, extentSlotCount: UInt32
  ) {
    let place = Int(truncatingIfNeeded: generation &+ UInt64(collection) &* 97) & (Self.cacheCount - 1)
    var number = Int(cache[place]) &- 1
    if number < 0 || rows[number].name.generation != generation || rows[number].name.collection != collection
    {
      number = find(Name(generation: generation, collection: collection))
      cache[place] = UInt32(truncatingIfNeeded: number &+ 1)
    }
    rows[number].recordCount &+= 1
    if expires { rows[number].expiringCount &+= 1 }
    rows[number].byteCount &+= UInt64(byteCount)
    rows[number].extentSlotCount &+= extentSlotCount
  }

  private mutating func find(_ name: Name) -> Int {
    if let number = numbers[name] { return number }
    rows.append(Row(name: name))
    numbers[name] = rows.count - 1
    return rows.count - 1
  }

  /// The accounts, in the order in which their first records came.
  var all: [IndexAccount] {
    rows.map { row in
      // A segment's generation was in range when it was made, and no record is shorter than its fixed fields.
      IndexAccount(
        generation: Generation(row.name.generation)!, collection: row.name.collection,
        recordCount: row.recordCount, expiringCount: row.expiringCount, byteCount: row.byteCount,
        extentSlotCount: row.extentSlotCount)!
    }
  }
}
