internal import SedimentDisk

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A file descriptor with the few calls that the tool needs, each of which ends when a signal asks for it.
struct Descriptor: Sendable {
  let number: Int32
  /// What messages call it.
  let name: String

  static let input = Descriptor(number: 0, name: "standard input")
  static let output = Descriptor(number: 1, name: "standard output")
  static let errors = Descriptor(number: 2, name: "standard error")

  /// Opens /dev/null where one of the three standard descriptors is closed: a store's file that got its number would
  /// be written to by what was meant for people.
  static func fillStandard() {
    while true {
      let number = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
      if number < 0 { return }
      if number > 2 {
        _ = systemClose(number)
        return
      }
    }
  }

  /// Opens a file or a directory, to see which it is and to read it if it is a file.
  static func readingAnything(_ path: String) throws(ToolFailure) -> Descriptor {
    Descriptor(number: try opened(path, O_RDONLY, mode: 0, path), name: path)
  }

  /// Opens a file for reading.
  static func reading(_ path: String) throws(ToolFailure) -> Descriptor {
    let descriptor = try readingAnything(path)
    if descriptor.isDirectory {
      descriptor.close()
      throw .system(path, EISDIR)
    }
    return descriptor
  }

  /// Opens a file for reading and writing, which messages call by another name; it is made if there is none.
  ///
  /// Others may write to the directory. So the file is made exclusively, and one that is there is taken only if it is
  /// what this call makes: a regular file of one name that belongs to this user and that nobody else may open.
  static func continuing(_ path: String, calledBy name: String) throws(ToolFailure) -> Descriptor {
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK
    while true {
      do throws(ToolFailure) {
        return Descriptor(number: try opened(path, flags | O_CREAT | O_EXCL, mode: 0o600, name), name: name)
      } catch {
        guard PathStatus.isTaken(path) else { throw error }
      }
      let found: Descriptor
      do throws(ToolFailure) {
        found = Descriptor(number: try opened(path, flags, mode: 0, name), name: name)
      } catch {
        if error.code == .notFound { continue }
        throw .usage(foreignPart(path, name))
      }
      guard found.isPrivateFile else {
        found.close()
        throw .usage(foreignPart(path, name))
      }
      return found
    }
  }

  private static func foreignPart(_ path: String, _ name: String) -> String {
    "\(name): \(path) is there, and is no file of one name that only you can read and write; remove it, or choose another name"
  }

  private var isPrivateFile: Bool {
    guard let status else { return false }
    return status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o077 == 0 && status.st_nlink == 1
      && status.st_uid == geteuid()
  }

  private static func opened(
    _ path: String, _ flags: Int32, mode: mode_t, _ name: String
  ) throws(ToolFailure) -> Int32 {
    // A path that ends at a zero byte would be another one.
    guard !path.utf8.contains(0), !path.isEmpty else { throw .system("'\(name)'", ENOENT) }
    while true {
      let number = unsafe open(path, flags | O_CLOEXEC, mode)
      if number >= 0 { return number }
      if errno == EINTR {
        try Signals.check()
        continue
      }
      throw errno == ENOENT
        ? .notFound("\(name): \(SystemMessage.text(errno))") : .system(name, errno)
    }
  }

  func close() { _ = systemClose(number) }

  var isTerminal: Bool { isatty(number) == 1 }

  var isDirectory: Bool { status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

  /// The length of a regular file; nil for anything else.
  var byteCount: UInt64? {
    guard let status, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return UInt64(clamping: status.st_size)
  }

  private var status: stat? {
    var status = stat()
    return unsafe fstat(number, &status) == 0 ? status : nil
  }

  /// Waits until something can be read, and reads what there is; 0 at the end.
  func read(into buffer: inout [UInt8]) throws(ToolFailure) -> Int {
    while true {
      try waitToRead()
      let count = unsafe systemRead(number, &buffer, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR || errno == EAGAIN else { throw .system(name, errno) }
    }
  }

  /// Whether something can be read before so many milliseconds have passed.
  func isReadable(within milliseconds: Int32) throws(ToolFailure) -> Bool {
    var polls = [
      pollfd(fd: number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: Signals.wakeDescriptor, events: Int16(POLLIN), revents: 0),
    ]
    let count = unsafe poll(&polls, 2, milliseconds)
    try Signals.check()
    return count > 0 && polls[0].revents != 0
  }

  /// Waits, unless a signal asks for the end.
  static func pause(milliseconds: Int32) throws(ToolFailure) {
    var wake = pollfd(fd: Signals.wakeDescriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&wake, 1, milliseconds)
    try Signals.check()
  }

  private func waitToRead() throws(ToolFailure) {
    while try !isReadable(within: -1) {}
  }

  /// Writes all bytes.
  func write(_ bytes: [UInt8]) throws(ToolFailure) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return 0 }
        return unsafe systemWrite(number, start + done, buffer.count - done)
      }
      if count >= 0 {
        done += count
      } else if errno == EPIPE {
        throw .closedPipe
      } else if errno == EINTR {
        try Signals.check()
      } else if errno == EAGAIN {
        var writable = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&writable, 1, 100)
        try Signals.check()
      } else {
        throw .system(name, errno)
      }
    }
  }

  /// Takes the file for this descriptor alone; false if another one has it.
  func lock() throws(ToolFailure) -> Bool {
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .system(name, errno) }
      try Signals.check()
    }
    return true
  }

  /// Whether a path leads to this file.
  func isFile(at path: String) throws(ToolFailure) -> Bool {
    guard let own = status else { throw .system(name, errno) }
    var other = stat()
    return unsafe lstat(path, &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino
  }

  /// Reads some bytes of a file, or as many of them as there are.
  func read(_ range: Range<UInt64>) throws(ToolFailure) -> [UInt8] {
    try seek(to: range.lowerBound)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count < range.count {
      let count = try read(into: &buffer)
      if count == 0 { break }
      bytes += buffer[..<min(count, range.count - bytes.count)]
    }
    return bytes
  }

  /// Leaves so many bytes of a file, behind which the next are written.
  func cut(to byteCount: UInt64) throws(ToolFailure) {
    while ftruncate(number, off_t(byteCount)) != 0 {
      guard errno == EINTR else { throw .system(name, errno) }
      try Signals.check()
    }
    try seek(to: byteCount)
  }

  private func seek(to place: UInt64) throws(ToolFailure) {
    guard lseek(number, off_t(place), SEEK_SET) >= 0 else { throw .system(name, errno) }
  }

  /// Waits until what was written is on the disk.
  func sync() throws(ToolFailure) {
    guard fsync(number) != 0, errno != EINVAL else { return }
    throw .system(name, errno)
  }

  /// How many columns the terminal has; nil if it is none.
  var columnCount: Int? {
    var size = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}

// Calls whose names methods above have, too.

private func systemClose(_ number: Int32) -> Int32 { close(number) }
private func systemRead(_ number: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  unsafe read(number, buffer, count)
}
private func systemWrite(_ number: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
  unsafe write(number, buffer, count)
}

/// What the system says of its errors.
enum SystemMessage {
  static func text(_ number: Int32) -> String { SystemErrorCode(rawValue: number).description }
}

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
