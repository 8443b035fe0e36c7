/// A query that is put together step by step, and then asked for its results.
///
/// Each method adds its step to the query itself, which it also returns. So the query that a method is called on changes;
/// whoever needs both begins two. Results come in the order in which their keys were first recorded; sorting keeps that
/// order among those that are equal.
public class QueryBuilder<Queriable> where Queriable: Archivist {
  /// The type of the archives.
  public typealias Result = Queriable.Archive

  let archivist: Queriable
  /// The steps.
  public private(set) var queries: [Query<Result>] = []

  init(_ archivist: Queriable) {
    self.archivist = archivist
  }

  /// Adds a step that only results pass which meet some conditions.
  public func findWhere(
    _ finder: (QueryFinder<QueryBuilder<Queriable>.Result>) -> QueryFinder<QueryBuilder<Queriable>.Result>
  ) -> QueryBuilder<Queriable> {
    queries += QueryFinder.steps(of: finder(.empty()))
    return self
  }

  /// Adds a step that sorts the results.
  public func sorted(
    _ sorter: (QuerySorter<QueryBuilder<Queriable>.Result>) -> QuerySorter<QueryBuilder<Queriable>.Result>
  ) -> QueryBuilder<Queriable> {
    queries.append(QuerySortSequence(QuerySorter.criteria(of: sorter(.empty()))))
    return self
  }

  /// Adds a step that lets the first results pass, at most so many.
  public func limitResults(by count: Int) -> QueryBuilder<Queriable> {
    queries.append(QueryLimiter(limit: count))
    return self
  }

  /// The results.
  public func getResults() -> [QueryBuilder<Queriable>.Result] {
    archivist.process(queries: queries)
  }

  /// The first result; nil if there is none.
  public func firstResult() -> QueryBuilder<Queriable>.Result? {
    archivist.process(queries: queries + [QueryLimiter(limit: 1)]).first
  }

  /// The last result; nil if there is none.
  public func lastResult() -> QueryBuilder<Queriable>.Result? {
    archivist.process(queries: queries + [QueryLast()]).last
  }
}
