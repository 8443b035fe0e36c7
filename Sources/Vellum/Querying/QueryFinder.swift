/// Says which archives are looked for: a condition for each of some properties, all of which have to hold.
///
///     archives.findWhere { $0.name(.contains(string: "a")).age(.less(than: 30)) }
///
/// Each call adds its condition to the finder itself, which it also returns.
@dynamicMemberLookup
public class QueryFinder<Result> {
  /// Adds the condition of a property to the finder, and returns it.
  public typealias QueryProperty<Property> = (QueryValidator<Result, Property>) -> QueryFinder<Result>

  private var conditions: [Query<Result>] = []

  private init() {}

  /// A property, to be called with its condition.
  public subscript<Property>(
    dynamicMember keyPath: KeyPath<Result, Property>
  ) -> QueryFinder<Result>.QueryProperty<Property> {
    { validator in
      self.conditions.append(validator.validating(keyPath))
      return self
    }
  }

  // Static, so that no property of an archive has the same name.

  static func empty() -> QueryFinder { QueryFinder() }

  static func steps(of finder: QueryFinder) -> [Query<Result>] { finder.conditions }
}
