public import SedimentDisk

/// What a simulated disk is like.
public struct SimulatedDiskOptions: Sendable {
  /// Everything that the disk does at random follows from this number.
  public var seed: UInt64
  /// The largest file that the disk can hold; memory is used only for what is touched.
  public var fileByteCountMax: Int
  /// How many bytes of blocks the disk has; nil for as many as are asked for.
  public var capacity: UInt64?
  /// What the simulated file system can do.
  public var traits: FileTraits
  /// A page may be written back between any two runs of so many bytes that a copy into a mapping makes.
  ///
  /// The runs end where the offset is a multiple of this number, a power of two up to 512.
  public var storeGranuleByteCount: Int
  /// What happens after an access that would end a real process.
  public var violationRule: ViolationRule
  /// The wall time at the start, in milliseconds since 1970.
  public var wallClock: UInt64

  /// The traits of a local file system that reserves blocks and punches holes, but does not clone.
  public static let localTraits = FileTraits(
    allocatesBlocks: true, punchesHoles: true, clones: false, name: "simulated")

  /// Creates options; all but the seed have sensible values.
  public init(
    seed: UInt64, fileByteCountMax: Int = 64 << 20, capacity: UInt64? = nil,
    traits: FileTraits = localTraits, storeGranuleByteCount: Int = 64,
    violationRule: ViolationRule = .trap, wallClock: UInt64 = 1_700_000_000_000
  ) {
    precondition(fileByteCountMax > 0, "a disk needs room for a file")
    precondition(
      (1...Geometry.sectorByteCount).contains(storeGranuleByteCount)
        && storeGranuleByteCount.nonzeroBitCount == 1, "the granule must be a power of two up to 512")
    self.seed = seed
    self.fileByteCountMax = (fileByteCountMax + Geometry.blockByteCount - 1) & -Geometry.blockByteCount
    self.capacity = capacity
    self.traits = traits
    self.storeGranuleByteCount = storeGranuleByteCount
    self.violationRule = violationRule
    self.wallClock = wallClock
  }
}
