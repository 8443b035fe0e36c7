import Foundation

/// Whether this process may mount file systems that nobody else sees and that go with it.
enum PrivateMounts {
  private static let mark = "SEDIMENT_SUITE_MOUNTS"

  static var areAllowed: Bool { ProcessInfo.processInfo.environment[mark] != nil }

  /// Begins the program anew where mounts are its own, if this machine lets it; to be called before all else.
  static func enter() {
    #if os(Linux)
      guard !areAllowed,
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      else { return }
      let own = geteuid() == 0 ? ["unshare", "--mount"] : ["unshare", "--mount", "--map-root-user"]
      guard SuiteProcess.run(own + ["mount", "-t", "tmpfs", "none", "/mnt"]) == 0 else { return }
      unsafe setenv(mark, "1", 1)
      SuiteProcess.become(own + [program] + CommandLine.arguments.dropFirst())
      unsafe unsetenv(mark)
    #endif
  }
}
