internal import SedimentFormat
internal import Synchronization

/// How many slots segments with records may take before compaction is due (DESIGN.md 8, "Policy").
package struct SpaceBudget: Hashable, Sendable {
  /// From here on compaction is due.
  package let dueSlotCount: UInt32
  /// What an exchange should win if compaction keeps up.
  package let leastGainSlotCount: UInt32
  private let gainSlotCountMax: UInt32
  /// From here on compaction is behind; four segments more than due are no more than when holes are short for a while.
  private let behindSlotCount: UInt32

  /// `keptSlotCount` is what is free and cannot be used for records, `slackSlotCount` what dead records may take in a
  /// small store, in slots.
  package init(
    liveByteCount: Int, segmentSlotCount: UInt32, keptSlotCount: UInt32, slackSlotCount: UInt32
  ) {
    let live = min(max(liveByteCount, 0), Int(Limits.fileSlotCountMax) * Limits.slotByteCount)
    let liveSlotCount = UInt32((live + Limits.slotByteCount - 1) / Limits.slotByteCount)
    // The file is to stay below 1.35 times the live bytes and four segments. Of the four, one is what the survivors of
    // an exchange take before their victims come free, and one is written while it lasts.
    let slack = UInt32(live / 100 * 35 / Limits.slotByteCount) + 2 * segmentSlotCount
    let others = keptSlotCount + Limits.headSlotCount
    dueSlotCount = liveSlotCount + max(slack > others ? slack - others : 0, slackSlotCount)
    behindSlotCount = dueSlotCount + 4 * segmentSlotCount
    // Each exchange is one change of the catalogue and, where slots are short, one sync.
    leastGainSlotCount = max(segmentSlotCount / 2, min(16, slackSlotCount), 1)
    gainSlotCountMax = max(3 * segmentSlotCount, leastGainSlotCount)
  }

  /// What an exchange should win where segments with records take so many slots.
  ///
  /// The survivors of a small one take few slots before those of their victims come free; one that is behind spends
  /// its time on records rather than on syncs.
  package func gainSlotCount(at recordSlotCount: UInt32) -> UInt32 {
    let excess = recordSlotCount > behindSlotCount ? recordSlotCount - behindSlotCount : 0
    return min(max(excess / 2, leastGainSlotCount), gainSlotCountMax)
  }
}

/// How long a writer waits for compaction, so that the file keeps its bound however many write (invariant 23).
///
/// A pure function of the accounts, with two marks. Behind the first one a change waits the longer the more is dead, so
/// that writers come to be as slow as compaction; behind the second one, writers win space themselves.
package struct WritingPace: Hashable, Sendable {
  /// How many nanoseconds each change waits, as one word, so that writers ask for it without a lock.
  fileprivate let word: UInt64

  /// Compaction keeps up.
  package static var free: Self { Self(word: 0) }
  /// A change waits until enough was won, and helps.
  package static var helping: Self { Self(word: UInt64.max >> 1) }
  /// Each change waits so many nanoseconds.
  package static func slowed(_ nanoseconds: UInt64) -> Self { Self(word: max(nanoseconds, 1)) }

  /// How long a change waits before it looks again.
  var nanoseconds: UInt64 { self == .helping ? 200_000 : word }
}

extension WritingPace {
  /// `usedSlotCount` is what compaction could win at the most, `vainSlotCount` what that was when compaction last found
  /// nothing to win, 0 if it did, and `dueSlotCount` where it begins.
  package init(liveByteCount: Int, usedSlotCount: UInt32, dueSlotCount: UInt32, vainSlotCount: UInt32) {
    let slot = UInt64(Limits.slotByteCount)
    let live = UInt64(max(liveByteCount, 0)) / slot
    let slack = UInt64(8 << 20) / slot
    let used = UInt64(usedSlotCount)
    // What cannot be won is no reason to wait.
    let least = max(UInt64(dueSlotCount), UInt64(vainSlotCount)) + slack / 2
    let first = max(live * 9 / 5 + slack, least)
    let second = max(live * 2 + slack * 7 / 4, first + slack / 2)
    if used <= first {
      self = .free
    } else if used >= second {
      self = .helping
    } else {
      self = .slowed((used - first) * Self.nanosecondsMax / (second - first))
    }
  }

  /// The longest that a change waits for compaction before it helps.
  private static let nanosecondsMax: UInt64 = 4_000_000
}

/// Whether a change may be made at once, as writers ask for it without a lock, and as the writer's lock alone sets it.
final class PaceCell: Sendable {
  /// The pace's word and, in the highest bit, whether a change has the turn.
  private let value = Atomic<UInt64>(0)
  private static let turnBit = UInt64(1) << 63

  /// Whether nobody has to wait.
  @inline(__always) var isFree: Bool { value.load(ordering: .relaxed) == 0 }

  var pace: WritingPace {
    get { WritingPace(word: value.load(ordering: .relaxed) & ~Self.turnBit) }
    set { value.store(value.load(ordering: .relaxed) & Self.turnBit | newValue.word, ordering: .relaxed) }
  }

  /// Whether a change that missed what it had won now keeps others from taking it (DESIGN.md 8, "Room").
  var isTurnTaken: Bool {
    get { value.load(ordering: .relaxed) & Self.turnBit != 0 }
    set { value.store(newValue ? pace.word | Self.turnBit : pace.word, ordering: .relaxed) }
  }
}
