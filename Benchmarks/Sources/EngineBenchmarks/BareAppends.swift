internal import BenchmarkHarness
internal import CBench
internal import MachineLimits
internal import StoreComparison

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Fills a mapping with copies of a record, and does nothing else that a store does.
@inline(never)
func appendRecords(_ mapping: Memory, _ recordByteCount: Int) throws -> Sample {
  let record = try Memory(byteCount: recordByteCount)
  let count = mapping.byteCount / recordByteCount
  let stopwatch = Stopwatch()
  var target = unsafe mapping.base
  for _ in 0..<count {
    unsafe memcpy(target, record.base, recordByteCount)
    bench_consume(0)
    unsafe target += recordByteCount
  }
  let nanoseconds = stopwatch.nanoseconds
  return withExtendedLifetime((mapping, record)) { Sample(nanoseconds: nanoseconds, amount: count) }
}

/// The same, each copy timed by itself: the longest in nanoseconds.
@inline(never)
func longestAppend(_ mapping: Memory, _ recordByteCount: Int) throws -> UInt64 {
  let record = try Memory(byteCount: recordByteCount)
  var longest: UInt64 = 0
  var target = unsafe mapping.base
  var before = bench_nanoseconds()
  for _ in 0..<mapping.byteCount / recordByteCount {
    unsafe memcpy(target, record.base, recordByteCount)
    bench_consume(0)
    unsafe target += recordByteCount
    let now = bench_nanoseconds()
    longest = max(longest, now - before)
    before = now
  }
  return withExtendedLifetime((mapping, record)) { longest }
}

/// Copies records when they are due, and counts how late each copy ended.
@inline(never)
func timeAppends(_ mapping: Memory, _ recordByteCount: Int, _ schedule: StepSchedule) throws {
  let record = try Memory(byteCount: recordByteCount)
  var target = unsafe mapping.base
  for _ in 0..<mapping.byteCount / recordByteCount {
    schedule.awaitNext()
    unsafe memcpy(target, record.base, recordByteCount)
    bench_consume(0)
    unsafe target += recordByteCount
    schedule.stepEnded()
  }
  withExtendedLifetime((mapping, record)) {}
}
