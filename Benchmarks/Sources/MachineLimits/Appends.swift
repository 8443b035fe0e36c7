internal import BenchmarkHarness
internal import CBench

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// What it costs to put one record behind another, without waiting for the medium, in each of the ways there are.
struct Appends {
  /// How much is mapped for writing at a time, ahead of use.
  private static let populatedByteCount = 1 << 20

  let scale: Scale
  let directory: String

  var groups: [BenchmarkGroup] {
    [128, 4096].map { recordByteCount in
      BenchmarkGroup(
        "Appending \(byteCountText(recordByteCount)), nothing synced",
        [
          touched(recordByteCount), populated(recordByteCount), untouched(recordByteCount),
          written(recordByteCount),
        ])
    }
  }

  private func touched(_ recordByteCount: Int) -> Benchmark {
    Benchmark(
      "append-\(recordByteCount)-touched", name: "mapped, pages already touched", meaning: "only the copy",
      method: "memcpy into the mapping of a file with reserved blocks, after a store to each of its pages."
    ) {
      let record = try Memory(byteCount: recordByteCount)
      return try withMappedFile { mapping in
        for offset in stride(from: 0, to: mapping.byteCount, by: 4096) {
          unsafe mapping.base.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        return append(record, to: mapping)
      }
    }
  }

  private func untouched(_ recordByteCount: Int) -> Benchmark {
    Benchmark(
      "append-\(recordByteCount)-first-touch", name: "mapped, first touch of each page",
      meaning: "a page fault each 4 KiB",
      method: "memcpy into the mapping of a file with reserved blocks, none of its pages in memory."
    ) {
      let record = try Memory(byteCount: recordByteCount)
      return try withMappedFile { append(record, to: $0) }
    }
  }

  private func populated(_ recordByteCount: Int) -> Benchmark {
    Benchmark(
      "append-\(recordByteCount)-populated", name: "mapped, populated ahead",
      meaning: "the faults taken 1 MiB at a time",
      method: "As with the first touch, but each MiB by MADV_POPULATE_WRITE before its use; that time counts."
    ) {
      let record = try Memory(byteCount: recordByteCount)
      return try withMappedFile { mapping in
        var nanoseconds: UInt64 = 0
        for offset in stride(from: 0, to: mapping.byteCount, by: Appends.populatedByteCount) {
          let stopwatch = Stopwatch()
          try populate(mapping, at: offset)
          append(record, to: mapping, at: offset, byteCount: Appends.populatedByteCount)
          nanoseconds += stopwatch.nanoseconds
        }
        return Sample(nanoseconds: nanoseconds, amount: mapping.byteCount / recordByteCount)
      }
    }
  }

  private func written(_ recordByteCount: Int) -> Benchmark {
    Benchmark(
      "append-\(recordByteCount)-pwrite", name: "pwrite", meaning: "a system call each",
      method: "pwrite behind one another to a file with reserved blocks, none of its pages in memory."
    ) {
      let byteCount = scale.writtenByteCount
      let file = try ScratchFile("append", in: directory, warmedByteCount: byteCount)
      try file.preallocate(byteCount: byteCount)
      let record = try Memory(byteCount: recordByteCount)
      let stopwatch = Stopwatch()
      for offset in stride(from: 0, to: byteCount, by: recordByteCount) {
        try file.write(record, at: offset)
      }
      return withExtendedLifetime(file) {
        Sample(nanoseconds: stopwatch.nanoseconds, amount: byteCount / recordByteCount)
      }
    }
  }

  private func withMappedFile(_ body: (Memory) throws -> Sample) throws -> Sample {
    let byteCount = scale.writtenByteCount
    let file = try ScratchFile("append", in: directory, warmedByteCount: byteCount)
    try file.preallocate(byteCount: byteCount)
    let mapping = try Memory(mapping: file, byteCount: byteCount)
    return try withExtendedLifetime((file, mapping)) { try body(mapping) }
  }

  private func populate(_ mapping: Memory, at offset: Int) throws {
    switch unsafe bench_populate(mapping.base + offset, Appends.populatedByteCount) {
    case 0: return
    case EINVAL: throw Unsupported("the kernel has no MADV_POPULATE_WRITE")
    case let code: throw SystemFailure("MADV_POPULATE_WRITE", code: code)
    }
  }
}

private func append(_ record: Memory, to mapping: Memory) -> Sample {
  let stopwatch = Stopwatch()
  append(record, to: mapping, at: 0, byteCount: mapping.byteCount)
  return Sample(nanoseconds: stopwatch.nanoseconds, amount: mapping.byteCount / record.byteCount)
}

/// Fills a part of a mapping with copies of the record behind one another.
@inline(never)
private func append(_ record: Memory, to mapping: Memory, at offset: Int, byteCount: Int) {
  let start = unsafe mapping.base + offset
  // With a size that the compiler knows, a small copy is a few instructions instead of a call.
  switch record.byteCount {
  case 128: unsafe copyRepeatedly(record.base, 128, to: start, byteCount: byteCount)
  default: unsafe copyRepeatedly(record.base, record.byteCount, to: start, byteCount: byteCount)
  }
}

@inline(__always)
private func copyRepeatedly(
  _ source: UnsafeRawPointer, _ recordByteCount: Int, to start: UnsafeMutableRawPointer, byteCount: Int
) {
  var target = unsafe start
  let end = unsafe start + byteCount
  while unsafe target < end {
    unsafe memcpy(target, source, recordByteCount)
    // Else the compiler could keep the source in registers, or merge the copies.
    bench_consume(0)
    unsafe target += recordByteCount
  }
}
