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

  /// Prints what found which bug, and returns whether all were found; slow ones are looked for in a long run only.
  func run(isLong: Bool) throws -> Bool {
    guard try search("none", in: "power-loss", ["--cases", "2"]) == nil else {
      print("planted: something is found without any bug")
      return false
    }
    var foundCount = 0
    let bugs = bugs.filter { isLong || !$0.isSlow }
    for bug in bugs {
      let began = ContinuousClock.now
      let finders = try [find(bug)] + bug.everyLayer.map { try search(bug.name, in: $0) }
      let seconds = (ContinuousClock.now - began).components.seconds
      let words = finders.map { $0.map { "found by \($0)" } ?? "NOT FOUND" }.joined(separator: ", ")
      print("\(bug.name): \(words), \(seconds) s. \(bug.what)")
      foundCount += finders.contains(nil) ? 0 : 1
    }
    print("planted: \(bugs.count) bugs, \(foundCount) found")
    return foundCount == bugs.count
  }

  /// What finds a bug: the case that found it once, or else a case of its layers; nil if none does.
  private func find(_ bug: PlantedBug) throws -> String? {
    if let known = bug.knownCase, let layer = known.split(separator: ":").first {
      if try run(bug.name, "\(layer)", ["--case", known]) != nil { return known }
      print("  \(known) does not find \(bug.name) any more")
    }
    for layer in bug.layers {
      if let finder = try search(bug.name, in: layer) { return finder }
    }
    return nil
  }

  /// Tries the cases of a layer until one finds a bug.
  private func search(_ name: String, in layer: String, _ extra: [String] = []) throws -> String? {
    try run(name, layer, ["--layers", layer, "--until-found"] + extra)
  }

  /// Runs the suite with a bug; the result is the case that finds it, by a finding or by dying of it, or that it cannot be
  /// tried here; nil if nothing is found.
  private func run(_ name: String, _ layer: String, _ arguments: [String]) throws -> String? {
    let process = Process()
    // No pipe: a process that a run leaves behind would keep it open.
    let output = FileManager.default.temporaryDirectory.appendingPathComponent(
      "planted-\(UUID().uuidString)")
    guard FileManager.default.createFile(atPath: output.path, contents: nil) else {
      throw PlantedBug.Refusal(description: "\(output.path) cannot be created")
    }
    defer { try? FileManager.default.removeItem(at: output) }
    process.executableURL = layer == "schedules" ? scheduling : program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SEDIMENT_PLANTED": name, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
    process.standardOutput = try FileHandle(forWritingTo: output)
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
    case 0: return nil
    case 1: return Self.firstCase(in: try String(contentsOf: output, encoding: .utf8)) ?? layer
    case SuiteRow.skippedStatus: return "nobody, as \(layer) was skipped"
    default: throw PlantedBug.Refusal(description: "the suite does not know \(layer)")
    }
  }

  /// The case that a run of the suite tells how to try again.
  private static func firstCase(in text: String) -> String? {
    let parts = text.components(separatedBy: "--case ")
    return parts.count > 1
      ? parts[1].split(whereSeparator: \.isWhitespace).first.map(String.init) : nil
  }
}
