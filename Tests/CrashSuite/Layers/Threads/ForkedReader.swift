import Foundation
import Sediment

/// A child of this process that inherits a store which is open for reading, and lets go of it.
enum ForkedReader {
  /// What is wrong with the parent's store after that; nil if nothing is.
  static func complaint(path: String) throws -> String? {
    var store: SedimentStore? = try SedimentStore(path: path, options: SedimentOptions(readOnly: true))
    // Not by its name, which Swift hides. There is always a function of this name and type.
    let fork = unsafe unsafeBitCast(
      dlsym(dlopen(nil, RTLD_NOW), "fork"), to: (@convention(c) () -> Int32).self)
    let child = fork()
    if child == 0 {
      alarm(20)
      store = nil
      _exit(0)
    }
    guard child > 0 else { return nil }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) == -1 {}
    if status != 0 { return "a child that lets go of an inherited store ends with \(status)" }
    // Asked as another process would: this one knows of its opening without the lock.
    guard try isLockedForOthers(path) else { return "a child's end unlocks the store of its parent" }
    try store?.close()
    return nil
  }

  /// Whether another process finds a file locked.
  private static func isLockedForOthers(_ path: String) throws -> Bool {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw CocoaError(.fileReadUnknown) }
    defer { close(descriptor) }
    // Locks of a process conflict with those of open files, whoever has these.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(1) << 62
    lock.l_len = 1
    guard unsafe fcntl(descriptor, F_GETLK, &lock) == 0 else { throw CocoaError(.fileReadUnknown) }
    return lock.l_type != Int16(F_UNLCK)
  }
}
