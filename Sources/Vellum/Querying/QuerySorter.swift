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
@dynamicMemberLookup
public class QuerySorter<Result> {
  /// Takes the direction of a property, and is the sorter with it.
  public typealias Sorter = (QuerySortDirection) -> QuerySorter<Result>
  /// Compares two results.
  public typealias Comparator = (Result, Result) -> QueryCompareResult

  private let criteria: [any SortCriterion<Result>]

  private init(_ criteria: [any SortCriterion<Result>]) {
    self.criteria = criteria
  }

  /// A property, to be called with its direction.
  public subscript<Property>(
    dynamicMember keyPath: KeyPath<Result, Property>
  ) -> QuerySorter<Result>.Sorter where Property: Comparable {
    { [criteria] direction in
      QuerySorter(criteria + [PropertyCriterion(keyPath: keyPath, isDescending: direction == .descending)])
    }
  }

  /// The sorter that goes on by what a closure says; descending is the reverse of that.
  public func manual(
    direction: QuerySortDirection, by comparator: @escaping QuerySorter<Result>.Comparator
  ) -> QuerySorter<Result> {
    QuerySorter(
      criteria + [ManualCriterion(comparator: comparator, isDescending: direction == .descending)])
  }

  // Static, so that no property of an archive has the same name.

  static func empty() -> QuerySorter { QuerySorter([]) }

  static func criteria(of sorter: QuerySorter) -> [any SortCriterion<Result>] { sorter.criteria }
}
