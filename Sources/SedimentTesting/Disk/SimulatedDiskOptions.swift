public import SedimentDisk

/// What a simulated disk is like.
public struct SimulatedDiskOptions: Sendable {
  /// Everything that the disk does at random follows from this number.
  public var seed: UInt64
  /// The largest file that the disk can hold; memory is used only for what is touched.
  public var fileByteCountMax: Int
  /// How many bytes of blocks the disk has; nil for as many as are asked for.
  public var capacity: UInt64?
  /// The pages of the simulated system, the unit of mapped ranges: a power of two of at least 4,096 bytes.
  public var pageByteCount: Int
  /// What the simulated file system can do.
  public var traits: FileTraits
  /// What the simulated system refuses to do, though others do it.
  public var refusals: Set<Refusal>
  /// Whether a sync waits until the drive has emptied its cache, as `fdatasync` does on Linux and `F_FULLFSYNC` on Apple
  /// systems.
  ///
  /// Otherwise a sync is Apple's plain `fsync`: it leaves the bytes in the drive's cache, of which a power failure may
  /// lose any part.
  public var syncsEmptyDriveCache = true
  /// Whether the file system never writes into a block that was synced.
  ///
  /// A write then needs a free block for each such block that it touches, and fails with "no space" where there is none.
  /// Old blocks, and those of holes and of an end that was cut off, come back with the next sync.
  public var copiesOnWrite = false
  /// A page may be written back between any two runs of so many bytes that a copy into a mapping makes.
  ///
  /// The runs end where the offset is a multiple of this number, a power of two up to 512.
  public var storeGranuleByteCount: Int
  /// How many bytes of memory the process may have; nil if that is not known.
  public var processMemory: UInt64?
  /// What happens after an access that would end a real process.
  public var violationRule: ViolationRule
  /// The wall time at the start, in milliseconds since 1970.
  public var wallClock: UInt64
  /// Whether the disk keeps what happens; one that does not has neither a history nor images of a crash.
  package var keepsHistory = true

  /// The traits of a local file system that reserves blocks and punches holes, but does not clone.
  public static let localTraits = FileTraits(
    allocatesBlocks: true, punchesHoles: true, clones: false, refusesWholly: true, name: "simulated")

  /// The traits of APFS, which copies on write, so that reserved blocks promise nothing.
  public static let appleTraits = FileTraits(
    allocatesBlocks: false, punchesHoles: true, clones: true, refusesWholly: true, name: "apfs")

  /// A disk of an Apple device: pages of 16 KiB, and APFS.
  public static func apple(
    seed: UInt64, fileByteCountMax: Int = 64 << 20, capacity: UInt64? = nil
  ) -> SimulatedDiskOptions {
    var options = SimulatedDiskOptions(
      seed: seed, fileByteCountMax: fileByteCountMax, capacity: capacity, pageByteCount: 16_384,
      traits: appleTraits)
    options.copiesOnWrite = true
    return options
  }

  /// Creates options; all but the seed have sensible values.
  public init(
    seed: UInt64, fileByteCountMax: Int = 64 << 20, capacity: UInt64? = nil,
    pageByteCount: Int = Geometry.blockByteCount, traits: FileTraits = localTraits,
    refusals: Set<Refusal> = [], storeGranuleByteCount: Int = 64,
    violationRule: ViolationRule = .trap, wallClock: UInt64 = 1_700_000_000_000
  ) {
    precondition(fileByteCountMax > 0, "a disk needs room for a file")
    precondition(
      (1...Geometry.sectorByteCount).contains(storeGranuleByteCount)
        && storeGranuleByteCount.nonzeroBitCount == 1, "the granule must be a power of two up to 512")
    precondition(
      pageByteCount >= Geometry.blockByteCount && pageByteCount.nonzeroBitCount == 1,
      "pages have a power of two of bytes, and no fewer than a block")
    self.seed = seed
    self.fileByteCountMax = (fileByteCountMax + pageByteCount - 1) & -pageByteCount
    self.capacity = capacity
    self.pageByteCount = pageByteCount
    self.traits = traits
    self.refusals = refusals
    self.storeGranuleByteCount = storeGranuleByteCount
    self.violationRule = violationRule
    self.wallClock = wallClock
  }
}

/// What some systems refuse, whoever asks.
public enum Refusal: Hashable, Sendable, CaseIterable {
  /// `Disk.syncDirectory` fails with "permission denied", as where a directory may be changed and not read.
  ///
  /// Names are durable at once then, since nobody could make them so.
  case directorySyncs
  /// `DiskFile.lock` fails with "not supported" where another open file has the lock, and does not tell that one has.
  case secondLocks
}
