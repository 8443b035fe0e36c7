/// Says which archives are looked for: a condition for each of some properties, all of which have to hold.
///
///     archives.findWhere { $0.name(.contains(string: "a")).age(.less(than: 30)) }
@dynamicMemberLookup
public class QueryFinder<Result> {
  /// Takes the condition of a property, and is the finder with it.
  public typealias QueryProperty<Property> = (QueryValidator<Result, Property>) -> QueryFinder<Result>

  private let conditions: [Query<Result>]

  private init(_ conditions: [Query<Result>]) {
    self.conditions = conditions
  }

  /// A property, to be called with its condition.
  public subscript<Property>(
    dynamicMember keyPath: KeyPath<Result, Property>
  ) -> QueryFinder<Result>.QueryProperty<Property> {
    { [conditions] validator in QueryFinder(conditions + [validator.validating(keyPath)]) }
  }

  // Static, so that no property of an archive has the same name.

  static func empty() -> QueryFinder { QueryFinder([]) }

  static func steps(of finder: QueryFinder) -> [Query<Result>] { finder.conditions }
}
