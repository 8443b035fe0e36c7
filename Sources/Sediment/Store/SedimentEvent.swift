/// Something that happened to a store, for the observer of its options.
public enum SedimentEvent: Sendable {
  /// The store was opened, with what that found and did.
  case recovered(RecoveryReport)
  /// A sync has ended, which took so many nanoseconds: every change made before it is on the disk.
  case synced(nanoseconds: UInt64)
  /// A segment of the log is full, and the log goes on in another one.
  case segmentSealed
  /// A checkpoint was written, from which the next recovery begins.
  case checkpoint
  /// Work of the background failed, or a failure made the store refuse further changes.
  case failed(SedimentError)
  /// The store was closed.
  case closed
}
