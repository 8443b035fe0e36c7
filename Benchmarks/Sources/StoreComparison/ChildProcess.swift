internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A process of this program that did what its arguments say, said a number, and waits to be killed or told to end.
///
/// If this process dies, the child reaches the end of its input and ends, too.
package struct ChildProcess {
  /// The number that it said.
  let answer: Int

  /// What the task took of memory that belongs to no file, if that is what it said; nil where the system does not tell.
  package var anonymousByteCount: Int? { answer < 0 ? nil : answer }

  /// Why there is none.
  package static let memoryIsUnknown = "the system does not tell how much memory a process has"

  private let process: Process
  private let input: Pipe

  /// Starts the program and waits until it has done its task.
  package init(_ arguments: [String], program: String) throws {
    process = Process()
    input = Pipe()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let line = ChildProcess.line(from: output.fileHandleForReading)
    guard let answer = Int(line) else {
      process.terminate()
      process.waitUntilExit()
      // What it wrote to standard error stands there; the system says nothing when it kills.
      let wasKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
      throw ChildFailure(
        description: wasKilled ? "a child process was killed" : "a child process failed: '\(line)'",
        wasKilled: wasKilled)
    }
    self.answer = answer
  }

  /// Ends the process by what cannot be caught, and waits until it is gone.
  package func kill() throws {
    Self.send(SIGKILL, to: process.processIdentifier)
    process.waitUntilExit()
    try input.fileHandleForWriting.close()
    guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
      throw ChildFailure(description: "a child process was to be killed, and ended by itself")
    }
  }

  /// Lets the process end, and waits for that.
  package func finish() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw ChildFailure(description: "a child process failed at its end")
    }
  }

  private static func send(_ signal: Int32, to process: Int32) {
    #if canImport(Darwin)
      Darwin.kill(process, signal)
    #else
      Glibc.kill(process, signal)
    #endif
  }

  /// What comes before the first line break, or before the end.
  private static func line(from handle: FileHandle) -> String {
    var bytes = Data()
    while true {
      let more = handle.availableData
      bytes += more
      guard !more.isEmpty, !bytes.contains(UInt8(ascii: "\n")) else { break }
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}

/// Says what went wrong with a child process.
struct ChildFailure: Error, CustomStringConvertible {
  var description: String
  /// Whether the system, or somebody, ended it by what cannot be caught.
  var wasKilled = false
}
