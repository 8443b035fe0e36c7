/// The steps of a query, put so that each archive is looked at only once.
struct QueryPlan<Result> {
  /// What an archive must pass.
  private(set) var filters: [any ResultFilter<Result>] = []
  /// What is done with those that pass.
  private(set) var gathering = Gathering.all
  /// What is done with the results of that, one step after the other.
  private(set) var rest: [Query<Result>] = []
  /// Why nothing can be found.
  private(set) var problem: VellumError?

  enum Gathering {
    case all
    case first(Int)
    case last
    case sorted([any SortCriterion<Result>], limit: Int)
    case lastSorted([any SortCriterion<Result>])
  }

  init(_ queries: [Query<Result>]) {
    for query in queries { add(query) }
  }

  /// Takes in a step, behind those before it.
  private mutating func add(_ query: Query<Result>) {
    if let filter = query as? any ResultFilter<Result> {
      problem = problem ?? filter.problem
      if rest.isEmpty, gathersAll {
        filters.append(filter)
        return
      }
    }
    if rest.isEmpty, let gathering = gathering(with: query) {
      self.gathering = gathering
    } else {
      rest.append(query)
    }
  }

  /// Whether a filter means the same before the gathering as behind it: sorting changes nothing about what passes.
  private var gathersAll: Bool {
    switch gathering {
    case .all, .sorted(_, limit: .max): true
    default: false
    }
  }

  /// The gathering together with a step behind it; nil if they do not go together.
  private func gathering(with query: Query<Result>) -> Gathering? {
    let kind = type(of: query)
    switch gathering {
    case .all:
      if kind == QuerySortSequence<Result>.self, let sort = query as? QuerySortSequence<Result> {
        return .sorted(sort.criteria, limit: .max)
      }
      if let limiter = query as? QueryLimiter<Result> { return .first(limiter.limit) }
      if query is QueryLast<Result> { return .last }
    case .first(let count):
      if let limiter = query as? QueryLimiter<Result> { return .first(Swift.min(count, limiter.limit)) }
    case .sorted(let criteria, let limit):
      if let limiter = query as? QueryLimiter<Result> {
        return .sorted(criteria, limit: Swift.min(limit, limiter.limit))
      }
      if limit == .max, query is QueryLast<Result> { return .lastSorted(criteria) }
    case .last, .lastSorted: break
    }
    return nil
  }
}

/// Gathers the results of a plan while they come.
struct QueryGathering<Result> {
  private let plan: QueryPlan<Result>
  private var results: [Result] = []
  private var sort: SortRun<Result>?
  private let countMax: Int

  init(_ plan: QueryPlan<Result>) {
    self.plan = plan
    switch plan.gathering {
    case .sorted(let criteria, let limit): sort = SortRun(criteria, limit: limit)
    case .lastSorted(let criteria): sort = SortRun(criteria, limit: 1, keepsLast: true)
    default: break
    }
    countMax =
      switch plan.gathering {
      case .first(let count): count
      case .sorted(_, limit: 0): 0
      default: .max
      }
  }

  /// Whether nothing that comes can change anything any more.
  var isFull: Bool { results.count >= countMax }

  /// Looks at the next result.
  mutating func take(_ result: Result) {
    for filter in plan.filters where !filter.passes(result) { return }
    if sort != nil {
      sort?.take(result)
    } else if case .last = plan.gathering {
      results = [result]
    } else if !isFull {
      results.append(result)
    }
  }

  /// What came of all.
  func finished() -> [Result] {
    plan.rest.reduce(sort?.sorted() ?? results) { results, query in query.process(results: results) }
  }
}
