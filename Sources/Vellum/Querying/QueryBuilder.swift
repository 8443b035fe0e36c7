/// A query that is put together step by step, and then asked for its results.
///
/// Each method gives another query; the one before stays as it is. Results come in the order in which their keys were
/// first recorded; sorting keeps that order among those that are equal.
public class QueryBuilder<Queriable> where Queriable: Archivist {
  /// The type of the archives.
  public typealias Result = Queriable.Archive

  let archivist: Queriable
  /// The steps.
  public let queries: [Query<Result>]

  init(_ archivist: Queriable, _ queries: [Query<Result>] = []) {
    self.archivist = archivist
    self.queries = queries
  }

  /// The query that goes on with those results that meet some conditions.
  public func findWhere(
    _ finder: (QueryFinder<QueryBuilder<Queriable>.Result>) -> QueryFinder<QueryBuilder<Queriable>.Result>
  ) -> QueryBuilder<Queriable> {
    QueryBuilder(archivist, queries + QueryFinder.steps(of: finder(.empty())))
  }

  /// The query that goes on with its results sorted.
  public func sorted(
    _ sorter: (QuerySorter<QueryBuilder<Queriable>.Result>) -> QuerySorter<QueryBuilder<Queriable>.Result>
  ) -> QueryBuilder<Queriable> {
    let criteria = QuerySorter.criteria(of: sorter(.empty()))
    return QueryBuilder(archivist, queries + [QuerySortSequence(criteria)])
  }

  /// The query that goes on with its first results, at most so many.
  public func limitResults(by count: Int) -> QueryBuilder<Queriable> {
    QueryBuilder(archivist, queries + [QueryLimiter(limit: count)])
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
