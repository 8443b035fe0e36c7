extension QueryValidator where Property: Collection {
  /// What has so many elements is valid.
  public static func countEqual(with count: Int) -> QueryValidator<Result, Property> {
    QueryValidator { $0.count == count }
  }

  /// What has more elements is valid.
  public static func countGreater(than count: Int) -> QueryValidator<Result, Property> {
    QueryValidator { $0.count > count }
  }

  /// What has fewer elements is valid.
  public static func countLess(than count: Int) -> QueryValidator<Result, Property> {
    QueryValidator { $0.count < count }
  }

  /// What has so many elements or more is valid.
  public static func countGreaterOrEqual(with count: Int) -> QueryValidator<Result, Property> {
    QueryValidator { $0.count >= count }
  }

  /// What has so many elements or fewer is valid.
  public static func countLessOrEqual(with count: Int) -> QueryValidator<Result, Property> {
    QueryValidator { $0.count <= count }
  }

  /// What has no elements is valid.
  public static func isEmpty() -> QueryValidator<Result, Property> {
    QueryValidator { $0.isEmpty }
  }

  /// What has elements is valid.
  public static func isNotEmpty() -> QueryValidator<Result, Property> {
    QueryValidator { !$0.isEmpty }
  }
}

extension QueryValidator where Property: Collection, Property.Element: Equatable {
  /// What has an element is valid.
  public static func contains(with member: Property.Element) -> QueryValidator<Result, Property> {
    QueryValidator { $0.contains(member) }
  }

  /// What has one or more of some elements is valid; nothing if there are none of these.
  public static func contains(atLeastOne members: [Property.Element]) -> QueryValidator<Result, Property> {
    QueryValidator { property in members.contains { property.contains($0) } }
  }

  /// What has each of some elements is valid; all if there are none of these.
  public static func contains(all members: [Property.Element]) -> QueryValidator<Result, Property> {
    QueryValidator { property in members.allSatisfy { property.contains($0) } }
  }

  /// What has each of some elements is valid; the same as `contains(all:)`.
  public static func contains(_ members: Property.Element...) -> QueryValidator<Result, Property> {
    contains(all: members)
  }
}
