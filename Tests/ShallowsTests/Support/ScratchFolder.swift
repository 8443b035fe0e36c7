import Foundation

/// A folder of a test's own, which ceases to be with it.
final class ScratchFolder: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("shallows-tests-\(UUID().uuidString)", isDirectory: true)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func file(_ path: String) -> URL { url.appendingPathComponent(path, isDirectory: false) }

  func bytes(of path: String) throws -> Data { try Data(contentsOf: file(path)) }

  func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      at: file(path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file(path))
  }

  /// The paths of all files below the folder, in order.
  func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).filter { path in
      try FileManager.default.attributesOfItem(atPath: file(path).path)[.type] as? FileAttributeType
        != .typeDirectory
    }.sorted()
  }

  func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: file(path).path) }
}
