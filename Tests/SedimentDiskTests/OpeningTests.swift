import Foundation
import SedimentDisk
import Testing

@Suite struct OpeningTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func `a created file is empty, and readable and writable by its owner alone`() throws {
    let file = try disk.open(directory["new"], .create)
    #expect(try file.byteCount() == 0)
    #expect(status(of: directory["new"]).st_mode == S_IFREG | 0o600)
    #expect(file.path == directory["new"])
    try file.write([1, 2, 3], at: 0)
    #expect(try file.read(3, at: 0) == [1, 2, 3])
  }

  @Test func `creating refuses a name that is taken and leaves the file alone`() throws {
    let path = try directory.write([7], to: "taken")
    #expect(throws: DiskError(.open, path: path, code: .exists)) { try disk.open(path, .create) }
    #expect(throws: DiskError(.open, path: directory.path, code: .exists)) {
      try disk.open(directory.path, .create)
    }
    #expect(try disk.open(path, .read).read(9, at: 0) == [7])
  }

  @Test(arguments: [OpenMode.read, .readWrite])
  func `a missing file is not found`(mode: OpenMode) throws {
    let path = directory["missing"]
    #expect(throws: DiskError(.open, path: path, code: .notFound)) { try disk.open(path, mode) }
    #expect(throws: DiskError(.open, path: "", code: .notFound)) { try disk.open("", mode) }
    #expect(try directory.names == [])
  }

  @Test(arguments: [OpenMode.read, .readWrite])
  func `a directory is not a file`(mode: OpenMode) throws {
    #expect(throws: DiskError(.open, path: directory.path, code: .isDirectory)) {
      try disk.open(directory.path, mode)
    }
  }

  @Test(arguments: [OpenMode.read, .readWrite])
  func `a symbolic link is refused, whatever it points to`(mode: OpenMode) throws {
    let target = try directory.write([1], to: "target")
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: directory["link"], withDestinationPath: target)
    try manager.createSymbolicLink(atPath: directory["dangling"], withDestinationPath: directory["none"])
    for path in [directory["link"], directory["dangling"]] {
      #expect(throws: DiskError(.open, path: path, code: .symbolicLink)) { try disk.open(path, mode) }
      #expect(throws: DiskError(.open, path: path, code: .exists)) { try disk.open(path, .create) }
    }
    #expect(try directory.names == ["dangling", "link", "target"])
  }

  @Test func `a symbolic link to the directory is followed`() throws {
    _ = try directory.write([1], to: "target")
    let link = directory["here"]
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path)
    #expect(try disk.open("\(link)/target", .read).read(2, at: 0) == [1])
    try disk.syncDirectory(of: "\(link)/target")
  }

  @Test(arguments: [OpenMode.read, .readWrite])
  func `a pipe is refused without waiting for its other end`(mode: OpenMode) throws {
    let path = directory["pipe"]
    #expect(unsafe mkfifo(path, 0o600) == 0)
    #expect(throws: DiskError(.open, path: path, code: .invalidArgument)) { try disk.open(path, mode) }
  }

  @Test(arguments: [OpenMode.read, .readWrite])
  func `a device and a socket are refused`(mode: OpenMode) throws {
    #expect(throws: DiskError(.open, path: "/dev/null", code: .invalidArgument)) {
      try disk.open("/dev/null", mode)
    }
    let path = directory["s"]
    // Some temporary directories have names that no socket's address can hold.
    guard let listener = try UnixSocket(at: path) else { return }
    #expect(throws: DiskError(.open, path: path, code: .invalidArgument)) { try disk.open(path, mode) }
    listener.close()
  }

  @Test func `a path with a zero inside is refused rather than cut short`() throws {
    let path = try directory.write([1], to: "file")
    let longer = path + "\0.more"
    #expect(throws: DiskError(.open, path: longer, code: .invalidArgument)) { try disk.open(longer, .read) }
    #expect(throws: DiskError(.remove, path: longer, code: .invalidArgument)) { try disk.remove(longer) }
    #expect(throws: DiskError(.syncDirectory, path: longer, code: .invalidArgument)) {
      try disk.syncDirectory(of: longer)
    }
    for rule in [RenameRule.keepExisting, .replaceExisting] {
      #expect(throws: DiskError(.rename, path: longer, code: .invalidArgument)) {
        try disk.rename(longer, to: path, rule)
      }
      #expect(throws: DiskError(.rename, path: path, code: .invalidArgument)) {
        try disk.rename(path, to: longer, rule)
      }
    }
    #expect(try directory.names == ["file"])
  }

  @Test func `two openings of one file have one identifier, and two files have two`() throws {
    let path = try directory.write([1], to: "one")
    let first = try disk.open(path, .read)
    let second = try disk.open(path, .readWrite)
    let other = try disk.open(directory["two"], .create)
    #expect(first.identifier == second.identifier)
    #expect(first.identifier.device == other.identifier.device)
    #expect(first.identifier.number != other.identifier.number)
  }

  #if os(Linux)
    @Test func `a program that the process starts does not inherit the descriptor`() throws {
      let file = try disk.open(directory["file"], .create)
      let numbers = try descriptors(of: file.path)
      #expect(numbers.count == 1)
      #expect(numbers.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
      try file.close()
    }

    @Test func `what is refused leaves no descriptor behind`() throws {
      let path = directory["pipe"]
      #expect(unsafe mkfifo(path, 0o600) == 0)
      #expect(throws: DiskError.self) { try disk.open(path, .read) }
      #expect(throws: DiskError.self) { try disk.open(directory.path, .read) }
      #expect(try descriptors(of: path) == [])
      #expect(try descriptors(of: directory.path) == [])
    }
  #endif
}

/// A socket with a name in the file system.
private struct UnixSocket {
  private let number: Int32

  /// Nil where the path is too long for one.
  init?(at path: String) throws {
    guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
    #if canImport(Glibc)
      number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      number = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { name in
      unsafe name.copyBytes(from: path.utf8)
    }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(number, $0, length) }
    }
    try #require(result == 0)
  }

  func close() {
    _ = Foundation.close(number)
  }
}
