#if os(Linux)
  import Foundation

  /// A file system that is soon full, mounted for as long as the object lives.
  final class SmallFileSystem {
    let directory: TemporaryDirectory
    /// Where the bytes of one on a loop device are.
    private let image: TemporaryDirectory?

    static let canBeMade = (try? SmallFileSystem(pageCount: 4)) != nil
    static let canHoldXFS = (try? SmallFileSystem.xfs()) != nil

    /// One in memory.
    convenience init(pageCount: UInt64) throws {
      try self.init(mounting: ["-t", "tmpfs", "-o", "size=\(pageCount * page)", "tmpfs"])
    }

    /// An XFS, of the least size that there is.
    static func xfs() throws -> SmallFileSystem {
      let image = try TemporaryDirectory()
      try run(["truncate", "-s", "300M", image["image"]])
      try run(["mkfs.xfs", "-q", image["image"]])
      return try SmallFileSystem(mounting: ["-o", "loop", image["image"]], image: image)
    }

    private init(mounting arguments: [String], image: TemporaryDirectory? = nil) throws {
      self.image = image
      directory = try TemporaryDirectory()
      try Self.run(["mount"] + arguments + [directory.path])
    }

    deinit {
      // Lazily, since a mapping of the test may live a little longer.
      try? Self.run(["umount", "-l", directory.path])
    }

    private static func run(_ arguments: [String]) throws {
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
