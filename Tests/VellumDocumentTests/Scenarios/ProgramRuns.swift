import Foundation

/// A user's folders for the runs of a program, each of which is a process of its own.
final class UserFolders {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("vellum-user-\(UUID().uuidString)")
    .path

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// What files there are, anywhere below.
  var files: [URL] {
    let folder = URL(fileURLWithPath: path)
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.map { folder.appendingPathComponent($0) }
      .filter { (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false }
  }
}

/// Makes the folders those of the user of this process.
func enter(_ path: String) {
  for (name, folder) in [
    ("HOME", ""), ("CFFIXED_USER_HOME", ""), ("XDG_DATA_HOME", "/data"), ("XDG_CACHE_HOME", "/cache"),
  ] {
    setenv(name, path + folder, 1)
  }
}

/// Lets the clock of files go on, so that what comes next is later by it.
func waitForTheClock() {
  usleep(20_000)
}
