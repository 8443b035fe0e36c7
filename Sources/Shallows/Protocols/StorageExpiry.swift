public import Foundation

/// When a value ceases to be there.
public enum StorageExpiry: Sendable, Hashable {
  /// Never.
  case never
  /// So long after it is set, by the wall clock.
  case after(Duration)
  /// At a time of the wall clock.
  case at(Date)
}

/// A value, and when it ceases to be there: what tiers hand to each other, so that none outlives its time in a front.
public struct ExpiringValue<Value> {
  /// The value.
  public var value: Value
  /// When it ceases to be there; `never` where the storage does not know better.
  public var expiry: StorageExpiry

  /// Creates a pair of both.
  @inlinable
  public init(_ value: Value, expiry: StorageExpiry = .never) {
    self.value = value
    self.expiry = expiry
  }
}

extension ExpiringValue: Sendable where Value: Sendable {}
