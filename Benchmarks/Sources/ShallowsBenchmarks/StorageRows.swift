internal import BenchmarkHarness

/// What completions add up, so that every answer is seen to be the right one.
final class Tally {
  var sum = 0
}

/// Makes rows of calls whose answers add up to what they must.
struct StorageRows {
  let storages: BenchmarkStorages
  let callCount: Int

  /// A row of calls, one for each key in turn, that each add the key's number to the tally.
  func row(
    _ identifier: String, _ name: String, _ meaning: String, divisor: Int = 1, isLimit: Bool = false,
    keyCount: Int = BenchmarkStorages.keyCount,
    _ calls: @escaping (_ keys: [String], _ turnCount: Int, _ tally: Tally) throws -> Void
  ) -> Benchmark {
    let keys = Array(storages.keys.prefix(keyCount))
    let turnCount = max(1, callCount / divisor / keyCount)
    let right = turnCount * (0..<keyCount).reduce(0, +)
    let storages = storages
    return Benchmark(
      "storage-" + identifier, name: name, meaning: meaning,
      method: "Timed over all calls of a round; each answer is added up, and the sum has to be right.",
      isLimit: isLimit
    ) {
      let tally = Tally()
      let stopwatch = Stopwatch()
      // The stores are open, and their files there, as long as these are.
      try withExtendedLifetime(storages) { try calls(keys, turnCount, tally) }
      let nanoseconds = stopwatch.nanoseconds
      guard tally.sum == right else { throw WrongAnswer(name) }
      return Sample(nanoseconds: nanoseconds, amount: turnCount * keyCount)
    }
  }

  /// What is allowed for a row.
  func allowed(_ name: String, _ row: String, nanoseconds: Double) -> Comparison {
    Comparison(
      name, .of("storage-" + row), limit: .constant(nanoseconds, .time), "allowed", target: .atMost(1))
  }
}
