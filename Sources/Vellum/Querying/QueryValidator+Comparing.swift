extension QueryValidator where Property: Equatable {
  /// What equals a value is valid.
  public static func isEqual(with other: Property) -> QueryValidator<Result, Property> {
    QueryValidator { $0 == other }
  }

  /// What differs from a value is valid.
  public static func isNotEqual(with other: Property) -> QueryValidator<Result, Property> {
    QueryValidator { $0 != other }
  }

  /// What equals a value is valid; the same as `isEqual(with:)`.
  public static func isEqual(_ other: Property) -> QueryValidator<Result, Property> {
    isEqual(with: other)
  }

  /// What differs from a value is valid; the same as `isNotEqual(with:)`.
  public static func isNotEqual(_ other: Property) -> QueryValidator<Result, Property> {
    isNotEqual(with: other)
  }

  /// What equals a value is valid, and nil if that is nil.
  public static func isEqual(with other: Property?) -> QueryValidator<Result, Property> {
    guard let other else { return isNil() }
    return isEqual(with: other as Property)
  }

  /// What differs from a value is valid, and all but nil if that is nil.
  public static func isNotEqual(with other: Property?) -> QueryValidator<Result, Property> {
    guard let other else { return isNotNil() }
    return isNotEqual(with: other as Property)
  }

  /// What equals a value is valid, and nil if that is nil.
  public static func isEqual(_ other: Property?) -> QueryValidator<Result, Property> {
    isEqual(with: other)
  }

  /// What differs from a value is valid, and all but nil if that is nil.
  public static func isNotEqual(_ other: Property?) -> QueryValidator<Result, Property> {
    isNotEqual(with: other)
  }
}

extension QueryValidator where Property: Comparable {
  /// What is greater than a value is valid.
  public static func greater(than other: Property) -> QueryValidator<Result, Property> {
    QueryValidator { $0 > other }
  }

  /// What is less than a value is valid.
  public static func less(than other: Property) -> QueryValidator<Result, Property> {
    QueryValidator { $0 < other }
  }

  /// What is not less than a value is valid.
  public static func greaterOrEqual(with other: Property) -> QueryValidator<Result, Property> {
    QueryValidator { $0 >= other }
  }

  /// What is not greater than a value is valid.
  public static func lessOrEqual(with other: Property) -> QueryValidator<Result, Property> {
    QueryValidator { $0 <= other }
  }
}
