internal import Foundation
internal import MachineLimits

/// Numbers of which the n-th is asked for in proportion to 1/n to the power of 0.99 (Gray and others, 1994).
package struct Zipf {
  private static let exponent = 0.99

  private let count: Double
  private let zeta: Double
  private let eta: Double
  private let alpha = 1 / (1 - Zipf.exponent)
  private var random: SplitMix64

  package init(count: Int, seed: UInt64) {
    self.count = Double(count)
    zeta = (1...count).reduce(0) { $0 + 1 / pow(Double($1), Zipf.exponent) }
    let two = 1 + pow(0.5, Zipf.exponent)
    eta = (1 - pow(2 / Double(count), 1 - Zipf.exponent)) / (1 - two / zeta)
    random = SplitMix64(seed: seed)
  }

  /// The next number, from 0 on.
  package mutating func next() -> Int {
    let unit = Double(random.next() >> 11) / Double(1 << 53)
    let scaled = unit * zeta
    if scaled < 1 { return 0 }
    if scaled < 1 + pow(0.5, Zipf.exponent) { return 1 }
    return min(Int(count * pow(eta * unit - eta + 1, alpha)), Int(count) - 1)
  }
}
