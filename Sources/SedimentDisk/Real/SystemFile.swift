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
    let identifier = try identify(descriptor, path)
    return SystemFile(
      path: path, traits: findTraits(descriptor), identifier: identifier, descriptor: descriptor)
  }

  func byteCount() throws(DiskError) -> UInt64 {
    try perform(.byteCount) { number throws(SystemCallFailure) in
      UInt64(clamping: try Self.status(number).st_size)
    }
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

  /// Does something with the descriptor's number; what fails is an error of the operation at the offset.
  func perform<Result>(
    _ operation: DiskOperation, at offset: UInt64? = nil,
    _ body: (Int32) throws(SystemCallFailure) -> Result
  ) throws(DiskError) -> Result {
    let number = try borrow(for: operation, at: offset)
    defer { descriptor.giveBack() }
    do throws(SystemCallFailure) {
      return try body(number)
    } catch {
      throw failure(operation, at: offset, error.code)
    }
  }

  /// What the system tells of a file.
  static func status(_ number: Int32) throws(SystemCallFailure) -> stat {
    var status = stat()
    if let code = attempt({ unsafe fstat(number, &status) }) { throw SystemCallFailure(code: code) }
    return status
  }
}

// Opening, in its steps.
extension SystemFile {
  /// Opens whatever is there without waiting, which opening a pipe would do otherwise.
  private static func openDescriptor(_ path: String, _ mode: OpenMode) throws(DiskError) -> Descriptor {
    guard SystemPath.isWhole(path) else { throw DiskError(.open, path: path, code: .invalidArgument) }
    let (access, permissions): (Int32, UInt16) =
      switch mode {
      case .read: (O_RDONLY, 0)
      case .readWrite: (O_RDWR, 0)
      case .creating(let permissions): (O_RDWR | O_CREAT | O_EXCL, permissions)
      }
    do throws(SystemCallFailure) {
      return try Descriptor(
        opening: path, access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode: UInt32(permissions))
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

// Reading and writing.
extension SystemFile {
  /// The most that one call is asked for; every system takes this much, and none much more than twice.
  private static let transferByteCountMax = 1 << 30

  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    unsafe try buffer.withUnsafeMutableBytes { bytes throws(DiskError) in
      try transfer(bytes.count, .read, at: offset) { number, done, asked, place in
        unsafe bytes.baseAddress.map { base in unsafe pread(number, base + done, asked, place) } ?? 0
      }
    }
  }

  func expectReads(_ order: ReadOrder) {
    #if !canImport(Darwin)
      // What fails is advice alone.
      guard let number = descriptor.borrow() else { return }
      defer { descriptor.giveBack() }
      _ = posix_fadvise(number, 0, 0, order == .random ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL)
    #endif
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    let done = unsafe try bytes.withUnsafeBytes { bytes throws(DiskError) in
      try transfer(bytes.count, .write, at: offset) { number, done, asked, place in
        unsafe bytes.baseAddress.map { base in unsafe pwrite(number, base + done, asked, place) } ?? 0
      }
    }
    // A device that takes nothing and says nothing.
    guard done == bytes.byteCount else { throw failure(.write, at: offset + UInt64(done), .inputOutput) }
  }

  /// Makes calls that transfer a part of so many bytes each, until all are done or one transfers nothing; the result is
  /// how many are.
  ///
  /// A call gets the descriptor's number, how many bytes are done, how many to transfer, which are no more than are left,
  /// and the position in the file.
  private func transfer(
    _ count: Int, _ operation: DiskOperation, at offset: UInt64, _ call: (Int32, Int, Int, off_t) -> Int
  ) throws(DiskError) -> Int {
    let number = try borrow(for: operation, at: offset)
    defer { descriptor.giveBack() }
    let (end, isTooFar) = offset.addingReportingOverflow(UInt64(count))
    guard !isTooFar, end <= UInt64(Int64.max) else { throw failure(operation, at: offset, .invalidArgument) }
    if operation == .write, count > 0, !sizeLimit.allows(end) {
      throw failure(.write, at: offset, .fileTooLarge)
    }
    var done = 0
    while done < count {
      let asked = min(count - done, Self.transferByteCountMax)
      let moved = call(number, done, asked, off_t(offset) + off_t(done))
      if moved == 0 { break }
      if moved < 0 {
        let code = SystemErrorCode.latest
        guard code == .interrupted else { throw failure(operation, at: offset + UInt64(done), code) }
        continue
      }
      done += moved
    }
    return done
  }

  func sync() throws(DiskError) {
    try perform(.sync) { number throws(SystemCallFailure) in
      // Made once, whatever it reports: a second try would succeed over pages that the first one gave up.
      if let code = attempt({ sediment_system_sync(number) }) { throw SystemCallFailure(code: code) }
    }
  }
}

// Locks of the open file description: two openings exclude each other in one process as in two, and closing
// some other descriptor of the same file releases nothing.
extension SystemFile {
  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool {
    let kind =
      switch mode {
      case .shared: F_RDLCK
      case .exclusive: F_WRLCK
      }
    guard let code = try setLock(range, Int32(kind)) else { return true }
    guard code == .accessDenied || code.rawValue == EAGAIN else {
      throw failure(.lock, at: range.lowerBound, code)
    }
    return false
  }

  func unlock(_ range: Range<UInt64>) throws(DiskError) {
    if let code = try setLock(range, Int32(F_UNLCK)) { throw failure(.lock, at: range.lowerBound, code) }
  }

  /// Releases all locks of an open file.
  ///
  /// Clearing all there are cannot fail; on a file system without locks it does, and there are none.
  static func unlockEverything(_ number: Int32) {
    _ = attemptUninterrupted { sediment_lock(number, Int32(F_UNLCK), 0, 0) }
  }

  /// Sets or clears a lock; an empty range is nothing, where the system would take it for all that follows.
  private func setLock(_ range: Range<UInt64>, _ kind: Int32) throws(DiskError) -> SystemErrorCode? {
    try perform(.lock, at: range.lowerBound) { number throws(SystemCallFailure) in
      let bytes = try SystemRange(range)
      if bytes.count == 0 { return nil }
      return attemptUninterrupted { sediment_lock(number, kind, bytes.start, bytes.count) }
    }
  }
}
