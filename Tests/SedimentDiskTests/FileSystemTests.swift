import Foundation
import SedimentDisk
import Testing

@Suite struct FileSystemTests {
  @Test func `what traits promise is of one piece`() throws {
    let directory = try TemporaryDirectory()
    let traits = try disk.open(directory["file"], .create).traits
    let allOfThem: [FileTraits] = [
      FileTraits(
        allocatesBlocks: true, punchesHoles: true, clones: false, refusesWholly: true, name: "ext"),
      FileTraits(
        allocatesBlocks: false, punchesHoles: false, clones: false, refusesWholly: true, name: "ext"),
      FileTraits(
        allocatesBlocks: true, punchesHoles: true, clones: true, refusesWholly: true, name: "xfs"),
      FileTraits(
        allocatesBlocks: true, punchesHoles: true, clones: false, refusesWholly: true, name: "tmpfs"),
      FileTraits(
        allocatesBlocks: false, punchesHoles: true, clones: true, refusesWholly: true, name: "btrfs"),
      FileTraits(
        allocatesBlocks: false, punchesHoles: true, clones: true, refusesWholly: true, name: "bcachefs"),
      FileTraits(
        allocatesBlocks: false, punchesHoles: true, clones: false, refusesWholly: true, name: "zfs"),
      FileTraits(
        allocatesBlocks: false, punchesHoles: true, clones: false, refusesWholly: true, name: "f2fs"),
      FileTraits(
        allocatesBlocks: false, punchesHoles: true, clones: true, refusesWholly: true, name: "apfs"),
    ]
    let isKnown = allOfThem.contains(traits)
    let promisesNothing = !traits.allocatesBlocks && !traits.punchesHoles && !traits.clones
    #expect(isKnown || promisesNothing)
    #expect(!traits.name.isEmpty)
  }

  #if os(Linux)
    /// The numbers of file systems as the kernel's header has them, by their names.
    private static let numbers: [String: UInt32] = {
      let header = (try? String(contentsOfFile: "/usr/include/linux/magic.h", encoding: .utf8)) ?? ""
      var numbers: [String: UInt32] = [:]
      for line in header.split(separator: "\n") {
        let words = line.split { $0 == " " || $0 == "\t" }
        guard words.count >= 3, words[0] == "#define", words[2].hasPrefix("0x") else { continue }
        numbers[String(words[1])] = UInt32(words[2].dropFirst(2), radix: 16)
      }
      return numbers
    }()

    @Test(.enabled(if: !numbers.isEmpty, "needs linux/magic.h"))
    func `what a server or another process serves is not local, and what lies on a disk is`() throws {
      let remote = [
        "NFS_SUPER_MAGIC", "SMB_SUPER_MAGIC", "CIFS_SUPER_MAGIC", "SMB2_SUPER_MAGIC", "V9FS_MAGIC",
        "FUSE_SUPER_MAGIC", "CEPH_SUPER_MAGIC", "CODA_SUPER_MAGIC", "AFS_SUPER_MAGIC", "AFS_FS_MAGIC",
        "NCP_SUPER_MAGIC", "OCFS2_SUPER_MAGIC",
      ]
      for name in remote {
        // Older headers lack some.
        guard let number = Self.numbers[name] else { continue }
        let traits = FileTraits(magic: number, hasExtents: true)
        #expect(!traits.isLocal && !traits.allocatesBlocks && !traits.refusesWholly, "\(name)")
        #expect(traits.name != "unknown", "\(name)")
      }
      #expect(remote.count { Self.numbers[$0] != nil } > 8)
      let local = [
        "EXT4_SUPER_MAGIC", "XFS_SUPER_MAGIC", "BTRFS_SUPER_MAGIC", "TMPFS_MAGIC", "F2FS_SUPER_MAGIC",
        "MSDOS_SUPER_MAGIC", "EXFAT_SUPER_MAGIC",
        // The layers of containers.
        "OVERLAYFS_SUPER_MAGIC",
      ]
      for name in local {
        #expect(FileTraits(magic: try #require(Self.numbers[name]), hasExtents: true).isLocal)
      }
    }

    static let hasSharedMemory = FileManager.default.isWritableFile(atPath: "/dev/shm")

    @Test(.enabled(if: hasSharedMemory, "needs /dev/shm"))
    func `tmpfs reserves blocks and punches holes, and does not clone`() throws {
      let directory = try TemporaryDirectory(in: "/dev/shm")
      let file = try disk.open(directory["file"], .create)
      try #require(file.traits.name == "tmpfs")
      let expected = FileTraits(
        allocatesBlocks: true, punchesHoles: true, clones: false, refusesWholly: true, name: "tmpfs")
      #expect(file.traits == expected)
      try file.allocate(0..<64 * page)
      #expect(allocatedByteCount(of: file.path) == Int(64 * page))
      try file.punchHole(page..<64 * page)
      #expect(allocatedByteCount(of: file.path) == Int(page))
      #expect(try file.byteCount() == 64 * page)
      #expect(throws: file.error(.clone, .notSupported)) { try file.clone(to: directory["clone"]) }
      let mapping = try file.reserveMapping(byteCount: 64 * page)
      try mapping.expose(0..<page, writable: true)
      mapping.store([9], at: 0)
      try file.sync()
      #expect(try file.read(2, at: 0) == [9, 0])
    }

    @Test(.enabled(if: SmallFileSystem.canBeMade, "needs the right to mount a tmpfs"))
    func `a full disk fails writes and reservations, and serves everything else`() throws {
      let small = try SmallFileSystem(pageCount: 16)
      let file = try disk.open(small.directory["file"], .create)
      try file.allocate(0..<10 * page)
      #expect(throws: file.error(.allocate, at: 10 * page, .noSpace)) {
        try file.allocate(10 * page..<99 * page)
      }
      // A reservation that fails reserves nothing and does not lengthen.
      #expect(try file.byteCount() == 10 * page)
      let other = try disk.open(small.directory["other"], .create)
      let error = #expect(throws: DiskError.self) { try other.write(pattern(Int(16 * page)), at: 0) }
      // The position of the first byte that found no room.
      #expect(error == other.error(.write, at: try other.byteCount(), .noSpace))
      #expect(error?.code.isOutOfSpace == true)
      let stored = pattern(Int(10 * page))
      let mapping = try file.reserveMapping(byteCount: 10 * page)
      try mapping.expose(0..<10 * page, writable: true)
      mapping.store(stored, at: 0)
      #expect(try file.read(Int(10 * page), at: 0) == stored)
      try file.punchHole(0..<page)
      try other.write([1], at: try other.byteCount())
      try file.close()
      try other.close()
    }

    @Test(.enabled(if: SmallFileSystem.canHoldXFS, "needs mkfs.xfs and the right to mount"))
    func `a full XFS reserves what has blocks of its own, and nothing else`() throws {
      let small = try SmallFileSystem.xfs()
      let file = try disk.open(small.directory["file"], .create)
      try file.allocate(0..<16 * page)
      try file.write(pattern(Int(2 * page)), at: page)
      try file.punchHole(12 * page..<13 * page)
      let cloned = try disk.open(small.directory["cloned"], .create)
      try cloned.allocate(0..<4 * page)
      try cloned.write(pattern(Int(4 * page)), at: 0)
      for file in [file, cloned] { try file.sync() }
      try cloned.clone(to: small.directory["clone"])
      let ballast = try disk.open(small.directory["ballast"], .create)
      for pageCount in [4096, 256, 16, 1] as [UInt64] {
        while case let end = try ballast.byteCount(),
          (try? ballast.allocate(end..<end + pageCount * page)) != nil
        {}
      }
      // Written or not, and from within a block on.
      try file.allocate(0..<12 * page)
      try file.allocate(page / 2..<page * 3 / 2)
      try file.allocate(13 * page..<16 * page)
      func expectRefusal(_ file: some DiskFile, _ range: Range<UInt64>) {
        #expect(throws: file.error(.allocate, at: range.lowerBound, .noSpace)) { try file.allocate(range) }
      }
      // A hole, what lies after the end, and blocks that a clone shares.
      expectRefusal(file, 11 * page..<14 * page)
      expectRefusal(file, 12 * page..<13 * page)
      expectRefusal(file, 13 * page..<17 * page)
      expectRefusal(cloned, 0..<4 * page)
      #expect(try file.byteCount() == 16 * page)
      let stored = pattern(Int(12 * page))
      let mapping = try file.reserveMapping(byteCount: 12 * page)
      try mapping.expose(0..<12 * page, writable: true)
      mapping.store(stored, at: 0)
      try file.sync()
      #expect(try file.read(Int(12 * page), at: 0) == stored)
      for file in [file, cloned, ballast] { try file.close() }
    }
  #endif
}
