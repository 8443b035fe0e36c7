package import MachineLimits

/// A key of 16 bytes on the heap, as most programs have their keys.
///
/// The value of a key begins with ``word``, so that whoever reads it sees whether it is the right one without going to
/// the key's bytes again.
public struct BenchmarkKey: Hashable, Sendable {
  /// How long all keys are.
  public static let byteCount = 16

  /// All of the key.
  public let bytes: [UInt8]

  /// The first half.
  public let word: UInt64

  package init(_ random: inout SplitMix64) {
    let halves = [random.next(), random.next()]
    word = halves[0]
    bytes = unsafe halves.withUnsafeBytes { unsafe Array($0) }
  }

  private init(copying key: BenchmarkKey) {
    word = key.word
    // An array that is made of another one may share its bytes.
    bytes = key.bytes.map(\.self)
  }

  /// Gives the 16 bytes to a closure.
  @inlinable
  @inline(__always)
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe bytes.span.bytes)
  }

  /// The same keys with bytes of their own, which lie in memory in this order.
  ///
  /// A program has just made the key that it uses. Whoever used the keys of a store in another order than that in which
  /// they were made would measure where their bytes lie.
  package static func copies(of keys: some Sequence<BenchmarkKey>) -> [BenchmarkKey] {
    keys.map(BenchmarkKey.init(copying:))
  }
}

extension BenchmarkKey: CustomStringConvertible {
  /// The key as 32 hexadecimal digits, for stores whose keys are text.
  public var description: String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0\(digits)" : digits
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
    shuffled = BenchmarkKeys.shuffled(stored, using: &random)
  }

  /// Only what a store is loaded with.
  package static func stored(count: Int, seed: UInt64) -> [BenchmarkKey] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in BenchmarkKey(&random) }
  }

  /// Keys in another order, with bytes of their own in that order.
  package static func shuffled(
    _ keys: [BenchmarkKey], using random: inout SplitMix64
  ) -> [BenchmarkKey] {
    BenchmarkKey.copies(of: keys.shuffled(using: &random))
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
