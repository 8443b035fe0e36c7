internal import CSediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
/// A regular file of the machine.
///
/// Any number of calls run side by side; none of them waits for another but in the kernel. Only one that comes
/// while another thread closes the file is refused with "bad file descriptor", or completes first. A file
/// opened for reading fails what would change it as the system does, with "bad file descriptor" too. Errors
/// name the position at which the failing system call began.
final class SystemFile: DiskFile {
  let path: String
  let traits: FileTraits
  let identifier: FileIdentifier
  let descriptor: Descriptor
  let sizeLimit = FileSizeLimit()

  private init(path: String, traits: FileTraits, identifier: FileIdentifier, descriptor: Descriptor) {
    self.path = path
    self.traits = traits
    self.identifier = identifier
    self.descriptor = descriptor
  }

  deinit {
    _ = descriptor.close()
  }

  /// See `Disk.open`.
  static func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> SystemFile {
    let descriptor = try openDescriptor(path, mode)
    do throws(DiskError) {
      let identifier = try identify(descriptor, path)
      return SystemFile(
        path: path, traits: findTraits(descriptor), identifier: identifier, descriptor: descriptor)
    } catch {
      _ = descriptor.close()
      throw error
    }
  }

  func byteCount() throws(DiskError) -> UInt64 {
    let number = try borrow(for: .byteCount)
    defer { descriptor.giveBack() }
    return UInt64(clamping: try status(number, for: .byteCount).st_size)
  }

  /// See `DiskFile.close`.
  ///
  /// Whoever is in the middle of a call may still write, so the lock is kept until that has ended; whoever opens the
  /// file after this finds it unlocked.
  func close() throws(DiskError) {
    let code = descriptor.close()
    descriptor.waitUntilClosed()
    if let code { throw DiskError(.close, path: path, code: code) }
  }
}

// What every call begins with.
extension SystemFile {
  /// The descriptor's number until `descriptor.giveBack()`.
  func borrow(for operation: DiskOperation, at offset: UInt64? = nil) throws(DiskError) -> Int32 {
    guard let number = descriptor.borrow() else { throw failure(operation, at: offset, .badDescriptor) }
    return number
  }

  /// The error of a call on this file.
  func failure(_ operation: DiskOperation, at offset: UInt64? = nil, _ code: SystemErrorCode) -> DiskError {
    DiskError(operation, path: path, offset: offset, code: code)
  }

  /// What the system tells of the file.
  func status(_ number: Int32, for operation: DiskOperation) throws(DiskError) -> stat {
    var status = stat()
    if let code = attempt({ unsafe fstat(number, &status) }) { throw failure(operation, code) }
    return status
  }
}

// Opening, in its steps.
extension SystemFile {
  /// Opens whatever is there without waiting, which opening a pipe would do otherwise.
  private static func openDescriptor(_ path: String, _ mode: OpenMode) throws(DiskError) -> Descriptor {
    guard SystemPath.isWhole(path) else { throw DiskError(.open, path: path, code: .invalidArgument) }
    let access =
      switch mode {
      case .read: O_RDONLY
      case .readWrite: O_RDWR
      case .create: O_RDWR | O_CREAT | O_EXCL
      }
    do throws(SystemCallFailure) {
      return try Descriptor(
        opening: path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode: 0o600)
    } catch {
      // What sockets and devices without a driver say, which are as little a regular file as those that open.
      let isSpecialFile = error.code.rawValue == ENXIO || error.code.rawValue == ENODEV
      throw DiskError(.open, path: path, code: isSpecialFile ? .invalidArgument : error.code)
    }
  }

  /// Makes sure that it is a regular file, and tells which one.
  private static func identify(
    _ descriptor: Descriptor, _ path: String
  ) throws(DiskError) -> FileIdentifier {
    var status = stat()
    if let code = descriptor.attempt({ number in unsafe fstat(number, &status) }) {
      throw DiskError(.open, path: path, code: code)
    }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else {
      throw DiskError(.open, path: path, code: kind == S_IFDIR ? .isDirectory : .invalidArgument)
    }
    return FileIdentifier(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// What the file system can do; nothing, where it cannot be told which one it is.
  private static func findTraits(_ descriptor: Descriptor) -> FileTraits {
    var system = sediment_file_system()
    let code = descriptor.attempt { number in unsafe sediment_find_file_system(number, &system) }
    return code == nil ? FileTraits(of: system) : .unknown
  }
}
