import Foundation
import SedimentTesting

/// The suite itself put to the test: each planted bug is switched on in turn, and a layer must find it.
///
/// It takes the build that has them in it; see ``Planting``.
struct PlantedLayer {
  private let bugs: [PlantedBug]
  private let program: URL
  /// The build of the same sources in which threads go on as a test says.
  private var scheduling: URL {
    program.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("schedules/release/CrashSuite")
  }

  init(_ folder: URL) throws {
    bugs = try PlantedBug.all(in: folder)
    program = URL(fileURLWithPath: CommandLine.arguments[0]).absoluteURL
  }

  /// Prints which layer found which bug, and returns whether all were found; slow ones are looked for in a long run only.
  func run(isLong: Bool) throws -> Bool {
    guard try find("none", layers: ["power-loss"], extra: ["--cases", "2"]) == nil else {
      print("planted: something is found without any bug")
      return false
    }
    var foundCount = 0
    let bugs = bugs.filter { isLong || !$0.isSlow }
    for bug in bugs {
      let began = ContinuousClock.now
      let finders = try ([bug.layers] + bug.everyLayer.map { [$0] }).map { try find(bug.name, layers: $0) }
      let seconds = (ContinuousClock.now - began).components.seconds
      let words = finders.map { $0.map { "found by \($0)" } ?? "NOT FOUND" }.joined(separator: ", ")
      print("\(bug.name): \(words), \(seconds) s. \(bug.what)")
      foundCount += finders.contains(nil) ? 0 : 1
    }
    print("planted: \(bugs.count) bugs, \(foundCount) found")
    return foundCount == bugs.count
  }

  /// The layer that finds the bug of a name, by a finding or by dying of it, or that cannot be tried here; nil if none.
  private func find(_ name: String, layers: [String], extra: [String] = []) throws -> String? {
    for layer in layers {
      let process = Process()
      process.executableURL = layer == "schedules" ? scheduling : program
      process.arguments = ["--layers", layer, "--until-found"] + extra
      process.environment = ProcessInfo.processInfo.environment
        .merging(["SEDIMENT_PLANTED": name, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      if process.terminationReason == .uncaughtSignal {
        // Somebody else has ended it, or the system for want of memory.
        if process.terminationStatus == SIGKILL {
          throw PlantedBug.Refusal(description: "\(layer) was killed while it looked for \(name)")
        }
        return "\(layer), by dying of it"
      }
      switch process.terminationStatus {
      case 0: continue
      case 1: return layer
      case SuiteRow.skippedStatus: return "nobody, as \(layer) was skipped"
      default: throw PlantedBug.Refusal(description: "the suite does not know \(layer)")
      }
    }
    return nil
  }
}
