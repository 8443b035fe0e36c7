import Foundation
import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Files whose bytes lie elsewhere than on a disk of this machine are read by calls, whatever the options say.
struct RemoteFileTests {
  private static let path = "/data/store"
  private static let all: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]

  /// Uses a store of a MiB in all ways, and says how it read.
  private func use(_ open: () throws -> SedimentStore) throws -> SedimentReadMode {
    let store = try open()
    for round in 0..<3 {
      for number in 0..<100 {
        try store.set([UInt8](repeating: UInt8(round), count: 8000), forKey: "\(number)")
      }
      try store.sync()
    }
    try store.set([UInt8](repeating: 7, count: 300_000), forKey: "large")
    for number in 0..<50 { #expect(try store.remove(forKey: "\(number)")) }
    try store.compact()
    for number in 50..<100 {
      #expect(try store.retrieve(forKey: "\(number)") == [UInt8](repeating: 2, count: 8000))
    }
    #expect(try store.withValue(forKey: "large") { $0.byteCount } == 300_000)
    let mode = store.statistics.readMode
    #expect(!store.segments.contains { $0.kind == .window } || mode == .mapped)
    try store.close()
    let again = try open()
    #expect(try again.count() == 51)
    #expect(again.statistics.readMode == mode)
    try again.close()
    return mode
  }

  @Test(arguments: all)
  func `A simulated remote file is never mapped, and says why`(access: SedimentOptions.Access) throws {
    for isLocal in [true, false] {
      var traits = SimulatedDiskOptions.localTraits
      traits.isLocal = isLocal
      let inner = SimulatedDisk(SimulatedDiskOptions(seed: 1, traits: traits))
      let disk = MappingDisk(inner)
      let mode = try use {
        try SedimentStore(
          path: Self.path, options: SedimentOptions(durability: .unsynced, access: access, compression: .off),
          disk: disk, scheduler: ManualScheduler())
      }
      let isMapped = isLocal && access != .unmapped
      #expect(mode == (access == .unmapped ? .unmappedByOption : isLocal ? .mapped : .unmappedByFileSystem))
      #expect((disk.mappingCount > 0) == isMapped)
    }
  }

  #if os(Linux)
    @Test(.enabled(if: ForeignFileSystem.canBeMade, "needs bindfs, and the right to mount"))
    func `A store on FUSE has nothing mapped, and a foreign truncation is an error`() throws {
      let folder = try ForeignFileSystem()
      // A name that no test beside this one has.
      let path = folder.path + "/store-on-fuse"
      let mode = try use { try SedimentStore(path: path, options: SedimentOptions(compression: .off)) }
      #expect(mode == .unmappedByFileSystem)

      let store = try SedimentStore(path: path)
      #expect(try store.retrieve(forKey: "99")?.count == 8000)
      #expect(!(try mappedPaths().contains { $0.hasSuffix("/store-on-fuse") }))
      // In place of an error a mapped file would end the process here.
      let isCut = unsafe truncate(path, 4096) == 0
      #expect(isCut)
      #expect(throws: SedimentError.self) { try store.retrieve(forKey: "99") }
      #expect(throws: SedimentError.self) { try store.retrieve(forKey: "large") }
      try? store.close()
    }

    @Test func `A store on a local disk is mapped`() throws {
      let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "\(UInt64.random(in: 0 ... .max))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.path + "/local-store"
      let store = try SedimentStore(path: path)
      try store.set("value", forKey: "key")
      try store.sync()
      #expect(
        try mappedPaths().contains { $0.hasSuffix("/local-store") } == (store.statistics.readMode == .mapped))
      #expect(store.statistics.readMode != .unmappedByOption)
      try store.close()
    }

    /// The files that are mapped into this process.
    private func mappedPaths() throws -> [Substring] {
      try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n").compactMap {
        $0.split(separator: " ").last
      }
    }
  #endif
}

/// A simulated disk that counts the mappings that are asked for.
private final class MappingDisk: ForwardingDisk, @unchecked Sendable {
  private let count = Mutex(0)

  var mappingCount: Int { count.withLock { $0 } }

  override func file(_ file: any DiskFile) -> any DiskFile { File(file, self) }

  private final class File: ForwardingFile, @unchecked Sendable {
    private let disk: MappingDisk

    init(_ inner: any DiskFile, _ disk: MappingDisk) {
      self.disk = disk
      super.init(inner)
    }

    override func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
      disk.count.withLock { $0 += 1 }
      return try super.reserveMapping(byteCount: byteCount)
    }
  }
}

#if os(Linux)
  /// A folder behind a real file system in user space, which passes all calls on to another folder.
  private final class ForeignFileSystem {
    let source: String
    let path: String

    static let canBeMade = (try? ForeignFileSystem()) != nil

    init() throws {
      let folder = NSTemporaryDirectory() + "/\(UInt64.random(in: 0 ... .max))"
      source = folder + "/source"
      path = folder + "/shown"
      for folder in [source, path] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      try Self.run("bindfs", source, path)
    }

    deinit {
      try? Self.run("umount", "-l", path)
      try? FileManager.default.removeItem(atPath: source)
      try? FileManager.default.removeItem(atPath: path)
    }

    /// Runs a command with no descriptor of this process, which would wait for what the command leaves running with one.
    private static func run(_ arguments: String...) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      let closing =
        "for n in /proc/self/fd/*; do n=${n##*/}; ((n < 3)) || eval \"exec $n>&-\"; done; exec \"$@\""
      process.arguments = ["bash", "-c", closing, "run"] + arguments
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
    }
  }
#endif
