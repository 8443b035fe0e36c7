internal import BenchmarkHarness
internal import StoreComparison

/// Makes the rows of stores with values of one size.
struct RowNames {
  /// How many bytes each value has.
  let valueByteCount: Int

  /// `1,000,000 keys of 16 B, values of 100 B`.
  func title(keyCount: Int) -> String {
    "\(countText(keyCount)) keys of \(BenchmarkKey.byteCount) B, values of \(valueByteCount) B"
  }

  /// What a row of that name is called beside those of other sizes.
  func identifier(_ row: String) -> String { "\(row)-\(valueByteCount)" }

  /// What a row of that name has found.
  func of(_ row: String) -> Comparison.Measure { .of(identifier(row)) }

  /// Something that the engine does.
  func figure(
    _ row: String, _ name: String, _ meaning: String, _ run: @escaping () throws -> Sample
  ) -> Benchmark {
    Benchmark(
      identifier(row), name: name, meaning: meaning,
      method: "Timed over all calls of a round, in an order that is random to index and file. Each value is"
        + " known by its first 8 bytes.",
      run: run)
  }

  /// A bare loop.
  func limit(
    _ row: String, _ name: String, _ meaning: String, _ run: @escaping () throws -> Sample
  ) -> Benchmark {
    Benchmark(
      identifier(row), name: "bare: \(name)", meaning: meaning,
      method: "A loop that does only that; an index has 12 bytes a key, and a record"
        + " \(recordByteCountOfValue(valueByteCount)) B.",
      isLimit: true, run: run)
  }
}
