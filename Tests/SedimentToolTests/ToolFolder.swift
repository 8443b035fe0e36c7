import Foundation
import Sediment
import Testing

/// A folder of its own in which the built `sediment` is run; it goes with the test.
final class ToolFolder {
  let url: URL

  /// What a run came to.
  struct Run: Equatable {
    var code: Int32
    var output: String
    var errors: String

    init(_ code: Int32 = 0, _ output: String = "", errors: String = "") {
      self.code = code
      self.output = output
      self.errors = errors
    }
  }

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("sediment-tool-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  // MARK: Files

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: url.appendingPathComponent(name)))
  }

  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: url.appendingPathComponent(name))
  }

  func write(_ text: String, to name: String) throws { try write(Array(text.utf8), to: name) }

  /// The names of all files, hidden ones too.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
  }

  /// Opens a store in this process.
  func open(_ name: String) throws -> SedimentStore { try SedimentStore(path: path(name)) }

  /// Fills a store in this process, and closes it.
  func fill(_ name: String, _ body: (SedimentStore) throws -> Void) throws {
    let store = try open(name)
    try body(store)
    try store.close()
  }

  /// A closed store with three keys, one of them of a collection and one that expires.
  func makeSmallStore(_ name: String = "s") throws {
    try fill(name) { store in
      try store.set("one", forKey: "a")
      try store.set("two", forKey: "b", expiry: .at(milliseconds: 1_896_091_200_000))
      try store.collection("users").set("Ada", forKey: "1")
    }
  }

  // MARK: Runs

  /// Runs the tool to its end.
  func sediment(_ arguments: String..., input: String = "") throws -> Run {
    try run(Self.tool, arguments, input: Array(input.utf8))
  }

  /// The same with bytes as input.
  func sediment(_ arguments: [String], input: [UInt8]) throws -> Run {
    try run(Self.tool, arguments, input: input)
  }

  /// Runs the tool with its output going to nobody; the result has the bytes of memory that it took beyond those with
  /// which it began.
  func sedimentMetered(_ arguments: [String], input: [UInt8] = []) throws -> (run: Run, byteCount: Int) {
    let report = path(".memory")
    let words = try [Self.program("MeteredTool")] + arguments
    let line = "SEDIMENT_MEMORY_REPORT='\(report)' exec \"$@\" > /dev/null"
    let run = try run("/bin/bash", ["-c", line, "bash"] + words, input: input)
    let byteCount = Int(try text(".memory").dropLast()) ?? 0
    try FileManager.default.removeItem(atPath: report)
    return (run, byteCount)
  }

  /// Runs a line of shell in which `sediment` is the tool.
  func shell(_ line: String) throws -> Run {
    let function = "sediment() { '\(try Self.tool)' \"$@\"; }\n"
    return try run("/bin/bash", ["-c", function + line], input: [])
  }

  /// Starts the tool and lets it go on.
  func start(_ arguments: [String], input: Pipe) throws -> Process {
    let process = try prepared(Self.tool, arguments)
    process.standardInput = input
    try process.run()
    return process
  }

  private func run(_ program: @autoclosure () throws -> String, _ arguments: [String], input: [UInt8]) throws
    -> Run
  {
    try write(input, to: ".input")
    let process = try prepared(try program(), arguments)
    let source = try FileHandle(forReadingFrom: url.appendingPathComponent(".input"))
    process.standardInput = source
    try process.run()
    process.waitUntilExit()
    try source.close()
    let run = Run(process.terminationStatus, try text(".output"), errors: try text(".errors"))
    #expect(process.terminationReason == .exit)
    for name in [".input", ".output", ".errors"] {
      try FileManager.default.removeItem(at: url.appendingPathComponent(name))
    }
    return run
  }

  /// A process whose output goes to hidden files.
  private func prepared(_ program: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = url
    for name in [".output", ".errors"] { try write("", to: name) }
    process.standardOutput = try FileHandle(forWritingTo: url.appendingPathComponent(".output"))
    process.standardError = try FileHandle(forWritingTo: url.appendingPathComponent(".errors"))
    return process
  }

  /// Where the built tool is: beside who runs the tests, or above where that is a bundle.
  static var tool: String {
    get throws { try program("sediment") }
  }

  /// Where a built program is.
  static func program(_ name: String) throws -> String {
    #if canImport(Darwin)
      let own = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath ?? ""
    #else
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #endif
    var folder = URL(fileURLWithPath: own).deletingLastPathComponent()
    while folder.path != "/" {
      let path = folder.appendingPathComponent(name).path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
      folder.deleteLastPathComponent()
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
