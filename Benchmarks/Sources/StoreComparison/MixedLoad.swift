internal import MachineLimits

/// One step of a mixed load.
public struct MixedStep: Sendable {
  @usableFromInline let word: UInt32

  private static let readingBit: UInt32 = 1 << 30
  private static let writingBit: UInt32 = 1 << 31

  init(keyNumber: Int, reads: Bool, writes: Bool) {
    word =
      UInt32(keyNumber) | (reads ? MixedStep.readingBit : 0) | (writes ? MixedStep.writingBit : 0)
  }

  /// Which of the keys it is about.
  @inlinable package var keyNumber: Int { Int(word & (1 << 30 - 1)) }

  /// Whether it reads; one that writes as well reads first.
  @inlinable package var reads: Bool { word & 1 << 30 != 0 }

  /// Whether it writes.
  @inlinable package var writes: Bool { word & 1 << 31 != 0 }
}

/// Reads and writes of keys some of which are far more wanted than others.
///
/// The letters are those of YCSB (Cooper and others, 2010), whose workload E goes through ranges of keys in their order: a
/// hash index has none.
package enum MixedLoad: String, CaseIterable, Sendable {
  /// Half of it reads, half overwrites, all keys alike.
  case even

  /// Half of it reads, half overwrites.
  case ycsbA = "A"

  /// 95 of 100 read, 5 overwrite.
  case ycsbB = "B"

  /// All of it reads.
  case ycsbC = "C"

  /// 95 of 100 read, mostly what is new, 5 add keys.
  case ycsbD = "D"

  /// Half of it reads, half reads and writes again.
  case ycsbF = "F"

  /// Whether it overwrites, so that it leads a store to a steady state.
  package var overwrites: Bool { self != .ycsbC && self != .ycsbD }

  /// Those with letters.
  package static let ycsb = allCases.filter { $0 != .even }

  /// What it does, in a few words.
  package var meaning: String {
    switch self {
    case .even: "half reads, half overwrites, all keys alike"
    case .ycsbA: "half reads, half overwrites"
    case .ycsbB: "95 of 100 read, 5 overwrite"
    case .ycsbC: "all read"
    case .ycsbD: "95 of 100 read what is new, 5 add keys"
    case .ycsbF: "half read, half read and write again"
    }
  }

  /// So many steps on a store that has so many keys, of which the last are still to be added.
  package func steps(count: Int, keyCount: Int, addedCount: Int, seed: UInt64) -> [MixedStep] {
    var random = SplitMix64(seed: seed)
    var wanted = Zipf(count: keyCount, seed: seed)
    var present = keyCount
    // The most wanted are not neighbours in the order in which they were stored.
    func scattered(_ rank: Int) -> Int {
      // A prime that is no divisor of the count makes each rank another key.
      Int(UInt64(rank) &* 2_654_435_761 % UInt64(keyCount))
    }
    return (0..<count).map { _ in
      let percent = Int(random.next() % 100)
      switch self {
      case .even:
        let number = Int(random.next() % UInt64(keyCount))
        return MixedStep(keyNumber: number, reads: percent < 50, writes: percent >= 50)
      case .ycsbA:
        return MixedStep(keyNumber: scattered(wanted.next()), reads: percent < 50, writes: percent >= 50)
      case .ycsbB:
        return MixedStep(keyNumber: scattered(wanted.next()), reads: percent < 95, writes: percent >= 95)
      case .ycsbC:
        return MixedStep(keyNumber: scattered(wanted.next()), reads: true, writes: false)
      case .ycsbD:
        if percent >= 95, present < keyCount + addedCount {
          present += 1
          return MixedStep(keyNumber: present - 1, reads: false, writes: true)
        }
        return MixedStep(keyNumber: present - 1 - wanted.next(), reads: true, writes: false)
      case .ycsbF:
        return MixedStep(keyNumber: scattered(wanted.next()), reads: true, writes: percent >= 50)
      }
    }
  }
}
