/// Numbers as people read them.
enum SizeText {
  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  /// Bytes with a unit of 1,024 to a power: `1.4 KiB`.
  static func bytes(_ count: UInt64) -> String {
    var value = Double(count)
    var unit = 0
    while value >= 1_024, unit < units.count - 1 {
      value /= 1_024
      unit += 1
    }
    return unit == 0 ? "\(count) B" : "\(decimal(value, places: value < 10 ? 1 : 0)) \(units[unit])"
  }

  /// A number with so many digits behind the point.
  static func decimal(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && scaled > 0 ? "-" : ""
    let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
    if places == 0 { return "\(sign)\(whole)" }
    return "\(sign)\(whole)." + String(fraction).padded(to: places, with: "0")
  }

  /// A part of a whole in percent.
  static func percent(_ part: UInt64, of whole: UInt64) -> String {
    whole == 0 ? "-" : decimal(100 * Double(part) / Double(whole), places: 0) + " %"
  }

  /// A duration in the unit that suits it.
  static func nanoseconds(_ count: Double) -> String {
    switch count {
    case ..<1e3: decimal(count, places: 0) + " ns"
    case ..<1e6: decimal(count / 1e3, places: 1) + " us"
    case ..<1e9: decimal(count / 1e6, places: 1) + " ms"
    default: decimal(count / 1e9, places: 2) + " s"
    }
  }

  /// So many of something: `1 key`, `2 keys`.
  static func count(_ number: some BinaryInteger, _ one: String, _ several: String? = nil) -> String {
    number == 1 ? "1 \(one)" : "\(number) \(several ?? one + "s")"
  }
}
