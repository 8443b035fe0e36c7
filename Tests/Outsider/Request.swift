import Foundation

/// What the command line asks for.
struct Request {
  /// How long cases are begun.
  var seconds = 120.0
  var firstSeed: UInt64 = 1
  var caseCount = Int.max
  /// The one plan that is to be done in this process.
  var onlyPlan: Plan?
  var folder = FileManager.default.temporaryDirectory
  /// Where it is kept which seed is next.
  var state: URL?
  var endsWithFinding = false

  struct Refusal: Error, CustomStringConvertible {
    var description: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    var isOne = false
    while let argument = rest.popFirst() {
      func value() throws -> String {
        guard let value = rest.popFirst() else { throw Refusal(description: "\(argument) needs a value") }
        return value
      }
      func number<Number: LosslessStringConvertible>() throws -> Number {
        guard let number = Number(try value()) else {
          throw Refusal(description: "\(argument) needs a number")
        }
        return number
      }
      switch argument {
      case "--seconds": seconds = try number()
      case "--first": firstSeed = try number()
      case "--cases": caseCount = try number()
      case "--until-found": endsWithFinding = true
      case "--state": state = URL(fileURLWithPath: try value())
      case "--folder": folder = URL(fileURLWithPath: try value())
      case "--seed":
        firstSeed = try number()
        isOne = true
      case "--plan":
        guard let plan = Plan(try value()) else { throw Refusal(description: "--plan needs a plan") }
        onlyPlan = plan
      default: throw Refusal(description: "unknown option '\(argument)'")
      }
    }
    if isOne, onlyPlan == nil { onlyPlan = Plan(seed: firstSeed) }
  }
}
