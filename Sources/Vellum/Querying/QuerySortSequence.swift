/// A step that sorts the results; those that are equal stay in their order.
public class QuerySortSequence<Result>: Query<Result> {
  let criteria: [any SortCriterion<Result>]

  init(_ criteria: [any SortCriterion<Result>]) {
    self.criteria = criteria
  }

  /// The results, sorted.
  override public func process(results: [Result]) -> [Result] {
    var run = SortRun(criteria)
    for result in results { run.take(result) }
    return run.sorted()
  }
}
