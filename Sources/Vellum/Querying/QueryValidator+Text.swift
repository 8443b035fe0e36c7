internal import Foundation

extension QueryValidator where Property == String {
  /// Text that has another one in it is valid; none if that is empty, as with Foundation's `range(of:)`.
  public static func contains(
    string: String, caseSensitive: Bool = true
  ) -> QueryValidator<Result, Property> {
    if string.isEmpty { return QueryValidator { _ in false } }
    if caseSensitive { return QueryValidator { $0.contains(string) } }
    let lowercased = string.lowercased()
    return QueryValidator { $0.lowercased().contains(lowercased) }
  }

  /// Text that has another one in it is valid; the same as `contains(string:)`.
  public static func contains(_ string: String) -> QueryValidator<Result, Property> {
    contains(string: string)
  }

  /// Text in which a regular expression is found is valid; with `^` and `$` around it, text that it is.
  ///
  /// What is no regular expression finds nothing, and makes the query fail that can throw; the others tell the
  /// observer.
  public static func matches(regex: String) -> QueryValidator<Result, Property> {
    do {
      let expression = try NSRegularExpression(pattern: regex)
      return QueryValidator { text in
        expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
      }
    } catch {
      return QueryValidator({ _ in false }, problem: .notRegular(error))
    }
  }
}

extension QueryValidator where Property == String? {
  /// Nil and empty text are valid.
  public static func isNilOrEmpty() -> QueryValidator<Result, Property> {
    QueryValidator { $0?.isEmpty ?? true }
  }
}
