internal import BenchmarkHarness
internal import CBench

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// How many bytes a second can be moved from one end to the other.
struct Streams {
  private static let chunkByteCount = 1 << 20

  private let directory: String
  private let file: ScratchFile
  private let fileByteCount: Int
  private let writtenByteCount: Int
  private let source: Memory
  private let target: Memory

  /// `file` is filled, in the page cache, and on the medium.
  init(scale: Scale, directory: String, file: ScratchFile) throws {
    self.directory = directory
    self.file = file
    fileByteCount = scale.largeByteCount
    writtenByteCount = scale.writtenByteCount
    source = try Memory(byteCount: scale.largeByteCount / 2)
    target = try Memory(byteCount: scale.largeByteCount / 2)
  }

  var group: BenchmarkGroup {
    BenchmarkGroup(
      "Streams: bytes moved, from one end to the other", [copy, copyInTwoThreads, read, write])
  }

  private var copy: Benchmark {
    Benchmark(
      "copy", name: "copy \(byteCountText(source.byteCount)) in memory", meaning: "one thread",
      method: "memcpy of the whole table; the bytes copied count once.", quantity: .bandwidth
    ) {
      try copy(threadCount: 1)
    }
  }

  private var copyInTwoThreads: Benchmark {
    Benchmark(
      "copy-two-threads", name: "the same, two threads", meaning: "both together",
      method: "Each of two threads copies its half.", quantity: .bandwidth
    ) {
      try copy(threadCount: 2)
    }
  }

  private func copy(threadCount: Int) throws -> Sample {
    let (source, target) = (source, target)
    let share = source.byteCount / threadCount
    let stopwatch = Stopwatch()
    try inParallel(threadCount: threadCount) { number in
      unsafe memcpy(target.base + number * share, source.base + number * share, share)
      bench_consume(0)
    }
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: share * threadCount)
  }

  private var read: Benchmark {
    Benchmark(
      "file-read", name: "pread 1 MiB of a cached file", meaning: "a scan that stays in memory",
      method: "pread of 1 MiB after another into the same buffer, from a file in the page cache.",
      quantity: .bandwidth
    ) {
      let buffer = try Memory(byteCount: Streams.chunkByteCount)
      let stopwatch = Stopwatch()
      for offset in stride(from: 0, to: fileByteCount, by: Streams.chunkByteCount) {
        try file.read(into: buffer, at: offset)
      }
      return Sample(nanoseconds: stopwatch.nanoseconds, amount: fileByteCount)
    }
  }

  private var write: Benchmark {
    Benchmark(
      "file-write", name: "pwrite 1 MiB to a new file", meaning: "into memory: nothing is synced",
      method: "pwrite of 1 MiB after another to \(byteCountText(writtenByteCount)) of a new file, warmed.",
      quantity: .bandwidth
    ) {
      let file = try ScratchFile("stream", in: directory, warmedByteCount: writtenByteCount)
      let chunk = try Memory(byteCount: Streams.chunkByteCount)
      let stopwatch = Stopwatch()
      for offset in stride(from: 0, to: writtenByteCount, by: Streams.chunkByteCount) {
        try file.write(chunk, at: offset)
      }
      return withExtendedLifetime(file) {
        Sample(nanoseconds: stopwatch.nanoseconds, amount: writtenByteCount)
      }
    }
  }
}
