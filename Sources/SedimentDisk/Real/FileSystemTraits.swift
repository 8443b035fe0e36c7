internal import CSediment

// What file systems can do is told by their kind, and a kind that is not known can do nothing: the engine then
// writes where it would have mapped, and keeps blocks that it would have given back.
//
// `allocatesBlocks` needs more than a successful `fallocate`. A file system that copies on write takes new
// blocks for every store, reserved or not; a network or user-space one answers for a server that may not keep
// the promise; a layered one depends on what lies below.
extension FileTraits {
  /// Those of a file system that is not known.
  static let unknown = FileTraits("unknown")

  /// What a file system of a name can do; nothing unless it is said.
  private init(
    _ name: String, allocates: Bool = false, punches: Bool = false, clones: Bool = false,
    isLocal: Bool = false
  ) {
    self.init(
      allocatesBlocks: allocates, punchesHoles: punches, clones: clones, refusesWholly: isLocal, name: name)
  }

  #if canImport(Darwin)
    /// The traits of a kind of file system.
    init(of system: sediment_file_system) {
      let name = unsafe withUnsafeBytes(of: system.name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // APFS copies on write; HFS+ reserves, but neither punches nor clones, and its days are over.
      let isAPFS = name == "apfs"
      self.init(name.isEmpty ? "unknown" : name, punches: isAPFS, clones: isAPFS, isLocal: isAPFS)
    }
  #else
    /// The traits of a kind of file system.
    init(of system: sediment_file_system) {
      switch system.magic {
      case 0xEF53:
        // Without extents, as on ext2 and ext3, blocks cannot be reserved, and holes only in some versions.
        let hasExtents = system.has_extents != 0
        self.init("ext", allocates: hasExtents, punches: hasExtents, isLocal: true)
      case 0x5846_5342: self.init("xfs", allocates: true, punches: true, clones: true, isLocal: true)
      case 0x0102_1994: self.init("tmpfs", allocates: true, punches: true, isLocal: true)
      case 0x9123_683E: self.init("btrfs", punches: true, clones: true, isLocal: true)
      case 0xCA45_1A4E: self.init("bcachefs", punches: true, clones: true, isLocal: true)
      case 0x2FC1_2FC1: self.init("zfs", punches: true, isLocal: true)
      case 0xF2F5_2010: self.init("f2fs", punches: true, isLocal: true)
      case 0x794C_7630: self.init("overlayfs")
      case 0x6573_5546: self.init("fuse")
      case 0x6969: self.init("nfs")
      case 0xFF53_4D42, 0xFE53_4D42: self.init("smb")
      case 0x0102_1997: self.init("9p")
      case 0x4D44: self.init("fat", isLocal: true)
      case 0x2011_BAB0: self.init("exfat", isLocal: true)
      default: self = .unknown
      }
    }
  #endif
}
