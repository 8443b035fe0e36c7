internal import BenchmarkHarness

/// Opening a store whose process was killed, beside a plain reading of its file.
struct ReopeningRows {
  private let store: KilledStore
  private let valueByteCount: Int
  private let title: String
  private let roundCountMax: Int

  init(_ scale: EngineScale, valueByteCount: Int, directory: String, program: String) {
    self.valueByteCount = valueByteCount
    store = KilledStore(scale, valueByteCount: valueByteCount, directory: directory, program: program)
    title = "Opening \(countText(scale.keyCount)) keys after a kill, values of \(valueByteCount) B"
    roundCountMax = scale.slowRoundCount
  }

  var section: Section {
    Section(
      [
        BenchmarkGroup(
          title,
          [
            row(
              "plain-read", "bare: pread of the file", "1 MiB a call, from the page cache",
              "A child process loads a store, syncs it, sets 1,000 keys more and is killed; then its file is read.",
              .bandwidth, isLimit: true, store.read),
            row(
              "reopen", "open", "until the first read is possible",
              "Opens that file; then all keys are read and compared.", .time, store.open),
            row(
              "recovery-scan", "the same by the log's length", "bytes of records by that time",
              "The bytes of all records by the whole time of opening.", .bandwidth, store.scan),
            row(
              "process-memory", "memory of the process a key", "by the system's figures",
              "What the child's memory that belongs to no file grew by while it loaded the store.", .size,
              store.memory),
          ])
      ], comparisons)
  }

  private func row(
    _ row: String, _ name: String, _ meaning: String, _ method: String, _ quantity: Quantity,
    isLimit: Bool = false, _ run: @escaping () throws -> Sample
  ) -> Benchmark {
    Benchmark(
      self.name(row), name: name, meaning: meaning, method: method, quantity: quantity, isLimit: isLimit,
      roundCountMax: roundCountMax, run: run)
  }

  private func name(_ row: String) -> String { "\(row)-\(valueByteCount)" }

  private var comparisons: [Comparison] {
    [
      Comparison(
        "recovery scan, \(valueByteCount) B", .of(name("recovery-scan")), limit: .of(name("plain-read")),
        "plain read of the file", target: .atLeast(0.5)),
      Comparison(
        "process memory a key", .of(name("process-memory")), limit: .constant(12, .size), "allowed",
        target: .atMost(1)),
    ]
  }
}
