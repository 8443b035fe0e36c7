import BenchmarkHarness
import EngineBenchmarks
import Foundation
internal import StoreComparison
import MachineLimits
import Sediment
import Testing

@Suite struct ValueTests {
  private static let count = 3000

  private let json: [[UInt8]] = {
    var values = JSONValues(seed: 1)
    return (0..<count).map { _ in values.next() }
  }()

  @Test func `JSON has three shapes, as often each, and the length of small records`() throws {
    var counts: [String: Int] = [:]
    for value in json {
      #expect(JSONValues.byteCounts.contains(value.count))
      let object = try #require(try JSONSerialization.jsonObject(with: Data(value)) as? [String: Any])
      for field in ["email", "session", "variants"] where object[field] != nil {
        counts[field, default: 0] += 1
      }
    }
    #expect(counts.values.reduce(0, +) == ValueTests.count)
    #expect(counts.count == 3)
    #expect(counts.values.allSatisfy { (900...1100).contains($0) })
    #expect(Set(json).count == ValueTests.count)
  }

  @Test(arguments: ValueKind.allCases)
  func `values follow from their seed, and so do their keys`(kind: ValueKind) {
    let corpus = kind.corpus(count: 10, seed: 1)
    let again = kind.corpus(count: 10, seed: 1)
    let other = kind.corpus(count: 10, seed: 2)
    #expect(corpus.bytes == again.bytes && corpus.keys == again.keys)
    #expect(corpus.bytes != other.bytes && Set(corpus.keys).isDisjoint(with: other.keys))
  }

  @Test func `a block of text has the length that was asked for, and sentences`() {
    var blocks = TextBlocks(byteCount: 4096, seed: 1)
    let (one, other) = (blocks.next(), blocks.next())
    #expect(one.count == 4096 && other.count == 4096 && one != other)
    let text = String(decoding: one, as: UTF8.self)
    let words = text.split { !$0.isLetter }.map { $0.lowercased() }
    #expect(text.split(separator: ".").count > 20)
    // The most common words, and how many there are of all kinds.
    #expect(words.count { $0 == "the" } > words.count / 20)
    #expect(Set(words).count > words.count / 5)
  }

  @Test(arguments: [(ValueKind.text4, 1.8...2.3), (.text64, 2.2...2.7), (.random, 0.9...1)])
  func `zstd makes of a kind of values what it makes of real ones`(
    kind: ValueKind, ratios: ClosedRange<Double>
  ) throws {
    let ratio = try BareZstd(kind.corpus(count: 20, seed: 3)).ratio().value(as: .gain)
    #expect(ratios.contains(ratio), "\(ratio)")
  }

  @Test func `small JSON needs a dictionary`() throws {
    let corpus = ValueKind.json.corpus(count: 2000, seed: 3)
    let dictionary = try BareZstd.dictionary(for: ValueKind.json.corpus(count: 2000, seed: 4))
    #expect(dictionary.count <= BareZstd.dictionaryByteCount)
    let alone = try BareZstd(corpus).ratio().value(as: .gain)
    let helped = try BareZstd(corpus, dictionary: dictionary).ratio().value(as: .gain)
    #expect((1.2...1.6).contains(alone), "\(alone)")
    #expect((3.1...4).contains(helped), "\(helped)")
  }

  @Test func `bare calls can be made again`() throws {
    let zstd = try BareZstd(ValueKind.json.corpus(count: 100, seed: 5))
    for _ in 0..<2 {
      try zstd.compress(10..<100)
      try zstd.decompress(10..<100)
    }
  }

  @Test func `a loop of reads counts wrong, short and missing values`() throws {
    let folder = try Folder()
    let store = try SedimentStore(path: "\(folder.path)/store")
    let corpus = ValueKind.json.corpus(count: 100, seed: 6)
    var random = SplitMix64(seed: 7)
    let marks = corpus.marks(shuffledBy: &random)
    func wrongCounts() throws -> [Int] {
      [try countWrongInBuffer(store, marks[...]), try countDifferent(store, corpus)]
    }
    try setValues(store, corpus, 0..<99)
    #expect(try wrongCounts() == [1, 1])
    try setValues(store, corpus, 99..<100)
    #expect(try wrongCounts() == [0, 0])
    var value = Array(corpus.bytes[corpus.range(50)])
    value[0] ^= 1
    try store.set(value, forKey: corpus.keys[50])
    #expect(try wrongCounts() == [0, 1])
    value[value.count / 2 + 4] ^= 1
    try store.set(value, forKey: corpus.keys[50])
    #expect(try wrongCounts() == [1, 1])
    value.removeLast()
    try store.set(value, forKey: corpus.keys[50])
    try store.set("", forKey: corpus.keys[51])
    #expect(try wrongCounts() == [2, 2])
    try store.close()
  }
}
