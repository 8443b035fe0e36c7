#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// How many symbolic links in a row are followed, as on Linux.
private let linkCountMax = 40

/// Returns the path of the file that a path leads to: symbolic links in the place of its last component are followed.
///
/// A path without such a link comes back as it is, and so does one that is wrong in another way: opening it tells. The
/// result may lead nowhere, if a link does.
func followLinks(_ path: String) throws(SystemCallFailure) -> String {
  guard SystemPath.isWhole(path) else { throw SystemCallFailure(code: .invalidArgument) }
  var found = path
  for _ in 0..<linkCountMax {
    guard let target = try linkTarget(of: found) else {
      if found != path { try checkLeads(path, to: found) }
      return found
    }
    let isAbsolute = target.utf8.first == UInt8(ascii: "/")
    let directory = SystemPath.parent(of: found)
    found =
      isAbsolute || directory == "." ? target : directory == "/" ? "/\(target)" : "\(directory)/\(target)"
  }
  throw SystemCallFailure(code: .symbolicLink)
}

/// Returns the path in a symbolic link; nil for anything that is no link or cannot be read.
private func linkTarget(of path: String) throws(SystemCallFailure) -> String? {
  // The longest path that the system takes, and one byte more, by which a longer one is told.
  var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
  let count = unsafe bytes.withUnsafeMutableBytes { buffer in
    unsafe readlink(path, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
  }
  guard count > 0 else { return nil }
  guard count < bytes.count else { throw SystemCallFailure(code: .nameTooLong) }
  // Paths are strings here: bytes that are no UTF-8 would become another path.
  guard let target = String(validating: bytes[..<count], as: UTF8.self) else {
    throw SystemCallFailure(code: .invalidArgument)
  }
  return target
}

/// Throws unless the system itself follows the links of a path to the same file, or finds no file either.
///
/// It refuses links that others have put into a directory that everybody may write to.
private func checkLeads(_ path: String, to found: String) throws(SystemCallFailure) {
  var followed = stat()
  if let code = attempt({ unsafe stat(path, &followed) }) {
    if code == .notFound { return }
    throw SystemCallFailure(code: code)
  }
  // Links of /proc name files that have no path, and another process may change links between two calls.
  var own = stat()
  let isFound = attempt { unsafe lstat(found, &own) } == nil
  guard isFound, own.st_dev == followed.st_dev, own.st_ino == followed.st_ino else {
    throw SystemCallFailure(code: .invalidArgument)
  }
}
