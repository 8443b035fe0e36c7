import CrashModel
import Foundation
import Sediment
import SedimentTesting

/// A process that changes a store until it is killed, again and again, and loses nothing that it has acknowledged.
struct SoakVictim {
  /// Tells this program, as its first argument, that it is such a process.
  private static let mark = "soak-victim"

  private let path: String
  private let seed: UInt64
  private var generator: SeededGenerator
  /// The next operation of the history, and what those before it made.
  private var next = 0
  private var contents = CrashContents()

  init(path: String, seed: UInt64) {
    self.path = path
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  /// Lets processes work and kills them; returns how many operations they carried out.
  mutating func killAgainAndAgain(until end: Date) throws -> Int {
    let first = next
    while Date() < end { try killOne() }
    return next - first
  }

  private mutating func killOne() throws {
    let process = Process()
    let reports = Pipe()
    process.executableURL = URL(fileURLWithPath: try Self.program())
    process.arguments = [Self.mark, path, "\(seed)", "\(next)"]
    process.standardOutput = reports
    try process.run()
    usleep(UInt32.random(in: 5_000..<120_000, using: &generator))
    kill(process.processIdentifier, SIGKILL)
    let bytes = try reports.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL else {
      throw SoakMistake("it ended by itself, with \(process.terminationStatus)")
    }
    try reports.fileHandleForReading.close()
    // Each report is a byte.
    try follow(upTo: next + bytes.count)
  }

  /// Compares what is found with the history up to an operation, or to the next, which may have been carried out.
  private mutating func follow(upTo end: Int) throws {
    while next < end { step() }
    guard FileManager.default.fileExists(atPath: path) else {
      if next > 0 { throw SoakMistake("the file is gone") }
      return
    }
    let store = try SedimentStore(path: path)
    let found = try CrashContents(of: store)
    try store.expectAccounts()
    try store.close()
    if found == contents { return }
    for name in operation.collectionsNeeded {
      contents.apply(.create(name), number: next, time: 0)
      if found == contents { return }
    }
    step()
    if found != contents {
      throw SoakMistake("seed \(seed), operation \(next): found \(found.summary), not \(contents.summary)")
    }
  }

  private var operation: CrashOperation { Self.mix.operation(number: next, seed: seed) }

  private mutating func step() {
    for name in operation.collectionsNeeded { contents.apply(.create(name), number: next, time: 0) }
    contents.apply(operation, number: next, time: 0)
    next += 1
  }

  private static let mix = CrashMix(ofThread: nil)

  private static func program() throws -> String {
    #if os(Linux)
      return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    #else
      return CommandLine.arguments[0]
    #endif
  }

  // MARK: The process itself

  /// If this process is one that is to be killed, changes the store until then.
  static func workIfAsked() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, arguments[1] == mark, let seed = UInt64(arguments[3]),
      var number = Int(arguments[4])
    else { return }
    let store = try SedimentStore(path: arguments[2])
    let output = FileHandle.standardOutput
    while true {
      try mix.operation(number: number, seed: seed).carryOut(on: store, number: number)
      number += 1
      try output.write(contentsOf: Data([1]))
    }
  }
}
