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
///
/// Not sendable: the thread that makes the call is the one that asks.
final class ProgressMeter {
  /// The bytes that there are to do, as far as is known.
  private(set) var totalByteCount: UInt64
  private var completedByteCount: UInt64 = 0
  private let path: String
  private let tell: ((SedimentProgress) -> SedimentIteration)?
  /// Work since the closure was called last.
  private var pendingWork: UInt64 = 0
  /// Whether the closure has ended the call: everything that asks fails from then on, because a caller may pass over
  /// the error of one read.
  private var isStopped = false

  /// Work of this many bytes takes less than some milliseconds, and the closure is called after it at the latest.
  private static let workByteCountMax: UInt64 = 1 << 20
  /// The work of a call of the disk besides its bytes.
  private static let callByteCount: UInt64 = 4096

  /// Creates a meter whose error has this path.
  init(path: String, totalByteCount: UInt64 = 0, _ tell: ((SedimentProgress) -> SedimentIteration)?) {
    self.path = path
    self.totalByteCount = totalByteCount
    self.tell = tell
  }

  /// Adds to what there is to do.
  func extend(by byteCount: UInt64) {
    let (sum, overflow) = totalByteCount.addingReportingOverflow(byteCount)
    totalByteCount = overflow ? .max : sum
  }

  /// Adds to what is done; throws `cancelled` if the closure ends the call.
  func add(_ byteCount: UInt64) throws(SedimentError) {
    completedByteCount += min(byteCount, totalByteCount - completedByteCount)
    try checkStopped()
    // Only `finish` says that all is done.
    guard completedByteCount < totalByteCount else { return }
    try ask(of: totalByteCount)
  }

  /// Counts bytes that are read or computed with, whether they bring the call nearer to its end or not; throws
  /// `cancelled` if the closure ends the call.
  ///
  /// All reads of a surveyed file come by here, so no search in it can go on without being asked.
  func work(_ byteCount: UInt64) throws(SedimentError) {
    try checkStopped()
    pendingWork += byteCount + Self.callByteCount
    guard pendingWork >= Self.workByteCountMax else { return }
    try ask(of: max(totalByteCount, completedByteCount + 1))
  }

  /// Throws `cancelled` if the closure has ended the call.
  func checkStopped() throws(SedimentError) {
    if isStopped { throw .cancelled(path) }
  }

  private func ask(of total: UInt64) throws(SedimentError) {
    pendingWork = 0
    guard let tell else { return }
    isStopped =
      tell(SedimentProgress(completedByteCount: completedByteCount, totalByteCount: total)) == .stop
    try checkStopped()
  }

  /// Says that all is done.
  func finish() {
    completedByteCount = totalByteCount
    _ = tell?(SedimentProgress(completedByteCount: totalByteCount, totalByteCount: totalByteCount))
  }
}
