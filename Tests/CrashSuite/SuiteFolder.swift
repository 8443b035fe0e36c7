import Foundation

/// A folder on a real disk, removed with everything in it when the last reference goes.
final class SuiteFolder: Sendable {
  let path: String

  /// Creates one, in memory if that is asked for and there is such a place.
  init(isInMemory: Bool) throws {
    let memory = "/dev/shm"
    let isThere = isInMemory && FileManager.default.isWritableFile(atPath: memory)
    let parent = (isThere ? memory : NSTemporaryDirectory()) as NSString
    path = parent.appendingPathComponent("sediment-suite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a name in it.
  subscript(_ name: String) -> String { "\(path)/\(name)" }
}
