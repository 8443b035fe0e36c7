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
  /// Where in `copied` each of the partitions ends.
  private var partitionEnds: [Int] = []
  private var order = EntryOrder()

  init(_ reader: Reader, _ moment: IndexMoment) {
    self.reader = reader
    self.moment = moment
    collections = Dictionary(uniqueKeysWithValues: reader.collections.all.map { ($0.number, $0) })
  }

  /// From so many entries on no further partition is copied with them, where records are read by calls.
  ///
  /// All records of the entries are visited in one pass through the file, so many entries make few passes.
  private static let entryCountOfPass = 1 << 20

  /// Copies the entries of the next partitions and counts what they lead to; false if that cannot be told.
  ///
  /// One partition is copied where records are read in place.
  mutating func copyPartitions(_ accounts: inout IndexAccounts) -> Bool {
    copied.removeAll(keepingCapacity: true)
    partitionEnds.removeAll(keepingCapacity: true)
    let isByCalls = reader.volume.mappedByteCount == 0
    Readers.enter(reader.domain)
    defer { Readers.leave() }
    repeat {
      guard copyPartition() else { return false }
    } while isByCalls && prefix != nil && copied.count < Self.entryCountOfPass
    return isByCalls ? countByCalls(&accounts) : countInPlace(&accounts)
  }

  private mutating func copyPartition() -> Bool {
    guard let first = prefix else { return false }
    let partition = first >> (64 - moment.partitionBitCount)
    while let from = prefix, from >> (64 - moment.partitionBitCount) == partition {
      let view = reader.index.view
      // It was built anew, under other hashes or without anything in it.
      guard view.keyHash == moment.keyHash, view.depth(at: from) >= moment.splitBitCount else { return false }
      prefix = view.copyEntries(from: from, into: &copied)
    }
    partitionEnds.append(copied.count)
    return true
  }

  /// How many partitions were copied last.
  var copiedPartitionCount: Int { partitionEnds.count }

  /// Appends the entries to be stored of one of the partitions that were copied last.
  func append(copiedPartition number: Int, to entries: inout [UInt64]) {
    let start = number == 0 ? 0 : partitionEnds[number - 1]
    for entry in copied[start..<partitionEnds[number]] where entry != Self.leftOut {
      entries.append(entry.rawValue)
    }
  }

  /// What stands for an entry that is not to be stored.
  private static let leftOut = IndexEntry(rawValue: IndexEntry.vacant)

  /// Counts what the copied entries lead to, and takes out those that are not to be stored; false if it cannot be told.
  ///
  /// In a reader's scope.
  private mutating func countInPlace(_ accounts: inout IndexAccounts) -> Bool {
    let ahead = 32
    order.sort(copied)
    // Looked up once: counting references for each record costs more than what is done with them.
    let reader = reader
    let defaultState = reader.collections.defaultState
    for place in 0..<copied.count {
      if place + ahead < copied.count { reader.prefetchHead(copied[order[place + ahead]]) }
      let isCounted = count(order[place], in: defaultState, &accounts) { position, _ in
        try? reader.record(at: position)
      }
      guard isCounted else { return false }
    }
    return true
  }

  /// Slow form of `countInPlace`, which reads the records with few calls, in the order of the file.
  private mutating func countByCalls(_ accounts: inout IndexAccounts) -> Bool {
    let numbers = copied.indices.sorted { copied[$0].position < copied[$1].position }
    let positions = numbers.map { copied[$0].position << 3 }
    let defaultState = reader.collections.defaultState
    var heads = RecordHeads(reader)
    for (place, number) in numbers.enumerated() {
      let isCounted = count(number, in: defaultState, &accounts) { [reader] position, segment in
        let head = try? heads.record(at: position, in: segment) { number in
          place + 1 + number < positions.count ? positions[place + 1 + number] : nil
        }
        return head ?? (try? reader.record(at: position))
      }
      guard isCounted else { return false }
    }
    return true
  }

  /// Counts what one of the copied entries leads to, or takes it out; false if it cannot be told.
  @inline(__always)
  private mutating func count(
    _ number: Int, in defaultState: CollectionState, _ accounts: inout IndexAccounts,
    _ record: (_ position: UInt64, Segment) -> FoundRecord?
  ) -> Bool {
    let position = copied[number].position << 3
    guard let segment = reader.slots.segment(at: position >> UInt64(Limits.slotByteCountLog2)) else {
      return false
    }
    if isLater(position, segment) {
      copied[number] = Self.leftOut
      return true
    }
    guard let found = record(position, segment) else { return false }
    defer { found.release() }
    let view = found.view
    guard view.kind == .put || view.kind == .putLarge else { return false }
    if isLive(found, defaultState) {
      accounts.count(
        generation: segment.generation, collection: view.collection, byteCount: view.byteCount,
        expires: !view.isPlainPut && view.expiry != 0,
        extentSlotCount: view.isPlainPut ? 0 : found.place?.slotCount ?? 0)
      return true
    }
    copied[number] = Self.leftOut
    return isIntact(at: position)
  }

  /// Whether the record at a position is intact: a rotten bit may claim that it was cleared, and then the key must not go
  /// without a word.
  @inline(never)
  private func isIntact(at position: UInt64) -> Bool {
    guard let found = try? reader.record(at: position) else { return false }
    defer { found.release() }
    return found.view.isIntact(at: position, seed: found.segment.seed)
  }

  /// Whether a position was appended to or moved to after the moment.
  @inline(__always)
  private func isLater(_ position: UInt64, _ segment: Segment) -> Bool {
    let generation = segment.generation
    if generation >= moment.generationLimit.rawValue { return true }
    return generation == moment.position.generation.rawValue
      && position >= moment.position.offset.byteOffset
  }

  /// Whether a record was not cleared, as far as its bytes can be believed.
  @inline(__always)
  private func isLive(_ found: FoundRecord, _ defaultState: CollectionState) -> Bool {
    let view = found.view
    if view.shape & 0b0000_1000 == 0 { return Self.isLive(found, in: defaultState) }
    if let state = collections[view.collection] { return Self.isLive(found, in: state) }
    return view.collection >= CollectionEntry.systemNumberMin
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
