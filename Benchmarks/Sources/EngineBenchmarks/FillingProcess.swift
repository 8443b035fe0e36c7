internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A child process that loads a store and is killed while it has it open.
///
/// If this process dies, the child reaches the end of its input and ends, too.
struct FillingProcess {
  /// What loading took of memory that belongs to no file; nil where the system does not tell.
  let anonymousByteCount: Int?

  private let process: Process
  private let input: Pipe

  /// Starts the program and waits until it has loaded the store.
  init(_ filling: Filling, program: String) throws {
    process = Process()
    input = Pipe()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = filling.arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let answer = FillingProcess.line(from: output.fileHandleForReading)
    guard let byteCount = Int(answer) else {
      process.terminate()
      process.waitUntilExit()
      throw ChildFailure(description: "the process that loads a store said '\(answer)'")
    }
    anonymousByteCount = byteCount < 0 ? nil : byteCount
  }

  /// Ends the process as nothing can be caught or finished, and waits until it is gone.
  func kill() throws {
    Self.send(SIGKILL, to: process.processIdentifier)
    process.waitUntilExit()
    try input.fileHandleForWriting.close()
    guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
      throw ChildFailure(description: "the process that loaded a store was not killed")
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
}
