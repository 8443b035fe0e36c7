internal import CSediment

// What file systems can do is told by their kind, and a kind that is not known can do nothing: the engine then
// writes where it would have mapped, and keeps blocks that it would have given back.
//
// `allocatesBlocks` needs more than a successful `fallocate`. A file system that copies on write takes new
// blocks for every store, reserved or not; a network or user-space one answers for a server that may not keep
// the promise; a layered one depends on what lies below.
extension FileTraits {
  /// Those of a file system that is not known.
  static let unknown = FileTraits(allocatesBlocks: false, punchesHoles: false, clones: false, name: "unknown")

  #if canImport(Darwin)
    /// The traits of a kind of file system.
    init(of system: sediment_file_system) {
      let name = unsafe withUnsafeBytes(of: system.name) { bytes in
        String(decoding: unsafe bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // APFS copies on write; HFS+ reserves, but neither punches nor clones, and its days are over.
      let isAPFS = name == "apfs"
      self.init(
        allocatesBlocks: false, punchesHoles: isAPFS, clones: isAPFS, name: name.isEmpty ? "unknown" : name)
    }
  #else
    /// The traits of a kind of file system.
    init(of system: sediment_file_system) {
      switch system.magic {
      case 0xEF53:
        // Without extents, as on ext2 and ext3, blocks cannot be reserved, and holes only in some versions.
        let hasExtents = system.has_extents != 0
        self.init(allocatesBlocks: hasExtents, punchesHoles: hasExtents, clones: false, name: "ext")
      case 0x5846_5342:
        self.init(allocatesBlocks: true, punchesHoles: true, clones: true, name: "xfs")
      case 0x0102_1994:
        self.init(allocatesBlocks: true, punchesHoles: true, clones: false, name: "tmpfs")
      case 0x9123_683E:
        self.init(allocatesBlocks: false, punchesHoles: true, clones: true, name: "btrfs")
      case 0xCA45_1A4E:
        self.init(allocatesBlocks: false, punchesHoles: true, clones: true, name: "bcachefs")
      case 0x2FC1_2FC1:
        self.init(allocatesBlocks: false, punchesHoles: true, clones: false, name: "zfs")
      case 0xF2F5_2010:
        self.init(allocatesBlocks: false, punchesHoles: true, clones: false, name: "f2fs")
      case 0x794C_7630: self.init(incapable: "overlayfs")
      case 0x6573_5546: self.init(incapable: "fuse")
      case 0x6969: self.init(incapable: "nfs")
      case 0xFF53_4D42, 0xFE53_4D42: self.init(incapable: "smb")
      case 0x0102_1997: self.init(incapable: "9p")
      case 0x4D44: self.init(incapable: "fat")
      case 0x2011_BAB0: self.init(incapable: "exfat")
      default: self = .unknown
      }
    }
  #endif

  /// Traits of a file system of which nothing can be relied on.
  private init(incapable name: String) {
    self.init(allocatesBlocks: false, punchesHoles: false, clones: false, name: name)
  }
}
