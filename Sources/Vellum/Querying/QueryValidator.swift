/// A step that lets those results go on whose property is valid.
///
/// Its static methods say what is valid; the finder says which property.
open class QueryValidator<Result, Property>: Query<Result> {
  let isValid: (Property) -> Bool
  private let keyPath: KeyPath<Result, Property>?
  /// Why it can find nothing.
  let problem: VellumError?

  init(_ isValid: @escaping (Property) -> Bool, of keyPath: KeyPath<Result, Property>?, problem: VellumError?)
  {
    self.isValid = isValid
    self.keyPath = keyPath
    self.problem = problem
  }

  convenience init(_ isValid: @escaping (Property) -> Bool, problem: VellumError? = nil) {
    self.init(isValid, of: nil, problem: problem)
  }

  /// The same for a property; it itself may be used for others as well.
  func validating(_ keyPath: KeyPath<Result, Property>) -> QueryValidator {
    QueryValidator(isValid, of: keyPath, problem: problem)
  }

  /// The results whose property is valid; all of them until a finder has said which property.
  override open func process(results: [Result]) -> [Result] {
    results.filter(passes)
  }

  func passes(_ result: Result) -> Bool {
    guard let keyPath else { return true }
    return isValid(result[keyPath: keyPath])
  }

  /// What a closure says is valid.
  public static func isValid(_ validator: @escaping (Property) -> Bool) -> QueryValidator<Result, Property> {
    QueryValidator(validator)
  }

  /// Nil is valid; a property that cannot be nil never is.
  public static func isNil() -> QueryValidator<Result, Property> {
    QueryValidator { isNothing($0) }
  }

  /// All but nil is valid.
  public static func isNotNil() -> QueryValidator<Result, Property> {
    QueryValidator { !isNothing($0) }
  }
}

/// What decides about one result at a time.
protocol ResultFilter<Result> {
  associatedtype Result
  var problem: VellumError? { get }
  func passes(_ result: Result) -> Bool
}

extension QueryValidator: ResultFilter {}

/// Whether a value is nil, of an optional of any depth.
func isNothing(_ value: Any) -> Bool {
  (value as? any PossiblyNothing)?.isNothing ?? false
}

private protocol PossiblyNothing {
  var isNothing: Bool { get }
}

extension Optional: PossiblyNothing {
  fileprivate var isNothing: Bool {
    guard let wrapped = self else { return true }
    return (wrapped as? any PossiblyNothing)?.isNothing ?? false
  }
}
