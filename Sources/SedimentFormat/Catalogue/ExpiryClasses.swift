/// How much of a segment expires when, by four classes of lifetimes: up to an hour, a day, a month, and longer.
///
/// Of each class it is known how much there is, dead or not, and by when all of it has expired. So what outlives the
/// rest of a segment does not hide that the rest has expired (DESIGN.md 8, "Dead weight").
package struct ExpiryClasses: Hashable, Sendable {
  package static let count = 4

  /// The units of puts of each class.
  package var unitCounts = SIMD4<UInt32>()
  /// By when all of each class has expired, in steps of 65,536 milliseconds.
  package var steps = SIMD4<UInt32>()
  /// How many puts of each class are of large values; the highest number stands for more, too.
  package var largeCounts = SIMD4<UInt16>()

  package init() {}

  package var isEmpty: Bool { self == ExpiryClasses() }

  private static let stepBitCount: UInt64 = 16
  private static let hour: UInt64 = 3_600_000

  /// Counts a put that expires, at some time now.
  @inline(never)
  package mutating func add(byteCount: Int, isLarge: Bool, expiry: UInt64, now: UInt64) {
    let lifetime = expiry - min(now, expiry)
    let number =
      lifetime <= Self.hour ? 0 : lifetime <= 24 * Self.hour ? 1 : lifetime <= 30 * 24 * Self.hour ? 2 : 3
    unitCounts[number] &+= UInt32(truncatingIfNeeded: byteCount / Limits.unitByteCount)
    if isLarge, largeCounts[number] < .max { largeCounts[number] += 1 }
    steps[number] = max(steps[number], UInt32(clamping: (expiry >> Self.stepBitCount) + 1))
  }

  /// The bytes that have expired at a time, dead or not.
  package func byteCount(expiredBy time: UInt64) -> Int {
    classes(expiredBy: time).reduce(0) { $0 + Int(unitCounts[$1]) } * Limits.unitByteCount
  }

  /// How many puts of large values have expired at a time, dead or not.
  package func largeCount(expiredBy time: UInt64) -> Int {
    classes(expiredBy: time).reduce(0) { $0 + Int(largeCounts[$1]) }
  }

  /// When more will have expired than at a time; the highest number if nothing will.
  package func next(after time: UInt64) -> UInt64 {
    var next = UInt64.max
    for number in 0..<Self.count where self.time(number) > time { next = min(next, self.time(number)) }
    return next
  }

  private func classes(expiredBy time: UInt64) -> some Sequence<Int> {
    (0..<Self.count).lazy.filter { self.time($0) <= time }
  }

  private func time(_ number: Int) -> UInt64 { UInt64(steps[number]) << Self.stepBitCount }
}
