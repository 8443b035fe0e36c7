#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What the system knows of a path without opening it: opening a named pipe would wait for its other end.
struct PathStatus {
  let isDirectory: Bool
  let byteCount: UInt64
  /// How much of it has a place on the disk.
  let allocatedByteCount: UInt64

  init(of path: String) throws(ToolFailure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw errno == ENOENT
        ? .notFound("\(path): \(SystemMessage.text(errno))") : .system(path, errno)
    }
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
    byteCount = UInt64(clamping: status.st_size)
    allocatedByteCount = UInt64(clamping: status.st_blocks) * 512
  }

  /// Whether anything has that name, be it a link that leads nowhere.
  static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }
}
