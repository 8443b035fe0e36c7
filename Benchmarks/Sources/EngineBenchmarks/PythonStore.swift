internal import BenchmarkHarness
internal import Foundation

/// A store that a program in Python measures, in a process of its own.
final class PythonStore {
  let name: String
  private let keyCount: Int
  private let directory: String
  private var gets: Sample?

  init(_ name: String, keyCount: Int, directory: String) {
    self.name = name
    self.keyCount = keyCount
    self.directory = directory
  }

  /// Has the program set all keys and get them; what a set took.
  func set() throws -> Sample {
    gets = nil
    guard let python = ProcessInfo.processInfo.environment["BENCHMARK_PYTHON"],
      let program = ProcessInfo.processInfo.environment["BENCHMARK_PYTHON_PROGRAM"]
    else { throw Unsupported("there is no Python that has the other stores") }
    let folder = "\(directory)/python"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [program, name, "\(keyCount)", folder]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let figures = text.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
    guard process.terminationStatus == 0, figures.count == 2 else {
      throw Unsupported("Python does not measure \(name)")
    }
    gets = Sample(nanoseconds: figures[1] * UInt64(keyCount), amount: keyCount)
    return Sample(nanoseconds: figures[0] * UInt64(keyCount), amount: keyCount)
  }

  /// What a get took.
  func get() throws -> Sample {
    guard let gets else { throw Unsupported("Python does not measure \(name)") }
    return gets
  }
}
