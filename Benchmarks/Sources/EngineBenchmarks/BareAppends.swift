internal import BenchmarkHarness
internal import CBench
internal import MachineLimits

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
