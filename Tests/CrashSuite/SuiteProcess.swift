import Foundation

/// Other programs.
enum SuiteProcess {
  /// Runs a program that the PATH leads to, and returns its exit code; nil if there is none.
  static func run(_ command: [String]) -> Int32? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Sees to it that sets and dictionaries have the same order in every run, where cases depend on it.
  static func becomeDeterministic() {
    #if SEDIMENT_SCHEDULES
      let name = "SWIFT_DETERMINISTIC_HASHING"
      if unsafe getenv(name) != nil { return }
      unsafe setenv(name, "1", 1)
      become(CommandLine.arguments)
    #endif
  }

  /// Goes on as another program; returns only if that cannot be done.
  static func become(_ command: [String]) {
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    // The array ends with a null pointer, and its strings are never freed.
    _ = unsafe execvp(command[0], arguments)
    unsafe arguments.forEach { unsafe free($0) }
  }
}
