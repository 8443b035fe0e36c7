internal import Foundation

extension Quantity {
  /// Writes a figure with the unit and the precision that a person wants: `1.23 ns`, `178 ns`, `2.41 us`, `9.8 GB/s`.
  public func text(_ value: Double) -> String {
    let (scaled, unit) = inPeoplesUnit(value)
    return "\(threeDigits(scaled)) \(unit)"
  }

  /// Writes a range in one unit, that of its upper end: `1.02 .. 1.31 us`.
  public func text(from minimum: Double, to maximum: Double) -> String {
    let (scaled, unit) = inPeoplesUnit(maximum)
    let factor = maximum == 0 ? 1 : scaled / maximum
    return "\(threeDigits(minimum * factor)) .. \(threeDigits(scaled)) \(unit)"
  }

  private func inPeoplesUnit(_ value: Double) -> (Double, String) {
    guard self == .time else { return (value, rawValue) }
    // A thousand less half a digit rounds up to 1000, which belongs to the next unit.
    return switch value.magnitude {
    case ..<999.5: (value, "ns")
    case ..<999_500: (value / 1e3, "us")
    case ..<999_500_000: (value / 1e6, "ms")
    default: (value / 1e9, "s")
    }
  }
}

/// Writes a ratio: `0.97`, `1.30`, `12.4`.
func ratioText(_ value: Double) -> String {
  // What is nothing but for a difference that nobody sees has no sign.
  let value = value.magnitude < 0.005 ? 0 : value
  return String(format: value < 10 ? "%.2f" : "%.1f", value)
}

/// Three digits that say something: `1.23`, `12.3`, `123`.
private func threeDigits(_ value: Double) -> String {
  let fractionDigitCount =
    switch value.magnitude {
    case ..<9.995: 2
    case ..<99.95: 1
    default: 0
    }
  return String(format: "%.\(fractionDigitCount)f", value)
}

/// Writes a size in the largest binary unit that it is a whole number of: `512 MiB`, `96 KiB`, `100 B`.
public func byteCountText(_ byteCount: Int) -> String {
  var value = byteCount
  var unit = "B"
  for larger in ["KiB", "MiB", "GiB", "TiB"] where value >= 1024 && value.isMultiple(of: 1024) {
    value /= 1024
    unit = larger
  }
  return "\(value) \(unit)"
}
