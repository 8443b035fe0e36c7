/// How far something long has come.
///
/// What takes one as a closure calls it now and then, on the thread that it was called on, and goes on while the
/// closure returns `continue`. It always calls it once at the end, with both numbers equal.
public struct SedimentProgress: Sendable, Hashable {
  /// The bytes that were dealt with.
  public let completedByteCount: UInt64
  /// The bytes that there are to deal with, as far as is known now.
  public let totalByteCount: UInt64

  /// Creates a progress.
  public init(completedByteCount: UInt64, totalByteCount: UInt64) {
    self.completedByteCount = completedByteCount
    self.totalByteCount = totalByteCount
  }
}
