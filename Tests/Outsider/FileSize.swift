import Foundation

/// What the file system says of a file.
struct FileSize {
  /// Its length.
  var length = 0
  /// What it has of the disk.
  var allocated = 0

  /// Zeros if there is none.
  init(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return }
    length = Int(status.st_size)
    allocated = Int(status.st_blocks) * 512
  }

  /// The bytes that a disk has free.
  static func free(at path: String) -> Int {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return .max }
    return Int(status.f_bavail) * Int(status.f_frsize)
  }
}

/// A number of bytes, for people.
func text(_ byteCount: Int) -> String {
  byteCount < 1 << 20 ? "\(byteCount) B" : String(format: "%.1f MiB", Double(byteCount) / 1_048_576)
}
