/// After which failures of the front a composition asks the back.
public enum StorageFallThrough: Sendable, Hashable {
  /// After any: a front that cannot be read, or holds what cannot be decoded, is no worse than one without the value.
  case anyFailure
  /// After a miss alone; any other failure is the answer, so that nothing damaged is taken for missing.
  case missesOnly

  @inlinable
  func passes(_ error: any Error) -> Bool { self == .anyFailure || error.isNoValue }
}

/// What becomes of a value that the back had, and the front had not.
public enum StorageCombinationPullStrategy: Sendable, Hashable {
  /// It is set to the front, then told.
  case pullThenComplete
  /// It is told, then set to the front.
  case completeThenPull
  /// It is told, and not set to the front.
  case neverPull
}

/// Where a value is set.
public enum StorageCombinationSetStrategy: Sendable, Hashable {
  /// To the back, then to the front unless that failed.
  case backFirst
  /// To the front, then to the back unless that failed.
  case frontFirst
  /// To the front alone.
  case frontOnly
  /// To the back alone.
  case backOnly
}
