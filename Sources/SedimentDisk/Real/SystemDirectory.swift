internal import CSediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

// Calls that change a directory, or make its changes durable. Each returns why it failed, or nil.

/// Renames a file unless the destination exists, in one step.
func renameKeeping(_ path: String, _ destination: String) -> SystemErrorCode? {
  guard let code = attempt({ unsafe sediment_rename_keeping(path, destination) }) else { return nil }
  // What systems and file systems say that do not know this kind of rename.
  let isUnknown = code == .invalidArgument || code == .notSupported || code.rawValue == ENOSYS
  return isUnknown ? renameByLink(path, destination) : code
}

/// Does the same by a second name, which cannot be given to what has one, and by removing the first.
///
/// Where removing fails, both names remain.
package func renameByLink(_ path: String, _ destination: String) -> SystemErrorCode? {
  let code = attempt { unsafe linkat(AT_FDCWD, path, AT_FDCWD, destination, 0) }
  return code ?? attempt { unsafe unlink(path) }
}

/// Makes the directories that are missing of those that lead to `path`, each durable before what is in it.
func createParents(of path: String) -> SystemErrorCode? {
  guard SystemPath.isWhole(path) else { return .invalidArgument }
  var missing: [String] = []
  var parent = SystemPath.parent(of: path)
  while true {
    let code = createDirectory(parent)
    if code == .notFound, SystemPath.parent(of: parent) != parent {
      missing.append(parent)
      parent = SystemPath.parent(of: parent)
      continue
    }
    if let code { return code }
    guard let next = missing.popLast() else { return nil }
    parent = next
  }
}

/// Makes a directory unless it is there, durably where the system syncs the one around it.
private func createDirectory(_ path: String) -> SystemErrorCode? {
  guard let code = attempt({ unsafe mkdir(path, 0o777) }) else {
    return syncParent(of: path).flatMap { $0.isRefusal ? nil : $0 }
  }
  // Whatever has the name: what is opened in it will tell.
  return code == .exists ? nil : code
}

/// Makes the names in the directory of `path` durable.
func syncParent(of path: String) -> SystemErrorCode? {
  guard SystemPath.isWhole(path) else { return .invalidArgument }
  let parent = SystemPath.parent(of: path)
  var number: Int32 = -1
  let code = attemptUninterrupted {
    number = unsafe sediment_system_open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    return number < 0 ? -1 : 0
  }
  if let code { return code }
  defer { _ = systemClose(number) }
  // Made once, whatever it reports, as for files.
  #if canImport(Darwin)
    return attempt { sediment_system_sync(number) }
  #else
    return attempt { fsync(number) }
  #endif
}

/// What can be told of a path from its spelling.
package enum SystemPath {
  /// Whether the system would see all of it: C strings end at the first zero.
  package static func isWhole(_ path: String) -> Bool {
    !path.utf8.contains(0)
  }

  /// The directory that holds the path's last component; "." where the path names no other.
  package static func parent(of path: String) -> String {
    let slash = UInt8(ascii: "/")
    let bytes = path.utf8
    guard let nameEnd = bytes.lastIndex(where: { $0 != slash }) else { return bytes.isEmpty ? "." : "/" }
    guard let separator = bytes[..<nameEnd].lastIndex(of: slash) else { return "." }
    guard let parentEnd = bytes[..<separator].lastIndex(where: { $0 != slash }) else { return "/" }
    return String(path[...parentEnd])
  }
}
