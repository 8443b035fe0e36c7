package import StoreComparison
internal import MachineLimits

/// What is compressed, or cannot be.
package enum ValueKind: String, CaseIterable, Sendable {
  /// Small records that are alike.
  case json

  /// Blocks of running text.
  case text4 = "text-4k"

  /// The same, larger.
  case text64 = "text-64k"

  /// Bytes that nobody can compress, about as many as a record has.
  case random

  static let randomByteCount = 400

  /// What it is called.
  var text: String {
    switch self {
    case .json: "JSON"
    case .text4: "text of 4 KiB"
    case .text64: "text of 64 KiB"
    case .random: "random bytes"
    }
  }

  /// Whether the bare calls of zstd are given a dictionary.
  var hasDictionary: Bool { self == .json }

  /// How many times smaller the values are to become; nil if nothing is asked for.
  var ratioMin: Double? { self == .json ? 3 : nil }

  /// How many values a store gets: some tens to a hundred megabytes in a full run.
  func count(_ scale: EngineScale) -> Int {
    switch self {
    case .json, .random: scale.keyCount / 10
    case .text4: scale.keyCount / 50
    case .text64: max(1, scale.keyCount * 3 / 2000)
    }
  }

  /// So many values, which follow from the seed like their keys.
  package func corpus(count: Int, seed: UInt64) -> ValueCorpus {
    switch self {
    case .json:
      var values = JSONValues(seed: seed)
      return ValueCorpus(count: count, seed: seed) { values.next() }
    case .text4: return text(byteCount: 4 << 10, count: count, seed: seed)
    case .text64: return text(byteCount: 64 << 10, count: count, seed: seed)
    case .random:
      var random = SplitMix64(seed: ~seed)
      return ValueCorpus(count: count, seed: seed) {
        (0..<ValueKind.randomByteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      }
    }
  }

  private func text(byteCount: Int, count: Int, seed: UInt64) -> ValueCorpus {
    var blocks = TextBlocks(byteCount: byteCount, seed: seed)
    return ValueCorpus(count: count, seed: seed) { blocks.next() }
  }
}
