/// What a memory layer holds, and what it did since it was made.
public struct LRUStatistics: Sendable, Hashable {
  /// Values that were asked for and there.
  public var hits = 0
  /// Values that were asked for and not there, or expired.
  public var misses = 0
  /// Values that were kept under a new key, or in place of an older one.
  public var insertions = 0
  /// Values that were not kept because they alone exceed the bound.
  public var rejections = 0
  /// Values that left because of the bound, for `trim`, or under memory pressure.
  public var evictions = 0
  /// Values that left because they had expired.
  public var expirations = 0
  /// The values held, with those that have expired and are not dropped yet.
  public var count = 0
  /// What they cost together.
  public var cost = 0
  /// The bytes of the table that holds them, without what keys and values refer to.
  public var tableBytes = 0

  /// Statistics of a layer that did nothing yet.
  public init() {}
}
