internal import BenchmarkHarness
internal import CBench

/// What it costs to read a record through the kernel.
struct FileReads {
  private static let recordByteCount = 128

  let scale: Scale

  /// Filled, in the page cache, and on the medium.
  let file: ScratchFile

  var group: BenchmarkGroup {
    BenchmarkGroup("Reading a cached file through the kernel", [randomRead])
  }

  private var randomRead: Benchmark {
    var random = SplitMix64(seed: 4)
    return Benchmark(
      "pread-128", name: "pread 128 B in \(byteCountText(scale.largeByteCount))",
      meaning: "a read that cannot crash the process",
      method: "pread of 128 bytes at random multiples of 128 from a file in the page cache."
    ) {
      let count = scale.operations(300_000)
      let mask = scale.largeByteCount - FileReads.recordByteCount
      var generator = random
      defer { random = generator }
      let buffer = try Memory(byteCount: FileReads.recordByteCount)
      let stopwatch = Stopwatch()
      for _ in 0..<count {
        let offset = Int(truncatingIfNeeded: generator.next()) & mask
        try file.read(into: buffer, at: offset)
      }
      return Sample(nanoseconds: stopwatch.nanoseconds, amount: count)
    }
  }
}
