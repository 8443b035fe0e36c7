/// Numbers that look random and follow from a seed alone, so that a failing test can be run again.
///
/// It is SplitMix64: quick, with a period of 2^64, and not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// Starts the sequence that belongs to `seed`.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next number of the sequence.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// A seed of its own for part `index` of something that was started from `seed`.
  static func derive(_ seed: UInt64, _ index: Int) -> UInt64 {
    var first = SeededGenerator(seed: seed)
    var second = SeededGenerator(seed: first.next() ^ UInt64(truncatingIfNeeded: index))
    return second.next()
  }
}
