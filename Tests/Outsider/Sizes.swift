import Foundation

/// How long what is drawn is: ranges of byte counts, each with a weight, such as `140000*5+100` or `0-60000`; of
/// `1~60000` each length is as frequent as any in proportion to itself.
struct Sizes: Equatable, CustomStringConvertible {
  private var parts: [Part]

  private struct Part: Equatable {
    var range: ClosedRange<Int>
    var weight: Int
    var isEven = true

    /// How long they are on the average.
    var mean: Double {
      let (low, high) = (Double(range.lowerBound), Double(range.upperBound))
      return isEven || low == high ? (low + high) / 2 : (high - low) / log((high + 1) / (low + 1))
    }

    func draw(_ dice: inout Dice) -> Int {
      if isEven { return dice.number(in: range) }
      let (low, high) = (log(Double(range.lowerBound + 1)), log(Double(range.upperBound + 1)))
      let drawn = exp(low + (high - low) * Double(dice.number(below: 1 << 20)) / Double(1 << 20))
      return min(max(Int(drawn) - 1, range.lowerBound), range.upperBound)
    }
  }

  init(_ range: ClosedRange<Int>) { parts = [Part(range: range, weight: 1)] }

  /// Nil for a text that says something else.
  init?(_ text: some StringProtocol) {
    parts = []
    for part in text.split(separator: "+") {
      let factors = part.split(separator: "*")
      let isEven = !factors[0].contains("~")
      let ends = factors[0].split(separator: isEven ? "-" : "~").map { byteCount($0) }
      guard factors.count <= 2, let first = ends.first, let low = first, let last = ends.last,
        let high = last, ends.count <= 2, low <= high
      else { return nil }
      guard let weight = factors.count == 2 ? Int(factors[1]) : 1 else { return nil }
      parts.append(Part(range: low...high, weight: weight, isEven: isEven))
    }
    if parts.isEmpty { return nil }
  }

  var description: String {
    parts.map { part in
      let low = part.range.lowerBound
      let high = part.range.upperBound
      return "\(low)" + (high == low ? "" : "\(part.isEven ? "-" : "~")\(high)")
        + (part.weight == 1 ? "" : "*\(part.weight)")
    }.joined(separator: "+")
  }

  var most: Int { parts.map(\.range.upperBound).max() ?? 0 }

  /// How long they are on the average.
  var mean: Int {
    let weight = parts.reduce(0) { $0 + $1.weight }
    let sum = parts.reduce(0) { $0 + $1.mean * Double($1.weight) }
    return max(Int(sum) / max(weight, 1), 1)
  }

  func draw(_ dice: inout Dice) -> Int {
    dice.one(weighted: parts.map { ($0.weight, $0) }).draw(&dice)
  }

  /// The same with nothing longer than that.
  func limited(to byteCountMax: Int) -> Sizes {
    var limited = self
    limited.parts = parts.map { part in
      Part(
        range: min(part.range.lowerBound, byteCountMax)...min(part.range.upperBound, byteCountMax),
        weight: part.weight, isEven: part.isEven)
    }
    return limited
  }
}

/// A number of bytes, such as `16M`; nil for another text.
func byteCount(_ text: some StringProtocol) -> Int? {
  let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
  guard let last = text.last else { return nil }
  guard let unit = units[last] else { return Int(text) }
  return Int(text.dropLast()).map { $0 * unit }
}
