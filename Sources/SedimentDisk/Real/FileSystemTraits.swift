internal import CSediment

// What file systems can do is told by their kind, and a kind that is not known can do nothing: the engine then
// writes where it would have mapped, and keeps blocks that it would have given back.
//
// `allocatesBlocks` needs more than a successful `fallocate`. A file system that copies on write takes new
// blocks for every store, reserved or not; a network or user-space one answers for a server that may not keep
// the promise; a layered one depends on what lies below.
//
// A layered one, as in containers, counts as local: its files lie on a disk of this machine as a rule.
extension FileTraits {
  /// Those of a file system that is not known.
  static let unknown = FileTraits("unknown")

  /// What a file system of a name can do; nothing unless it is said.
  private init(
    _ name: String, allocates: Bool = false, punches: Bool = false, clones: Bool = false,
    refusesWholly: Bool = false, isLocal: Bool = true
  ) {
    self.init(
      allocatesBlocks: allocates, punchesHoles: punches, clones: clones, refusesWholly: refusesWholly,
      isLocal: isLocal, name: name)
  }

  #if canImport(Darwin)
    /// The traits of a kind of file system.
    init(of system: sediment_file_system) {
      let name = unsafe withUnsafeBytes(of: system.name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // APFS copies on write; HFS+ reserves, but neither punches nor clones, and its days are over.
      let isAPFS = name == "apfs"
      self.init(
        name.isEmpty ? "unknown" : name, punches: isAPFS, clones: isAPFS, refusesWholly: isAPFS,
        isLocal: system.is_local != 0)
    }
  #else
    /// The traits of a kind of file system.
    init(of system: sediment_file_system) {
      self.init(magic: system.magic, hasExtents: system.has_extents != 0)
    }

    /// The traits of a kind of file system, by the number that `statfs` tells.
    package init(magic: UInt32, hasExtents: Bool) {
      switch magic {
      case 0xEF53:
        // Without extents, as on ext2 and ext3, blocks cannot be reserved, and holes only in some versions.
        self.init("ext", allocates: hasExtents, punches: hasExtents, refusesWholly: true)
      case 0x5846_5342: self.init("xfs", allocates: true, punches: true, clones: true, refusesWholly: true)
      case 0x0102_1994: self.init("tmpfs", allocates: true, punches: true, refusesWholly: true)
      case 0x9123_683E: self.init("btrfs", punches: true, clones: true, refusesWholly: true)
      case 0xCA45_1A4E: self.init("bcachefs", punches: true, clones: true, refusesWholly: true)
      case 0x2FC1_2FC1: self.init("zfs", punches: true, refusesWholly: true)
      case 0xF2F5_2010: self.init("f2fs", punches: true, refusesWholly: true)
      case 0x794C_7630: self.init("overlayfs")
      case 0x4D44: self.init("fat", refusesWholly: true)
      case 0x2011_BAB0: self.init("exfat", refusesWholly: true)
      default:
        if let name = Self.remoteNames[magic] {
          self.init(name, isLocal: false)
        } else {
          self = .unknown
        }
      }
    }

    /// File systems whose bytes another machine or a process of users serves, or whose disk other machines write, too.
    package static let remoteNames: [UInt32: String] = [
      0x6969: "nfs", 0x517B: "smb", 0xFF53_4D42: "smb", 0xFE53_4D42: "smb", 0x0102_1997: "9p",
      // Virtiofs gives the number of FUSE, too.
      0x6573_5546: "fuse", 0x00C3_6400: "ceph", 0x0BD0_0BD0: "lustre", 0x4750_4653: "gpfs",
      0x5346_414F: "afs", 0x6B41_4653: "afs", 0x7375_7245: "coda", 0x564C: "ncp", 0x1983_0326: "beegfs",
      0x2003_0528: "orangefs", 0xAAD7_AAEA: "panfs", 0x0131_11A8: "ibrix", 0xBEEF_DEAD: "stornext",
      0x0116_1970: "gfs2", 0x7461_636F: "ocfs2", 0x6163_6673: "acfs",
      0x786F_4256: "vboxsf", 0xBACB_ACBC: "vmhgfs", 0x7C7C_6673: "prl_fs",
    ]
  #endif
}
