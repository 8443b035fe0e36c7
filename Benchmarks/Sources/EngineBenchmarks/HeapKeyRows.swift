internal import BenchmarkHarness
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// Reading with keys on the heap, one by one and 64 keys a call.
struct HeapKeyRows {
  /// How many times as fast a call for 64 keys is to be.
  private static let gain = 2.5

  private let keyCount: Int
  private let store: HeapKeyStore

  init(_ scale: EngineScale, directory: String) throws {
    keyCount = scale.keyCount
    store = try HeapKeyStore(scale, directory: directory)
  }

  /// How a value is given.
  private struct Way {
    let row: String
    let text: String
  }

  private static let ways = [
    Way(row: "in-place", text: "in place"), Way(row: "arrays", text: "as arrays"),
    Way(row: "buffers", text: "into reused buffers"),
  ]

  var section: Section {
    let values = "values of \(HeapKeyStore.valueByteCount) B"
    return Section(
      [
        BenchmarkGroup(
          "Reading \(countText(keyCount)) keys of the type [UInt8], \(values)", rows("bytes", store.arrays)),
        BenchmarkGroup(
          "Reading \(countText(keyCount)) keys of the type String, \(values)", rows("strings", store.strings)),
      ], comparisons("bytes", "[UInt8]") + comparisons("strings", "String"))
  }

  private func rows<Key: SedimentBytes>(_ type: String, _ keys: [Key]) -> [Benchmark] {
    typealias Loop = (SedimentStore, ArraySlice<Key>, ArraySlice<UInt64>) throws -> Int
    let single: [Loop] = [countWrongInPlace, countWrongAsArrays, countWrongInBuffers]
    let batched: [Loop] = [countWrongInPlaceBatched, countWrongAsArraysBatched, countWrongInBuffersBatched]
    return HeapKeyRows.ways.indices.flatMap { number in
      let way = HeapKeyRows.ways[number]
      return [
        row("heap-\(type)-\(way.row)", "retrieve \(way.text)", "one key a call", keys, single[number]),
        row(
          "heap-\(type)-\(way.row)-batched", "batched, \(way.text)", "\(batchCount) keys a call", keys,
          batched[number]),
      ]
    }
  }

  private func row<Key>(
    _ row: String, _ name: String, _ meaning: String, _ keys: [Key],
    _ loop: @escaping (SedimentStore, ArraySlice<Key>, ArraySlice<UInt64>) throws -> Int
  ) -> Benchmark {
    Benchmark(
      row, name: name, meaning: meaning,
      method:
        "Keys of 16 bytes on the heap, each made before the reads in their order; the order is random to index"
        + " and file. Each value is known by its first 8 bytes."
    ) { try store.read(keys, loop) }
  }

  private func comparisons(_ type: String, _ name: String) -> [Comparison] {
    HeapKeyRows.ways.map { way in
      Comparison(
        "batched \(way.text), keys of \(name)", .of("heap-\(type)-\(way.row)-batched"),
        limit: .of("heap-\(type)-\(way.row)"), "one by one", target: .atLeast(HeapKeyRows.gain))
    }
  }
}
