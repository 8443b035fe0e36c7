internal import SedimentFormat

/// What a change that found no room has come to so far, so that it does not search for ever.
///
/// Making room takes room, too, for checkpoints and changes of the catalogue, whose segments come back with the next
/// attempt. So it is not enough that something came back: there must be more than before.
struct RoomSearch {
  /// The slots that the change takes at least.
  private let slotCount: UInt32
  /// The most slots that there were to be had so far.
  private var mostSlotCount: UInt32?
  private var evictedCount: UInt64 = 0
  private var vainCount = 0
  /// Whether others begin no change until this one has ended.
  var hasTurn = false
  /// Until when the change waits for those that hold freed slots, once it has waited for any.
  var wakingTime: UInt64?

  /// Whether attempts were made and came to nothing, so that others need not make them as well.
  ///
  /// A change that is too long for the file makes no attempt, and so says nothing about others.
  var isSpent: Bool { vainCount > 0 }

  /// After so many attempts in a row from which nothing came there is an end.
  private static let vainCountMax = 3
  private static let vainCountMaxWhereEvicting = 16

  /// Whether the change needs several slots in a row, and what lies last was not moved yet so that free ones adjoin.
  private var mayTakeRow: Bool

  /// A search for a change that stores so many bytes, with a key of so many.
  init(forStoring byteCount: Int, recordOf keyByteCount: Int) {
    slotCount = UInt32(clamping: byteCount / Limits.slotByteCount)
    mayTakeRow = LogWriter.isLong(keyOf: keyByteCount)
  }

  /// Whether the file's end should be cleared for a row of slots; once in a search.
  mutating func takesRow() -> Bool {
    defer { mayTakeRow = false }
    return mayTakeRow
  }

  /// Whether another attempt may lead to anything, now that one has failed.
  mutating func isHopeful(_ writer: borrowing LogWriter, isDiskFull: Bool) -> Bool {
    let limit = isDiskFull ? writer.space.end : writer.space.slotCountMax
    // The head, the end of the log and the reserve are never to be had.
    let others = Limits.headSlotCount + 1 + (slotCount > 0 ? writer.reservedCountAtCap : 0)
    guard slotCount <= limit - min(limit, others) else { return false }
    let present = writer.space.presentSlotCount
    let evicted = writer.totals.evictedCount
    let isMore = mostSlotCount.map { present > $0 } ?? true || evicted != evictedCount
    vainCount = isMore ? 0 : vainCount + 1
    mostSlotCount = max(present, mostSlotCount ?? 0)
    evictedCount = evicted
    return vainCount <= (writer.evicts ? Self.vainCountMaxWhereEvicting : Self.vainCountMax)
  }
}

/// The state of a store in which a search for room has come to nothing: as long as it stays like this, others need not
/// search as well.
struct VainSearch {
  private let reclaimedSlotCount: UInt64
  /// The freed slots that holds of readers kept; nil if there were none.
  private let held: HeldSlots?
  private let neededGeneration: Generation
  private let deadByteCount: Int
  /// Segments that had died whole: of one slot these are less than its bytes.
  private let emptied: Set<Generation>
  private let hasExpired: Bool
  private let expiryCount: UInt64

  /// The state now; `held` are the freed slots that are known to be held.
  init(_ writer: borrowing LogWriter, held: HeldSlots? = nil) {
    self.held = held
    reclaimedSlotCount = writer.space.reclaimedSlotCount
    neededGeneration = writer.neededGeneration
    deadByteCount = Self.deadByteCount(writer)
    emptied = writer.emptied
    hasExpired = writer.hasExpired
    expiryCount = writer.ledger.expiryCount
  }

  /// How many freed slots holds of readers kept.
  var heldSlotCount: UInt32 { held?.slotCount ?? 0 }

  /// Whether nothing has happened since that lets a search win anything: nothing came back or waits to
  /// (but for slots that are still held), no checkpoint let go of segments, next to nothing died, and nothing has expired.
  func isStill(_ writer: borrowing LogWriter) -> Bool {
    writer.space.freedSlotCount == held?.slotCount ?? 0 && held?.isStill ?? true
      && reclaimedSlotCount == writer.space.reclaimedSlotCount && neededGeneration == writer.neededGeneration
      && Self.deadByteCount(writer) < deadByteCount + Limits.slotByteCount
      && writer.emptied.isSubset(of: emptied) && hasExpired == writer.hasExpired
      && expiryCount == writer.ledger.expiryCount
  }

  private static func deadByteCount(_ writer: borrowing LogWriter) -> Int {
    Int(writer.recordSlotCount + writer.deadExtentSlotCount) * Limits.slotByteCount - writer.liveByteCount
  }
}

extension LogWriter {
  /// Whether a search for room would come to nothing, as the last one did.
  ///
  /// What evicts always finds something in the end.
  var isInVain: Bool { !evicts && (vainSearch?.isStill(self) ?? false) }
}
