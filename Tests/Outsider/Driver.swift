import Foundation

/// Runs the plans of many seeds, each in a process of its own, whose death is a finding as well.
struct Driver {
  private let request: Request
  private var next: UInt64

  /// A process that takes longer hangs.
  private static let caseSecondsMax = 300.0

  /// Seeds that found what no other test finds, for plans that are soon done: an empty file that was not shortened, and a
  /// store that was refused a fifth of what it has room for.
  private static let knownSeeds: [UInt64] = [5_038, 5_588]

  init(_ request: Request) {
    self.request = request
    let kept = request.state.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
    next = kept.flatMap { UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? request.firstSeed
  }

  /// Whether nothing was found.
  mutating func run() throws -> Bool {
    let began = Clock.seconds
    var caseCount = 0
    var foundSeeds: [UInt64] = []
    for seed in request.seconds > 0 && request.state == nil ? Self.knownSeeds : [] {
      caseCount += 1
      if try !runCase(seed) { foundSeeds.append(seed) }
    }
    while Clock.seconds < began + request.seconds, caseCount < request.caseCount {
      let seed = next
      next += 1
      caseCount += 1
      if try !runCase(seed) {
        foundSeeds.append(seed)
        say("  again: Tests/run --case outsider:\(seed)")
        if request.endsWithFinding { break }
      }
      if let state = request.state {
        try FileManager.default.createDirectory(
          at: state.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("\(next)\n".utf8).write(to: state, options: .atomic)
      }
    }
    say(
      "outsider: \(caseCount) cases in \(Int(Clock.seconds - began)) s, \(foundSeeds.count) with findings"
        + (foundSeeds.isEmpty ? "" : ": seeds \(foundSeeds.map(String.init).joined(separator: ", "))"))
    return foundSeeds.isEmpty && caseCount > 0
  }

  private func runCase(_ seed: UInt64) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Child.program)
    process.arguments = ["--seed", "\(seed)", "--folder", request.folder.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    let began = Clock.seconds
    try process.run()
    let overdue = Thread {
      while process.isRunning, Clock.seconds < began + Self.caseSecondsMax { usleep(100_000) }
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }
    overdue.start()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let lines = text.split(separator: "\n")
    let isFine = process.terminationReason == .exit && process.terminationStatus == 0
    let findings = lines.filter { $0.hasPrefix("finding: ") }
    let isClean = isFine && findings.isEmpty
    say(
      "seed \(seed): \(String(format: "%.1f", Clock.seconds - began)) s, \(isClean ? "nothing found" : "FOUND")"
    )
    if isClean { return true }
    say("  \(lines.first { $0.hasPrefix("plan: ") } ?? "no plan")")
    for line in findings { say("  error: \(line)") }
    if findings.isEmpty || process.terminationReason != .exit || process.terminationStatus > 1 {
      let how = process.terminationReason == .exit ? "exit code" : "signal"
      say("  error: the process ended with \(how) \(process.terminationStatus)")
      for line in lines.suffix(12) { say("    \(line)") }
      removeFolder(of: process.processIdentifier)
    }
    return false
  }

  /// What a process leaves behind that was killed.
  private func removeFolder(of process: Int32) {
    try? FileManager.default.removeItem(at: request.folder.appendingPathComponent("outsider-\(process)"))
  }
}
