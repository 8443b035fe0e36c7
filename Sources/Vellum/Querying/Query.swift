/// A step of a query: makes results of results.
///
/// Archives run the steps of their own kinds while they read, one archive after the other. A step of another kind is
/// given all that the steps before it have left.
open class Query<Result> {
  /// Creates a step that changes nothing.
  public init() {}

  /// The results that go on to the next step, in their order.
  open func process(results: [Result]) -> [Result] {
    results
  }
}
