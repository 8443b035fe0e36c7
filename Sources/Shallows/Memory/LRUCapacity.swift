public import Foundation

/// How much a memory layer keeps: so many values, values of so much cost in all, or both.
///
/// A bound of zero or less keeps nothing. A cost below zero counts as zero. A value that alone costs more than
/// the bound is not kept, and nothing is evicted for it.
public struct LRUCapacity<Key, Value>: Sendable {
  /// Tells what it costs to keep a value; called from any thread, outside all locks.
  public typealias Cost = @Sendable (Key, Value) -> Int

  /// The values that are kept at most.
  public let countMax: Int

  /// What the values may cost together.
  public let costMax: Int

  /// What a value costs; nil if that is not counted.
  public let cost: Cost?

  @usableFromInline
  init(countMax: Int, costMax: Int, cost: Cost?) {
    self.countMax = max(countMax, 0)
    self.costMax = max(costMax, 0)
    self.cost = cost
  }

  /// At most so many values.
  public static func count(_ countMax: Int) -> Self {
    Self(countMax: countMax, costMax: .max, cost: nil)
  }

  /// Values that cost no more than this together.
  ///
  /// What costs nothing is not bounded.
  public static func cost(_ costMax: Int, of cost: @escaping Cost) -> Self {
    Self(countMax: .max, costMax: costMax, cost: cost)
  }

  /// At most so many values, which cost no more than this together.
  public static func count(_ countMax: Int, cost costMax: Int, of cost: @escaping Cost) -> Self {
    Self(countMax: countMax, costMax: costMax, cost: cost)
  }

  /// The cost of a value, never below zero.
  @inlinable @inline(__always)
  func cost(of value: Value, forKey key: Key) -> Int {
    guard let cost else { return 0 }
    return max(cost(key, value), 0)
  }
}

extension LRUCapacity where Value == Data {
  /// Values of so many bytes together; keys and bookkeeping are not counted.
  public static func bytes(_ byteCountMax: Int) -> Self {
    .cost(byteCountMax) { $1.count }
  }
}

extension LRUCapacity where Value == [UInt8] {
  /// Values of so many bytes together; keys and bookkeeping are not counted.
  public static func bytes(_ byteCountMax: Int) -> Self {
    .cost(byteCountMax) { $1.count }
  }
}

extension LRUCapacity where Value == String {
  /// Values of so many bytes of UTF-8 together; keys and bookkeeping are not counted.
  public static func bytes(_ byteCountMax: Int) -> Self {
    .cost(byteCountMax) { $1.utf8.count }
  }
}
