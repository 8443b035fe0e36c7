import Foundation

/// A process of its own that works on the jobs of a file, and can be killed.
final class WorkerProcess {
  private let process = Process()
  private let output = Pipe()
  private var rest = Data()

  init(file: URL) throws {
    process.executableURL = try Self.program()
    process.arguments = [file.path]
    process.standardOutput = output
    try process.run()
  }

  /// The next line that it says; nil once it has ended.
  func nextLine() -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = Data(rest[(end + 1)...]) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      rest += more
    }
  }

  /// Kills it, as `kill -9` does.
  func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
  }

  /// Waits for its end; whether it was killed, or else its exit code.
  func wait() -> (wasKilled: Bool, exitCode: Int32) {
    process.waitUntilExit()
    return (process.terminationReason == .uncaughtSignal, process.terminationStatus)
  }

  /// The program lies beside the tests, or above them where they are a bundle.
  private static func program() throws -> URL {
    #if canImport(Darwin)
      let own = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath ?? ""
    #else
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #endif
    var folder = URL(fileURLWithPath: own).deletingLastPathComponent()
    while folder.path != "/" {
      let program = folder.appendingPathComponent("JobWorker")
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
      folder.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
