internal import StoreComparison
internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Sediment

/// The same values in stores that compress them in all ways, in turns with the bare calls of zstd on them.
final class CompressedStores {
  /// The values that count.
  let corpus: ValueCorpus

  /// Nil for values that zstd can do nothing for.
  let bare: BareZstd?

  /// Setting values, or compressing them.
  let sets: Turns<Contender>

  /// Retrieving values, or decompressing them.
  let reads: Turns<Contender>

  private let stores: [CompressionWay: CompressedStore]

  /// Who takes turns.
  enum Contender: Hashable {
    case store(CompressionWay)
    case bare
  }

  /// Before these values, a fifth as many others are stored.
  private static let warmingShare = 5
  private static let pause = 0.05

  /// How many values a dictionary is trained from for the bare calls.
  private static let sampleCount = 2000

  init(_ scale: EngineScale, kind: ValueKind, directory: String) throws {
    let corpus = kind.corpus(count: kind.count(scale), seed: 91)
    let warming = kind.corpus(count: corpus.count / CompressedStores.warmingShare, seed: 92)
    var random = SplitMix64(seed: 93)
    let marks = corpus.marks(shuffledBy: &random)
    let stores = CompressionWay.allCases.map { way in
      let pause = way == .automatic ? CompressedStores.pause / Double(scale.limits.divisor) : 0
      let store = CompressedStore(
        corpus, warming: warming, marks: marks, compression: way.compression, pause: pause,
        path: "\(directory)/\(kind.rawValue)-\(way.rawValue)")
      return (way, store)
    }
    let bare = try CompressedStores.bare(corpus, kind)
    let recordsByteCount = (corpus.count + warming.count) * recordByteCountOfValue(0)
    let storeByteCount = corpus.bytes.count + warming.bytes.count + recordsByteCount
    sets = Turns(
      count: corpus.count,
      stores.map { way, store in (.store(way), store.set) } + (bare.map { [(.bare, $0.compress)] } ?? []),
      prepare: {
        try Room.warm(directory, storeByteCount: stores.count * storeByteCount)
        for (_, store) in stores { try store.make() }
      },
      check: { for (_, store) in stores { try store.check() } })
    reads = Turns(
      count: corpus.count,
      stores.map { way, store in (.store(way), store.retrieve) }
        + (bare.map { [(.bare, $0.decompress)] } ?? []))
    self.corpus = corpus
    self.stores = Dictionary(uniqueKeysWithValues: stores)
    self.bare = bare
  }

  private static func bare(_ corpus: ValueCorpus, _ kind: ValueKind) throws -> BareZstd? {
    guard kind != .random else { return nil }
    guard kind.hasDictionary else { return try BareZstd(corpus) }
    let samples = kind.corpus(count: sampleCount, seed: 94)
    return try BareZstd(corpus, dictionary: BareZstd.dictionary(for: samples))
  }

  /// The store that compresses in this way.
  subscript(way: CompressionWay) -> CompressedStore {
    get throws {
      guard let store = stores[way] else { throw Unsupported("there is no such store") }
      return store
    }
  }
}
