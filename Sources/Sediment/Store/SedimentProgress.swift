/// How far a long call has come.
///
/// Calls that take a closure for it call that now and then on the thread that works, and go on while it returns
/// `continue`. At the end of the work they call it once more, with both numbers equal.
public struct SedimentProgress: Sendable, Hashable {
  /// The bytes that are done.
  public let completedByteCount: UInt64
  /// The bytes that there are to do, as far as is known now.
  public let totalByteCount: UInt64

  package init(completedByteCount: UInt64, totalByteCount: UInt64) {
    self.completedByteCount = completedByteCount
    self.totalByteCount = totalByteCount
  }
}

/// Tells a caller's closure how far a long call has come, and ends the call if the closure says so.
struct ProgressMeter {
  /// The bytes that there are to do, as far as is known.
  private(set) var totalByteCount: UInt64
  private var completedByteCount: UInt64 = 0
  private let path: String
  private let tell: ((SedimentProgress) -> SedimentIteration)?

  /// Creates a meter whose error has this path.
  init(path: String, totalByteCount: UInt64 = 0, _ tell: ((SedimentProgress) -> SedimentIteration)?) {
    self.path = path
    self.totalByteCount = totalByteCount
    self.tell = tell
  }

  /// Adds to what there is to do.
  mutating func extend(by byteCount: UInt64) {
    let (sum, overflow) = totalByteCount.addingReportingOverflow(byteCount)
    totalByteCount = overflow ? .max : sum
  }

  /// Adds to what is done; throws `cancelled` if the closure ends the call.
  mutating func add(_ byteCount: UInt64) throws(SedimentError) {
    completedByteCount += min(byteCount, totalByteCount - completedByteCount)
    // Only `finish` says that all is done.
    guard completedByteCount < totalByteCount, let tell else { return }
    let progress = SedimentProgress(completedByteCount: completedByteCount, totalByteCount: totalByteCount)
    if tell(progress) == .stop { throw .cancelled(path) }
  }

  /// Says that all is done.
  mutating func finish() {
    completedByteCount = totalByteCount
    _ = tell?(SedimentProgress(completedByteCount: totalByteCount, totalByteCount: totalByteCount))
  }
}
