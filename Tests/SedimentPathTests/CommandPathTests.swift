import Foundation
import SedimentSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Each kind of path for the commands of the tool, which end as the table says of the way that they take.
struct CommandPathTests {
  /// The way into the engine, and the command's arguments.
  static let commands: [(way: String, arguments: [String])] = [
    ("creating", ["set", "PATH", "other", "new"]),
    ("existing", ["set", "PATH", "other", "new", "--must-exist"]),
    ("creating", ["import", "PATH", "ROWS", "--quiet"]), ("reading", ["get", "PATH", "key"]),
    ("reading", ["export", "PATH", "--quiet"]), ("backup", ["backup", "SOURCE", "PATH", "--quiet"]),
    ("verify", ["verify", "PATH", "--quiet"]), ("salvage", ["salvage", "PATH", "SAVED", "--quiet"]),
    ("saving", ["salvage", "SOURCE", "PATH", "--quiet"]), ("inspect", ["inspect", "PATH"]),
  ]
  /// The codes by which the tool ends.
  private static let codes: [String: Int32] = [
    "notFound": 1, "exists": 2, "invalidArgument": 2, "foreign": 3, "accessDenied": 5,
  ]

  @Test(arguments: CommandPathTests.commands.indices)
  func `Every kind of path has the outcome of the table`(number: Int) async throws {
    // The process that runs the tool may have no right to look for it. Another program copies it: a file that any process
    // has open for writing, as those that are started meanwhile would, cannot be run.
    let place = try StoreDirectory()
    let tool = place["tool"]
    let copying = Process()
    copying.executableURL = URL(fileURLWithPath: "/bin/cp")
    copying.arguments = [try Self.builtTool(), tool]
    try copying.run()
    copying.waitUntilExit()
    try #require(copying.terminationStatus == 0)
    await #expect(processExitsWith: .success) { [number = number as Int, tool = tool as String] in
      PathFolder.beginProcess()
      let (way, arguments) = Self.commands[number]
      let trial = try PathTrial(way)
      let directory = trial.directory
      try Data(#"{"key":"other","value":"new"}"#.utf8).write(
        to: URL(fileURLWithPath: directory["rows.jsonl"]))
      let places = [
        "SOURCE": trial.source, "SAVED": directory["saved"], "ROWS": directory["rows.jsonl"],
      ]
      let word = { (word: String) in Self.codes[word].map { "\($0)" } ?? word }
      // No argument has a zero byte, and an empty one is refused as such.
      try trial.run(but: ["(empty)", "(zero)", "(store-zero)"], calling: word) {
        path, _ in
        let code = Self.run(tool, arguments.map { $0 == "PATH" ? path : places[$0] ?? $0 })
        try? FileManager.default.removeItem(atPath: directory["saved"])
        return code == 0 ? nil : "\(code)"
      }
    }
    withExtendedLifetime(place) {}
  }

  /// Runs a program to its end without input and output; its exit code, or -1 if it did not end by itself.
  ///
  /// Foundation's way takes a run loop, which the thread of such a process does not have, and leaves descriptors.
  private static func run(_ program: String, _ arguments: [String]) -> Int32 {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for number in 0...2 as ClosedRange<Int32> {
      unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    }
    let words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) }
    defer { for index in unsafe words.indices { unsafe free(words[index]) } }
    var (number, status): (pid_t, Int32) = (0, 0)
    guard unsafe posix_spawn(&number, program, &actions, nil, words + [nil], [nil]) == 0,
      unsafe waitpid(number, &status, 0) == number, status & 0x7F == 0
    else { return -1 }
    return status >> 8 & 0xFF
  }

  @Test func `A file that a command makes has the mode that was asked for`() throws {
    let directory = try StoreDirectory()
    let script = """
      umask 027; cd "$2"; printf '{"key":"a","value":"b"}' > rows.jsonl; printf 'set a b\n' > lines
      "$1" set one a b && "$1" set two a b --mode 666 && "$1" import three rows.jsonl --mode 700 --quiet > /dev/null
      "$1" shell four --create --mode 640 < lines
      for mode in 0 400 1600 888 -1 rw; do "$1" set none a b --mode "$mode" 2> /dev/null; echo $?; done
      stat -c '%a %n' one two three four none 2> /dev/null
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script, "sh", try Self.builtTool(), directory.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text == "2\n2\n2\n2\n2\n2\n600 one\n640 two\n700 three\n640 four\n")
  }

  /// Where the built tool is: above whatever runs the tests.
  private static func builtTool() throws -> String {
    #if canImport(Darwin)
      let own = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath ?? ""
    #else
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #endif
    var folder = URL(fileURLWithPath: own).deletingLastPathComponent()
    while folder.path != "/" {
      let path = folder.appendingPathComponent("sediment").path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
      folder.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
