/// Something that happened to a store, as its observer is told.
public enum SedimentEvent: Sendable {
  /// The store was opened, and this is what recovery found and did.
  case recovered(RecoveryReport)
  /// Everything up to a moment before is on the disk now; it took so many nanoseconds.
  case synced(nanoseconds: UInt64)
  /// A segment of the log is full, and the log goes on in another.
  case segmentSealed
  /// The catalogue was written, so that recovery would begin from here.
  case checkpoint
  /// Something failed in the background, or made the store refuse further changes.
  case failed(SedimentError)
  /// The store was closed.
  case closed
}
