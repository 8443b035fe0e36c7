import Foundation
import Sediment

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A folder with something of every kind that a path can lead to, which becomes the current directory.
///
/// Only for a process of its own: see `PathFolder.beginProcess`.
final class PathFolder {
  let path: String

  /// Makes the folder below a directory, with a copy of a closed store in it.
  init(in parent: String, number: Int, store: [UInt8]) throws {
    path = "\(parent)/\(number)"
    try call(unsafe mkdir(path, 0o700))
    try call(unsafe chdir(path))
    for name in ["directory", "elsewhere", "sealed", "fixed", "blind", "removed"] {
      try call(unsafe mkdir(name, 0o700))
    }
    for directory in [".", "sealed", "fixed", "blind"] {
      try write(store, to: "\(directory)/store")
      try write([], to: "\(directory)/empty")
    }
    try write(Array("No store has this text. ".utf8) + [UInt8](repeating: 0x61, count: 40_000), to: "text")
    for (name, mode) in [("readable", 0o400), ("writable", 0o200), ("locked", 0)] as [(String, mode_t)] {
      try write(store, to: name)
      try call(unsafe chmod(name, mode))
    }
    for (name, target) in Self.links { try call(unsafe symlink(target, name)) }
    try call(unsafe mkfifo("pipe", 0o600))
    try makeSocket("socket")
    for (name, mode) in Self.directoryModes { try call(unsafe chmod(name, mode)) }
  }

  private static let links = [
    ("to-store", "store"), ("to-to-store", "elsewhere/up"), ("elsewhere/up", "../to-store"),
    ("to-none", "none"), ("to-nowhere", "nowhere/none"), ("to-itself", "to-itself"),
    ("to-directory", "directory"),
    ("to-text", "text"), ("to-empty", "empty"), ("to-pipe", "pipe"), ("to-slash", "store/"),
  ]
  private static let directoryModes: [(String, mode_t)] = [("sealed", 0), ("fixed", 0o500), ("blind", 0o300)]

  /// Removes the folder with all in it.
  func remove() throws {
    try call(unsafe chdir(path))
    for (name, _) in Self.directoryModes { try call(unsafe chmod(name, 0o700)) }
    try call(unsafe chdir("/"))
    try FileManager.default.removeItem(atPath: path)
  }

  /// The path that a name of the table stands for; for some the current directory is changed, too.
  func path(named name: String) throws -> String {
    switch name {
    case "(empty)": return ""
    case "(zero)": return "none\0"
    case "(store-zero)": return "store\0"
    case "(255)": return String(repeating: "n", count: 255)
    case "(256)": return String(repeating: "n", count: 256)
    case "(4097)": return String(repeating: "./", count: 2048) + "n"
    case _ where name.hasPrefix("(removed)"):
      try call(unsafe chdir("removed"))
      try call(unsafe rmdir("../removed"))
      return String(name.dropFirst("(removed)".count))
    case _ where name.hasPrefix("(absolute)"):
      return "\(path)/\(name.dropFirst("(absolute)".count))"
    default: return name
    }
  }

  /// What is in the folder, by relative paths: kind, mode, identity and contents.
  func snapshot() throws -> [String: String] {
    try call(unsafe chdir(path))
    for (name, _) in Self.directoryModes { try call(unsafe chmod(name, 0o700)) }
    defer { for (name, mode) in Self.directoryModes { _ = unsafe chmod(name, mode) } }
    var found: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: ".") {
      var status = stat()
      try call(unsafe lstat(name, &status))
      var contents = ""
      if status.st_mode & S_IFMT == S_IFREG {
        try call(unsafe chmod(name, 0o600))
        contents = "\(try Data(contentsOf: URL(fileURLWithPath: name)).hashValue)"
        try call(unsafe chmod(name, status.st_mode & 0o777))
      }
      found[name] = "\(status.st_mode) \(status.st_ino) \(contents)"
    }
    // The entry that the table names removes it itself.
    found["removed"] = nil
    return found
  }

  /// What differs between two snapshots, in the words of the table: names with `+`, `-` or `*` for a change.
  static func changes(from before: [String: String], to after: [String: String]) -> [String] {
    Set(before.keys).union(after.keys).sorted().compactMap { name in
      if before[name] == after[name] { return nil }
      let sign = before[name] == nil ? "+" : after[name] == nil ? "-" : "*"
      return sign + (name.utf8.count > 200 ? "(\(name.utf8.count))" : name)
    }
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    try call(unsafe chmod(name, 0o600))
  }

  private func makeSocket(_ name: String) throws {
    #if canImport(Glibc)
      let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let number = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in unsafe path.copyBytes(from: name.utf8) }
    let result = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    _ = close(number)
    try call(result)
  }
}

/// Throws what the system says of a call that failed.
private func call(_ result: Int32) throws {
  if result != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension PathFolder {
  /// Prepares a process of its own for paths: it ends by a signal if a call does not return, and has no rights that
  /// override the modes of files.
  static func beginProcess() {
    alarm(300)
    umask(0o022)
    guard getuid() == 0 else { return }
    precondition(setgid(65_534) == 0 && setuid(65_534) == 0)
  }

  /// How many descriptors of low numbers are open.
  static var descriptorCount: Int { (0..<256).count { fcntl($0, F_GETFD) != -1 } }
}
