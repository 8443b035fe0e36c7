/// An order of the numbers below a count in which each comes once in a round, and those that come one after the other
/// are far apart: any part of it is an even sample.
struct Spread: Sendable {
  let count: Int
  private let step: Int

  /// For at least one number.
  init(_ count: Int) {
    self.count = count
    // The golden ratio spreads best; the number next to it that shares no divisor with the count meets each once.
    var step = max(1, Int(Double(count) * 0.618))
    while Self.divisor(step, count) > 1 { step += 1 }
    self.step = step
  }

  /// The number that comes at a place, and how many rounds came before it.
  func number(at place: UInt64) -> (number: Int, round: UInt64) {
    let (round, rest) = place.quotientAndRemainder(dividingBy: UInt64(count))
    // Counts are far below what would make this overflow.
    return (Int(rest) * step % count, round)
  }

  private static func divisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : divisor(other, one % other)
  }
}
