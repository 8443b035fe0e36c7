/// A step that lets only the first results go on.
public final class QueryLimiter<Result>: Query<Result> {
  /// How many go on at most.
  public let limit: Int

  /// Creates a step that lets so many go on; a number below zero is none.
  public init(limit: Int) {
    self.limit = Swift.max(limit, 0)
  }

  /// The first results.
  override public func process(results: [Result]) -> [Result] {
    Array(results.prefix(limit))
  }
}

/// A step that lets only the last result go on.
final class QueryLast<Result>: Query<Result> {
  override func process(results: [Result]) -> [Result] {
    Array(results.suffix(1))
  }
}
