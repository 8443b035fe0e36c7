internal import BenchmarkHarness
internal import Foundation

/// A group of processes which together have no more than so much memory, files' pages included; it goes with the object.
package final class MemoryLimit {
  /// The folder of the group, for those who are to belong to it.
  package let path: String

  /// Makes a group.
  ///
  /// It throws ``Unsupported`` where the system has none, or lets only others make them.
  package init(byteCount: Int) throws {
    let name = "benchmarks-\(ProcessInfo.processInfo.processIdentifier)"
    let groups = [("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")]
    for (folder, file) in groups {
      let path = "\(folder)/\(name)"
      guard FileManager.default.createFolder(path) else { continue }
      if MemoryLimit.write("\(byteCount)", to: "\(path)/\(file)") {
        self.path = path
        return
      }
      unsafe rmdir(path)
    }
    throw Unsupported(
      "no group of processes with a limit of memory can be made: it takes root and a memory cgroup")
  }

  deinit {
    // What has ended may be counted for a moment.
    for _ in 0..<100 where unsafe rmdir(path) != 0 { usleep(10_000) }
  }

  /// Puts this process into the group at a path.
  package static func enter(_ path: String) throws {
    guard write("\(ProcessInfo.processInfo.processIdentifier)", to: "\(path)/cgroup.procs") else {
      throw Unsupported("the group of processes cannot be entered")
    }
  }

  /// Files of groups take what is written at once and have no length.
  private static func write(_ text: String, to path: String) -> Bool {
    let file = unsafe fopen(path, "w")
    guard let file = unsafe file else { return false }
    let isWritten = unsafe fputs(text, file) >= 0
    return unsafe fclose(file) == 0 && isWritten
  }
}

extension FileManager {
  fileprivate func createFolder(_ path: String) -> Bool {
    (try? createDirectory(atPath: path, withIntermediateDirectories: false)) != nil
  }
}

/// Has the system forget the pages of all files below a folder, which must have been synced.
package func forgetPages(below folder: String) {
  let files = FileManager.default.enumerator(atPath: folder)
  while let file = files?.nextObject() as? String {
    let descriptor = unsafe open("\(folder)/\(file)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { continue }
    #if canImport(Glibc)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    #endif
    close(descriptor)
  }
}
