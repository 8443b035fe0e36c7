import Foundation

/// A new folder that is gone when the test ends.
final class Folder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path) }
  }
}

/// The benchmarks' program, which is built beside the tests.
let benchmarkTool = Bundle.main.bundleURL.appending(path: "BenchmarkTool").path
