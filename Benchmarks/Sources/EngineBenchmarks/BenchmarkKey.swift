package import MachineLimits
internal import Sediment

/// A key of 16 bytes without memory of its own, as a program would make one of an identifier.
///
/// The value of a key begins with ``word``, so that whoever reads it sees whether it is the right one.
package struct BenchmarkKey: SedimentBytes, Hashable, Sendable {
  package static let byteCount = 16

  /// The first half.
  package let word: UInt64

  /// The second half.
  package let rest: UInt64

  package init(_ random: inout SplitMix64) {
    word = random.next()
    rest = random.next()
  }

  @inline(__always)
  package func withSedimentBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe withUnsafeBytes(of: self) { (bytes) throws(Failure) -> Result in
      try body(unsafe RawSpan(_unsafeBytes: bytes))
    }
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

  init(_ what: String) {
    description = "the store is wrong: \(what)"
  }
}
