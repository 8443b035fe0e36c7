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
  let baseBitCount: UInt64
  /// How much had ever been appended and moved.
  let appendedByteCount: UInt64

  var partitionCount: Int { 1 << Int(baseBitCount) }
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
    let partition = first >> (64 - moment.baseBitCount)
    while let from = prefix, from >> (64 - moment.baseBitCount) == partition {
      copied.removeAll(keepingCapacity: true)
      Readers.enter(reader.domain)
      defer { Readers.leave() }
      let view = reader.index.view
      // It was built anew, under other hashes or without anything in it.
      guard view.keyHash == moment.keyHash else { return false }
      prefix = view.copyEntries(from: from, into: &copied)
      guard keep(&entries, &accounts) else { return false }
    }
    return true
  }

  /// Takes over what of the copied entries is to be stored.
  ///
  /// In a reader's scope.
  private func keep(_ entries: inout [UInt64], _ accounts: inout IndexAccounts) -> Bool {
    let ahead = 32
    // Looked up once: counting references for each record costs more than what is done with them.
    let reader = reader
    let slots = reader.slots
    let defaultState = reader.collections.defaultState
    for (place, entry) in copied.enumerated() {
      if place + ahead < copied.count { reader.prefetchHead(copied[place + ahead]) }
      let position = entry.position << 3
      guard let segment = slots.segment(at: position >> UInt64(Limits.slotByteCountLog2)) else {
        return false
      }
      if isLater(position, segment) { continue }
      guard let found = try? reader.record(at: position) else { return false }
      defer { found.release() }
      switch state(of: found, defaultState) {
      case .live:
        let view = found.view
        accounts.count(
          generation: segment.generation, collection: view.collection, byteCount: view.byteCount,
          expires: !view.isPlainPut && view.expiry != 0,
          extentSlotCount: view.isPlainPut ? 0 : found.place?.slotCount ?? 0)
        entries.append(entry.rawValue)
      case .dead: continue
      case .unknown: return false
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

  private enum RecordState {
    case live
    /// It was cleared.
    case dead
    /// Its bytes make no sense.
    case unknown
  }

  @inline(__always)
  private func state(of found: FoundRecord, _ defaultState: CollectionState) -> RecordState {
    let view = found.view
    guard view.kind == .put || view.kind == .putLarge else { return .unknown }
    if view.shape & 0b0000_1000 == 0 {
      if Self.isLive(found, defaultState) { return .live }
    } else if let state = collections[view.collection] {
      if Self.isLive(found, state) { return .live }
    } else if view.collection >= CollectionEntry.systemNumberMin {
      return .live
    }
    // A rotten bit may say so; then the key must not go without a word.
    return view.isIntact(at: found.position, seed: found.segment.seed) ? .dead : .unknown
  }

  @inline(__always)
  private static func isLive(_ found: FoundRecord, _ state: CollectionState) -> Bool {
    let clearedAt = state.clearedAt.load(ordering: .acquiring)
    return clearedAt == 0 || found.sequence > clearedAt
  }
}
