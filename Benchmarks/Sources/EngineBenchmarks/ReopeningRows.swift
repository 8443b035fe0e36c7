internal import BenchmarkHarness
internal import StoreComparison

/// Opening a store whose process was killed, beside a plain reading of its file, and once it was closed in order.
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
              "bare-index", "bare: an index of its records", "by two threads, each for its half",
              "Reads it, takes a checksum and a keyed hash of each record, and stores its place.",
              .bandwidth, isLimit: true, store.index),
            row(
              "reopen", "open", "until the first read is possible",
              "Opens that file; then all keys are read and compared.", .time, store.open),
            row(
              "recovery-scan", "the same by the log's length", "bytes of records by that time",
              "The bytes of all records by the whole time of opening.", .bandwidth, store.scan),
            row(
              "close", "close of what was opened then", "with its index stored",
              "Closes that store, which stores its index: the next opening takes no scan.", .time, store.close
            ),
            row(
              "clean-open", "open after that", "until the first value is there",
              "Opens the file again and reads a value; then all keys are read and compared.", .time,
              store.openClosed),
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
        "the same, \(valueByteCount) B", .of(name("recovery-scan")), limit: .of(name("bare-index")),
        "bare index of its records"),
      Comparison(
        "opening after a clean close, \(valueByteCount) B", .of(name("clean-open")),
        limit: .greater(.constant(15_000_000, .time), .multiple(1 / 40, of: name("reopen"))),
        "15 ms, or a 40th of the opening after a kill", target: .atMost(1)),
      Comparison(
        "process memory a key", .of(name("process-memory")), limit: .constant(12, .size), "allowed",
        target: .atMost(1)),
    ]
  }
}
