import Foundation

/// A folder on a real disk, removed with everything in it when the last reference goes.
///
/// A suite that is killed leaves its folders. They are locked while it runs, so the next one can tell and removes them.
final class SuiteFolder: Sendable {
  let path: String
  private let descriptor: Int32

  private static let prefix = "sediment-case-"

  /// Creates one, in memory if that is asked for and there is such a place.
  init(isInMemory: Bool) throws {
    let memory = "/dev/shm"
    let isThere = isInMemory && FileManager.default.isWritableFile(atPath: memory)
    let parent = isThere ? memory : NSTemporaryDirectory()
    Self.removeLeftovers(in: parent)
    path = (parent as NSString).appendingPathComponent(Self.prefix + UUID().uuidString)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    _ = flock(descriptor, LOCK_EX)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    close(descriptor)
  }

  /// The path of a name in it.
  subscript(_ name: String) -> String { "\(path)/\(name)" }

  /// A folder that is younger may not be locked yet.
  private static let leastAge = 60.0

  /// Removes folders that no process has locked.
  private static func removeLeftovers(in parent: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    where name.hasPrefix(prefix) {
      let path = (parent as NSString).appendingPathComponent(name)
      let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(folder) }
      guard folder >= 0, flock(folder, LOCK_EX | LOCK_NB) == 0,
        let changed = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date,
        changed.timeIntervalSinceNow < -leastAge
      else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}
