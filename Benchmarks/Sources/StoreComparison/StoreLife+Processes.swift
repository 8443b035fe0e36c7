internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

// What takes a process of its own.
extension StoreLife {
  /// What a process takes that does nothing much.
  private static let memoryByteCountMin = 64 << 20

  /// Has another process load the store, and kills it.
  mutating func memory() throws -> Sample {
    try end()
    let held = HeldStore(session.contender, folder: session.folder, data: data)
    let process = try ChildProcess(held.arguments, program: session.program)
    try process.kill()
    guard let byteCount = process.anonymousByteCount else { throw Unsupported(ChildProcess.memoryIsUnknown) }
    return Sample(byteCount: byteCount, amount: data.keyCount)
  }

  /// Has a process read the store that has less memory than the store takes.
  mutating func readWithLimit() throws -> Sample {
    _ = try fill(isBatched: false)
    try end()
    let memoryByteCount = max(data.byteCount / 3, StoreLife.memoryByteCountMin)
    let group = try MemoryLimit(byteCount: memoryByteCount)
    forgetPages(below: session.folder)
    let limited = LimitedStore(
      session.contender, folder: session.folder, data: data, sampleCount: sampleCount,
      memoryByteCount: memoryByteCount, group: group)
    do {
      let process = try ChildProcess(limited.arguments, program: session.program)
      try process.finish()
      return Sample(nanoseconds: UInt64(max(process.answer, 1)), amount: sampleCount)
    } catch let error as ChildFailure where error.wasKilled {
      throw Unsupported("it does not get by with \(memoryByteCount >> 20) MiB")
    }
  }
}
