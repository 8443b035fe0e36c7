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
  // Up to the nearest directory that is there or can be made.
  var missing: [String] = []
  var directory = SystemPath.parent(of: path)
  var code = createDirectory(directory)
  while code == .notFound, SystemPath.parent(of: directory) != directory {
    missing.append(directory)
    directory = SystemPath.parent(of: directory)
    code = createDirectory(directory)
  }
  // Down again, each once: a link that leads nowhere has the name of a directory in which none can be made.
  while code == nil, let next = missing.popLast() { code = createDirectory(next) }
  return code
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

  /// Whether the last component is a name that a file can have: paths that end with a slash, "." or ".." are those of
  /// directories.
  package static func namesFile(_ path: String) -> Bool {
    let bytes = path.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
    let name = bytes[start...]
    return !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
  }
}
