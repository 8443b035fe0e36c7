/// The greater of two values; the right one if they are equal.
public func max<Some>(_ left: Some, _ right: Some) -> Some where Some: Comparable {
  left > right ? left : right
}

/// The smaller of two values; the left one if they are equal.
public func min<Some>(_ left: Some, _ right: Some) -> Some where Some: Comparable {
  right < left ? right : left
}
