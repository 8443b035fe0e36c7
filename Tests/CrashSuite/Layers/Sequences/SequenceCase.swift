import CrashModel
import Sediment

/// One of all sequences of at most three steps, in a way of access, from a store that is new or has a history.
struct SequenceCase {
  let steps: [SequenceStep]
  /// Which of the ways of access it is.
  let accessNumber: Int
  let hasHistory: Bool
  /// How often all cases were gone through before this one.
  let round: UInt64

  var access: SedimentOptions.Access { Self.accesses[accessNumber] }

  static let lengthMax = 3
  static let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
  /// How many cases there are; the one without steps is an opening alone.
  static let count = sequenceCount * accesses.count * 2

  private static let sequenceCount = (0...lengthMax).reduce(0) { $0 + power(SequenceStep.allCases.count, $1) }

  /// The case of a number, which takes the cases in an order that mixes short and long sequences.
  init(_ number: UInt64) {
    let (place, round) = Self.order.number(at: number)
    self.round = round
    var rest = place
    hasHistory = rest % 2 == 1
    rest /= 2
    accessNumber = rest % Self.accesses.count
    rest /= Self.accesses.count
    var length = 0
    while rest >= Self.power(SequenceStep.allCases.count, length) {
      rest -= Self.power(SequenceStep.allCases.count, length)
      length += 1
    }
    var steps: [SequenceStep] = []
    for _ in 0..<length {
      steps.append(SequenceStep.allCases[rest % SequenceStep.allCases.count])
      rest /= SequenceStep.allCases.count
    }
    self.steps = steps
  }

  private static let order = Spread(count)

  private static func power(_ base: Int, _ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { result, _ in result * base }
  }
}

extension SequenceCase: CustomStringConvertible {
  var description: String {
    let list = steps.isEmpty ? "nothing" : steps.map { "\($0)" }.joined(separator: ", ")
    return "\(list) in \(hasHistory ? "a store with a history" : "a new store"), \(access)"
  }
}
