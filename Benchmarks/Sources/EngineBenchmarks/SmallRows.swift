internal import BenchmarkHarness

/// What a store of ten small values takes of time, disk and memory.
struct SmallRows {
  private let stores: SmallStores

  init(_ scale: EngineScale, directory: String, program: String) throws {
    stores = try SmallStores(scale, directory: directory, program: program)
  }

  var section: Section {
    let method = "Keys of 16 B, values of \(SmallStores.valueByteCount) B."
    return Section(
      [
        BenchmarkGroup(
          "A store of \(SmallStores.keyCount) values of \(SmallStores.valueByteCount) B",
          [
            Benchmark(
              "small-open-bare", name: "bare: open and map its file", meaning: "touch its first byte, close",
              method: "open, fstat, mmap, a read of the first byte, munmap, close.", isLimit: true,
              run: stores.openBare),
            Benchmark(
              "small-open", name: "open", meaning: "it was closed in order",
              method: method + " Opened, read and closed again and again; only opening counts.",
              run: stores.open),
            Benchmark(
              "small-disk-open", name: "disk, while open", meaning: "blocks allocated to its file",
              method: method, quantity: .size, run: stores.diskWhileOpen),
            Benchmark(
              "small-disk-closed", name: "disk, after close", meaning: "blocks allocated to its file",
              method: method, quantity: .size, run: stores.diskWhenClosed),
            Benchmark(
              "small-memory", name: "memory", meaning: "of each of many open stores",
              method: method
                + " A child process opens many; by how much its memory grows that belongs to no file.",
              quantity: .size, run: stores.memory),
          ])
      ], comparisons)
  }

  private var comparisons: [Comparison] {
    func allowed(_ name: String, _ row: String, _ limit: Comparison.Measure) -> Comparison {
      Comparison(name, .of(row), limit: limit, "allowed", target: .atMost(1))
    }
    return [
      allowed("opening a small store", "small-open", .constant(1_000_000, .time)),
      Comparison("", .of("small-open"), limit: .of("small-open-bare"), "open and map"),
      allowed("its disk while open", "small-disk-open", .constant(128 * 1024, .size)),
      allowed("its disk after close", "small-disk-closed", .constant(128 * 1024, .size)),
      allowed("its memory", "small-memory", .constant(1024 * 1024, .size)),
    ]
  }
}
