/// Numbers that follow no rhythm, the same ones each time; quicker than the system's.
struct Chance {
  private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// A number from 0 on.
  mutating func next(below bound: UInt32) -> UInt32 {
    state ^= state &<< 13
    state ^= state &>> 7
    state ^= state &<< 17
    return UInt32(truncatingIfNeeded: state &>> 32) % bound
  }
}
