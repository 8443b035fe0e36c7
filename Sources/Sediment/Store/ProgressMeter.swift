/// Tells a caller's closure how far something long has come, and whether it is to go on.
struct ProgressMeter {
  /// What there is to do, as far as is known.
  private(set) var totalByteCount: UInt64
  private var completedByteCount: UInt64 = 0
  private let path: String
  private let tell: ((SedimentProgress) -> SedimentIteration)?

  /// A meter that throws with this path if it is stopped.
  init(path: String, totalByteCount: UInt64 = 0, _ tell: ((SedimentProgress) -> SedimentIteration)?) {
    self.path = path
    self.totalByteCount = totalByteCount
    self.tell = tell
  }

  /// More turned out to be there to do.
  mutating func extend(by byteCount: UInt64) {
    let (sum, overflow) = totalByteCount.addingReportingOverflow(byteCount)
    totalByteCount = overflow ? .max : sum
  }

  /// So much more was done; throws `cancelled` if that is to be all.
  mutating func add(_ byteCount: UInt64) throws(SedimentError) {
    completedByteCount += min(byteCount, totalByteCount - completedByteCount)
    // That all was done is said once, at the end.
    guard completedByteCount < totalByteCount, let tell else { return }
    let progress = SedimentProgress(completedByteCount: completedByteCount, totalByteCount: totalByteCount)
    if tell(progress) == .stop { throw .cancelled(path) }
  }

  /// Says that it is done.
  mutating func finish() {
    completedByteCount = totalByteCount
    _ = tell?(SedimentProgress(completedByteCount: totalByteCount, totalByteCount: totalByteCount))
  }
}
