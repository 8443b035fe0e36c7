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
