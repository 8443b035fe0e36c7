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
  #endif
}

#if os(Linux)
  /// A file system in memory that is soon full, mounted for as long as the object lives.
  private final class SmallFileSystem {
    let directory: TemporaryDirectory

    static let canBeMade = (try? SmallFileSystem(pageCount: 4)) != nil

    init(pageCount: UInt64) throws {
      directory = try TemporaryDirectory()
      try Self.run("mount", "-t", "tmpfs", "-o", "size=\(pageCount * page)", "tmpfs", directory.path)
    }

    deinit {
      // Lazily, since a mapping of the test may live a little longer.
      try? Self.run("umount", "-l", directory.path)
    }

    private static func run(_ arguments: String...) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = arguments
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
    }
  }
#endif
