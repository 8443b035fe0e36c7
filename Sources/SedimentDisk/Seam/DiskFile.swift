/// An open regular file.
///
/// Positions and lengths are bytes. All calls may come from any thread, but `close` must be the last. A file
/// that is dropped without `close` is closed then, and what that reports is lost. Empty ranges do nothing. On a
/// file opened for reading, what would write, and an exclusive lock, fail with "bad file descriptor".
///
/// What is written is visible to every reader at once, also through a mapping, but survives a power failure
/// only after `sync`. Until then any subset of the written sectors may be on the medium, and file size,
/// allocation and holes each persist on their own.
public protocol DiskFile: AnyObject, Sendable {
  /// The path the file was opened by.
  var path: String { get }

  /// What the file system under this file can do.
  var traits: FileTraits { get }

  /// Tells two openings of one file from openings of two files.
  var identifier: FileIdentifier { get }

  /// The length of the file.
  func byteCount() throws(DiskError) -> UInt64

  /// How many bytes of the disk the file takes: more than its length where blocks were reserved behind it, fewer where
  /// it has holes.
  func allocatedByteCount() throws(DiskError) -> UInt64

  /// Fills `buffer` from `offset` on and returns how many bytes there were: fewer only where the file ends.
  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int

  /// Writes all of `bytes` at `offset`, extending the file where needed.
  ///
  /// When it throws, any part of the bytes may have been written.
  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError)

  /// Reserves blocks for the range, extending the file to its end; bytes never written read as zeros.
  ///
  /// Where `traits.allocatesBlocks`, a later write into the range cannot run out of space.
  func allocate(_ range: Range<UInt64>) throws(DiskError)

  /// Gives the blocks of the range back to the file system; it reads as zeros from then on.
  ///
  /// Fails where `traits.punchesHoles` is false.
  func punchHole(_ range: Range<UInt64>) throws(DiskError)

  /// The first range at or behind `offset` that may hold anything but zeros; nil if there is none up to the end.
  ///
  /// Where the system cannot tell, it is all that is left of the file.
  func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>?

  /// Shortens or extends the file.
  func truncate(to byteCount: UInt64) throws(DiskError)

  /// Waits until everything written before the call, through mappings too, and what is needed to find it
  /// again, is on the medium.
  ///
  /// A failure means that what was written may be lost, and that a second try would prove nothing.
  func sync() throws(DiskError)

  /// Reserves addresses for the first `byteCount` bytes of the file, rounded up to pages, of which nothing is
  /// accessible yet.
  func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping

  /// Makes a second file of the same contents that shares its blocks; fails where `traits.clones` is false.
  ///
  /// What `allocate` promised for this file before holds no longer: allocate again. An error names this
  /// file or the destination.
  func clone(to path: String) throws(DiskError)

  /// Takes a lock that other open files respect, of this process and others; false where one of them has it.
  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool

  /// Releases a lock taken through this file.
  func unlock(_ range: Range<UInt64>) throws(DiskError)

  /// Closes the file and releases its locks; what mappings have exposed stays so.
  ///
  /// Closing again does nothing; any other call afterwards fails with the system's "bad file descriptor".
  func close() throws(DiskError)
}

/// What may share a locked range.
public enum LockMode: Sendable {
  /// Other holders of a shared lock.
  case shared
  /// Nobody.
  case exclusive
}

/// The device and the number of a file.
public struct FileIdentifier: Hashable, Sendable {
  /// The device's number.
  public let device: UInt64
  /// The file's number on the device.
  public let number: UInt64

  /// Creates an identifier of its parts.
  public init(device: UInt64, number: UInt64) {
    self.device = device
    self.number = number
  }
}

/// What a file system can do, found out when a file is opened.
public struct FileTraits: Hashable, Sendable {
  /// Reserved blocks are really reserved, so that a store through a mapping cannot fail on a full disk.
  public var allocatesBlocks: Bool
  /// Holes can be punched.
  public var punchesHoles: Bool
  /// Files can share blocks with a clone.
  public var clones: Bool
  /// The file system's name as far as it is known, for messages.
  public var name: String

  /// Creates traits of their parts.
  public init(allocatesBlocks: Bool, punchesHoles: Bool, clones: Bool, name: String) {
    self.allocatesBlocks = allocatesBlocks
    self.punchesHoles = punchesHoles
    self.clones = clones
    self.name = name
  }
}
