import CrashModel
import Sediment

/// All failures of all calls of all scripts, numbered.
struct CallFailures: Sendable {
  private let scripts: [CallScript]
  /// What can go wrong, by script and call.
  private let places: [Place]
  private let order: Spread

  private struct Place: Sendable {
    var script: Int
    var call: Int
    var fault: Int
  }

  /// Carries each script out once to know its calls.
  init() throws {
    let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
    scripts = try accesses.flatMap { try CallScript.all($0) }
    var places: [Place] = []
    for (script, calls) in try scripts.map({ try $0.calls() }).enumerated() {
      for (call, operation) in calls.enumerated() {
        for (number, fault) in CallFault.all.enumerated() where fault.applies(to: operation) {
          places.append(Place(script: script, call: call, fault: number))
        }
      }
    }
    self.places = places
    order = Spread(places.count)
  }

  var count: Int { places.count }

  /// The failure of a number; after all of them they come again.
  func failure(_ number: UInt64) -> (script: CallScript, call: Int, fault: CallFault) {
    let place = places[order.number(at: number).number]
    return (scripts[place.script], place.call, CallFault.all[place.fault])
  }
}
