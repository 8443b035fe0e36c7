internal import Sediment

/// Expiries and durations as users write them: `10m`, `1h30m`, `2030-01-31T12:00:00Z`, `never`.
enum ExpiryText {
  private static let units: [(name: String, milliseconds: UInt64)] = [
    ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 604_800_000),
  ]

  /// The forms that `expiry` takes, for help.
  static let forms = "after 90s, 10m, 1h30m, 7d, or at 2030-01-31T12:00:00Z"

  /// Returns the expiry that a text means, or throws a usage failure.
  static func required(_ text: String) throws(ToolFailure) -> SedimentExpiry {
    guard let expiry = expiry(text) else {
      throw .usage("'\(text)' is no time; give one such as 90s, 10m, 1h30m, 7d or 2030-01-31T12:00:00Z")
    }
    return expiry
  }

  /// The expiry that a text means; nil if it means none.
  static func expiry(_ text: String) -> SedimentExpiry? {
    if text == "never" { return .never }
    if let milliseconds = TimeText.milliseconds(text) { return .at(milliseconds: milliseconds) }
    return milliseconds(text).map { .after(.milliseconds(Int64(clamping: $0))) }
  }

  /// The milliseconds of a duration such as `1h30m`: whole numbers, each with its unit; nil for anything else.
  static func milliseconds(_ text: String) -> UInt64? {
    var rest = text[...]
    var sum: UInt64 = 0
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      let name = rest.prefix { $0.isLetter }
      rest = rest.dropFirst(name.count)
      guard let number = UInt64(digits), let unit = units.first(where: { $0.name == name }) else {
        return nil
      }
      let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit.milliseconds)
      let (total, overflows) = sum.addingReportingOverflow(product)
      if isTooLarge || overflows { return nil }
      sum = total
    }
    return text.isEmpty || sum == 0 ? nil : sum
  }
}
