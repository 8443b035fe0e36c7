package import MachineLimits

/// A key of 16 bytes without memory of its own, as a program would make one of an identifier.
///
/// The value of a key begins with ``word``, so that whoever reads it sees whether it is the right one.
public struct BenchmarkKey: Hashable, Sendable {
  /// How long all keys are.
  public static let byteCount = 16

  /// The first half.
  public let word: UInt64

  /// The second half.
  public let rest: UInt64

  package init(_ random: inout SplitMix64) {
    word = random.next()
    rest = random.next()
  }

  /// Gives the 16 bytes to a closure.
  @inlinable
  @inline(__always)
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe withUnsafeBytes(of: self) { (bytes) throws(Failure) -> Result in
      try body(unsafe RawSpan(_unsafeBytes: bytes))
    }
  }
}

extension BenchmarkKey: CustomStringConvertible {
  /// The key as 32 hexadecimal digits, for stores whose keys are text.
  public var description: String {
    [word, rest].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

/// Keys that all follow from a seed.
package struct BenchmarkKeys: Sendable {
  /// What a store is loaded with, in this order, which is random to its index.
  package let stored: [BenchmarkKey]

  /// The same in another random order, so that each read goes to another place of the file.
  package let shuffled: [BenchmarkKey]

  /// As many that are not stored.
  package let missing: [BenchmarkKey]

  package init(count: Int, seed: UInt64) {
    stored = BenchmarkKeys.stored(count: count, seed: seed)
    var random = SplitMix64(seed: ~seed)
    missing = (0..<count).map { _ in BenchmarkKey(&random) }
    shuffled = stored.shuffled(using: &random)
  }

  /// Only what a store is loaded with.
  package static func stored(count: Int, seed: UInt64) -> [BenchmarkKey] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in BenchmarkKey(&random) }
  }
}

/// Bytes that nobody can compress, with room for a word in front that says whose they are.
package func valueBytes(count: Int) -> [UInt8] {
  var random = SplitMix64(seed: 7)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
}

/// Says that a store gave back something else than was put into it: then no figure means anything.
package struct WrongValue: Error, CustomStringConvertible {
  package var description: String

  package init(_ what: String) {
    description = "the store is wrong: \(what)"
  }
}

/// Ends a run in which values were wrong.
package func expectNone(_ wrongCount: Int, _ occasion: String) throws {
  if wrongCount > 0 { throw WrongValue("\(countText(wrongCount)) values were not those set \(occasion)") }
}

/// Writes a number with commas between its thousands.
package func countText(_ count: Int) -> String {
  var text = ""
  for (place, digit) in String(count).reversed().enumerated() {
    if place > 0, place.isMultiple(of: 3) { text.append(",") }
    text.append(digit)
  }
  return String(text.reversed())
}

/// The word that a value begins with; 0, which no key has, if it is too short.
@inlinable
@inline(__always)
package func firstWord(_ bytes: RawSpan) -> UInt64 {
  guard bytes.byteCount >= MemoryLayout<UInt64>.size else { return 0 }
  return unsafe bytes.unsafeLoadUnaligned(as: UInt64.self)
}
