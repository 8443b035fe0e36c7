import Foundation

/// What the command line asks for.
struct SuiteOptions {
  var layers: [any Layer] = SuiteOptions.allLayers
  var isLong = false
  /// A long run takes at least so long for each layer.
  var secondsPerLayer = 0.0
  /// Where long runs keep how far they came.
  var stateFolder: URL?
  /// Where the run notes what it tried.
  var record: SuiteRecord?
  /// The one case that is to be tried again.
  var replayed: Case?

  /// Whether the first finding is enough.
  var endsWithFinding = false
  /// The number of cases of each layer, if it is not the layer's own.
  var caseCount: Int?
  /// The number of the first case of each layer, where no long run has left another one.
  var firstCase: UInt64 = 0
  /// A copy of the package with bugs in it is to be made.
  var planting: Planting?
  /// It is to be seen whether the bugs of this build are found.
  var planted: PlantedLayer?

  struct Case {
    var layer: any Layer
    var seed: UInt64
  }

  #if SEDIMENT_SCHEDULES
    static let allLayers: [any Layer] = [SchedulesLayer()]
  #else
    static let allLayers: [any Layer] = [
      KillsLayer(), PowerLossLayer(), SequencesLayer(), CallsLayer(), DamageLayer(), ModelLayer(),
      FullStoreLayer(), IdleLayer(), ThreadsLayer(), DeviceLayer(),
      FullDiskLayer(), SoakLayer(),
    ]
  #endif

  struct Refusal: Error, CustomStringConvertible {
    var description: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--long": isLong = true
      case "--layers":
        layers = try Self.value(of: argument, &rest).split(separator: ",").map { try Self.layer("\($0)") }
        if layers.isEmpty { throw Refusal(description: "--layers needs the name of a layer") }
      case "--seconds":
        guard let seconds = Double(try Self.value(of: argument, &rest)), seconds >= 0 else {
          throw Refusal(description: "--seconds needs a number")
        }
        secondsPerLayer = seconds
      case "--cases":
        guard let count = Int(try Self.value(of: argument, &rest)), count > 0 else {
          throw Refusal(description: "--cases needs a number")
        }
        caseCount = count
      case "--first":
        guard let first = UInt64(try Self.value(of: argument, &rest)) else {
          throw Refusal(description: "--first needs a number")
        }
        firstCase = first
      case "--until-found": endsWithFinding = true
      case "--plant":
        let source = URL(fileURLWithPath: try Self.value(of: argument, &rest))
        planting = Planting(
          source: source, target: URL(fileURLWithPath: try Self.value(of: argument, &rest)))
      case "--planted":
        planted = try PlantedLayer(URL(fileURLWithPath: try Self.value(of: argument, &rest)))
      case "--record":
        record = SuiteRecord(file: URL(fileURLWithPath: try Self.value(of: argument, &rest)))
      case "--state": stateFolder = URL(fileURLWithPath: try Self.value(of: argument, &rest))
      case "--case":
        let parts = try Self.value(of: argument, &rest).split(separator: ":")
        guard parts.count == 2, let seed = UInt64(parts[1]) else {
          throw Refusal(description: "--case needs a layer and a number, such as power-loss:7")
        }
        replayed = Case(layer: try Self.layer("\(parts[0])"), seed: seed)
      default: throw Refusal(description: "unknown option '\(argument)'")
      }
    }
  }

  private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
    guard let value = rest.popFirst() else { throw Refusal(description: "\(option) needs a value") }
    return value
  }

  private static func layer(_ name: String) throws -> any Layer {
    guard let layer = allLayers.first(where: { $0.name == name }) else {
      let names = allLayers.map(\.name).joined(separator: ", ")
      throw Refusal(description: "there is no layer '\(name)'; there are \(names)")
    }
    return layer
  }
}
