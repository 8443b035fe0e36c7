/// How a value stands to another.
public enum QueryCompareResult: Sendable {
  /// The left one is greater.
  case leftGreaterThanRight
  /// The left one is less.
  case leftLessThanRight
  /// Neither is.
  case leftEqualWithRight
}

/// Which of two values comes first.
public enum QuerySortDirection: Sendable {
  /// The lesser.
  case ascending
  /// The greater.
  case descending
}

/// Says in what order archives come: by one property, where that is equal by the next, and so on.
///
///     archives.sorted { $0.age(.ascending).name(.descending) }
///
/// Each call adds a property to the sorter itself, which it also returns.
@dynamicMemberLookup
public class QuerySorter<Result> {
  /// Adds a property with its direction to the sorter, and returns it.
  public typealias Sorter = (QuerySortDirection) -> QuerySorter<Result>
  /// Compares two results.
  public typealias Comparator = (Result, Result) -> QueryCompareResult

  private var criteria: [any SortCriterion<Result>] = []

  private init() {}

  /// A property, to be called with its direction.
  public subscript<Property>(
    dynamicMember keyPath: KeyPath<Result, Property>
  ) -> QuerySorter<Result>.Sorter where Property: Comparable {
    { direction in
      self.adding(PropertyCriterion(keyPath: keyPath, isDescending: direction == .descending))
    }
  }

  /// Adds what a closure says; descending is the reverse of that.
  public func manual(
    direction: QuerySortDirection, by comparator: @escaping QuerySorter<Result>.Comparator
  ) -> QuerySorter<Result> {
    adding(ManualCriterion(comparator: comparator, isDescending: direction == .descending))
  }

  private func adding(_ criterion: any SortCriterion<Result>) -> QuerySorter<Result> {
    criteria.append(criterion)
    return self
  }

  // Static, so that no property of an archive has the same name.

  static func empty() -> QuerySorter { QuerySorter() }

  static func criteria(of sorter: QuerySorter) -> [any SortCriterion<Result>] { sorter.criteria }
}
