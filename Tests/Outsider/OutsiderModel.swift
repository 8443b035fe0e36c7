import Foundation
import Sediment

/// A program on the public interface alone, which holds a store against dictionaries; see `Tests/run --help`.
@main
enum OutsiderModel {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.first == "--child" { try Child.live(Array(arguments.dropFirst())) }
      let request = try Request(arguments)
      if let plan = request.onlyPlan { exit(try runCase(request.firstSeed, plan, request) ? 0 : 1) }
      var driver = Driver(request)
      exit(try driver.run() ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("OutsiderModel: \(error)\n".utf8))
      exit(2)
    }
  }

  /// Does one plan in a folder of its own; whether nothing was found.
  private static func runCase(_ seed: UInt64, _ plan: Plan, _ request: Request) throws -> Bool {
    let folder = request.folder.appendingPathComponent("outsider-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let findings = Findings()
    findings.tell("plan: \(plan)")
    do {
      try Case(seed: seed, plan: plan, folder: folder.path, findings).run()
    } catch is Worker.Refused {
      // It was looked at where it was refused.
    } catch let error as SedimentError {
      findings.add(.error, "a call threw \(error.code): \(error)")
    }
    findings.tell("ended: \(findings.count == 0 ? "nothing found" : findings.summary)")
    return findings.count == 0
  }
}
