/// An open regular file.
///
/// Positions and lengths are in bytes. All calls may come from any thread, but `close` must be the last. A file that
/// nobody has any more is closed, and an error of that is lost. Empty ranges do nothing. On a file that was opened for
/// reading, calls that write, and an exclusive lock, throw with the code `badDescriptor`.
///
/// Every reader sees written bytes at once, also through a mapping, but they survive a power failure only after
/// `sync`. Until then, any subset of the written sectors may be on the disk, and the length, the allocation and the
/// holes of the file may each be old or new.
public protocol DiskFile: AnyObject, Sendable {
  /// The path the file was opened by.
  var path: String { get }

  /// What the file system under this file can do.
  var traits: FileTraits { get }

  /// What two openings have in common if they are of the same file.
  var identifier: FileIdentifier { get }

  /// The length of the file.
  func byteCount() throws(DiskError) -> UInt64

  /// How many bytes of the disk the file takes: more than its length if blocks are reserved behind its end, and fewer
  /// if it has holes.
  func allocatedByteCount() throws(DiskError) -> UInt64

  /// Reads bytes from `offset` on into `buffer`, and returns how many: fewer than fit only where the file ends.
  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int

  /// Says in which order bytes will be read from now on, so that the system reads ahead only where that helps.
  func expectReads(_ order: ReadOrder)

  /// Writes all of `bytes` at `offset`, extending the file where needed.
  ///
  /// When it throws, the bytes before the error's offset were written, and any part of the others may have been. For an
  /// error that says that there is no space, see `FileTraits.refusesWholly`.
  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError)

  /// Reserves blocks for the range, and extends the file to its end; bytes that were never written read as zeros.
  ///
  /// Where `traits.allocatesBlocks`, a later write into the range cannot run out of space.
  func allocate(_ range: Range<UInt64>) throws(DiskError)

  /// Gives the blocks of the range back to the file system; it reads as zeros from then on.
  ///
  /// Fails where `traits.punchesHoles` is false.
  func punchHole(_ range: Range<UInt64>) throws(DiskError)

  /// The first range from `offset` on that may have other bytes than zeros; nil if there is none up to the end.
  ///
  /// If the system cannot tell, it is the rest of the file.
  func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>?

  /// Shortens or extends the file.
  func truncate(to byteCount: UInt64) throws(DiskError)

  /// Waits until everything that was written before the call, also through mappings, is on the disk and can be found
  /// again.
  ///
  /// If it throws, what was written may be lost, and a second call that succeeds proves nothing.
  func sync() throws(DiskError)

  /// Lets the system forget what its cache has of blocks that were reserved and hold nothing on the disk, so that reading
  /// tells what the disk has, and what is written there from now on reaches it.
  ///
  /// To be called before anything is believed or written that another process may have failed to sync. On ext4 the cache
  /// takes such blocks for written ones after a write that failed: what is written to them again reaches the disk, `sync`
  /// succeeds, and still they read as zeros once the cache has let go of them. No part of the file may be mapped.
  func forgetUnwritten()

  /// Reserves addresses for the first `byteCount` bytes of the file, rounded up to pages; none of them may be touched
  /// yet.
  func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping

  /// Makes a second file of the same contents that shares its blocks; throws where `traits.clones` is false.
  ///
  /// Blocks that `allocate` reserved for this file may be shared then: allocate again. The path of an error is that of
  /// this file or the destination.
  func clone(to path: String) throws(DiskError)

  /// Takes a lock of the range, and returns whether no other open file, of this or another process, has it.
  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool

  /// Releases a lock taken through this file.
  func unlock(_ range: Range<UInt64>) throws(DiskError)

  /// Closes the file and releases its locks; what mappings have exposed stays accessible.
  ///
  /// Closing again does nothing; any other call afterwards throws with the code `badDescriptor`.
  func close() throws(DiskError)
}

extension DiskFile {
  /// Does nothing, as is right for a file that nobody reads ahead in.
  public func expectReads(_ order: ReadOrder) {}

  /// Does nothing, as is right for a disk that shows no such blocks as written.
  public func forgetUnwritten() {}
}

/// In which order a file is read.
public enum ReadOrder: Sendable {
  /// In ascending order, or as it comes: the system finds out and reads ahead.
  case usual
  /// In any order: each call reads what it asks for and nothing more.
  case random
}

/// Who else may have a lock of the same range.
public enum LockMode: Sendable {
  /// Others may have a shared lock.
  case shared
  /// Nobody may have a lock.
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

/// What the file system of a file can do, as was found out when the file was opened.
public struct FileTraits: Hashable, Sendable {
  /// Whether reserved blocks are really reserved, so that writing through a mapping cannot fail on a full disk.
  public var allocatesBlocks: Bool
  /// Whether blocks in the middle of a file can be given back.
  public var punchesHoles: Bool
  /// Whether a clone can share the blocks of a file.
  public var clones: Bool
  /// Whether a write that is refused for want of space changed nothing from the error's offset on.
  ///
  /// Elsewhere the error may be one of bytes that were written before, as a network file system reports it.
  public var refusesWholly: Bool
  /// Whether the bytes lie on this machine, and the kernel alone serves them.
  ///
  /// Elsewhere a page of a mapping needs an answer of a server or of another process, and other machines may shorten the
  /// file. Stores read such files by calls.
  public var isLocal: Bool
  /// The name of the file system, for messages; "unknown" if it is not known.
  public var name: String

  /// Creates traits of their parts.
  public init(
    allocatesBlocks: Bool, punchesHoles: Bool, clones: Bool, refusesWholly: Bool = false,
    isLocal: Bool = true,
    name: String
  ) {
    self.allocatesBlocks = allocatesBlocks
    self.punchesHoles = punchesHoles
    self.clones = clones
    self.refusesWholly = refusesWholly
    self.isLocal = isLocal
    self.name = name
  }
}
