import Foundation

/// A file system of its own in memory, of a few MiB, that goes with its last reference.
final class SmallDisk: Sendable {
  private let folder: SuiteFolder
  let path: String

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Mounts one.
  init(byteCount: Int) throws {
    folder = try SuiteFolder(isInMemory: false)
    path = folder["disk"]
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #if os(Linux)
      guard unsafe mount("none", path, "tmpfs", 0, "size=\(byteCount)") == 0 else {
        throw Failure(description: "it cannot be mounted: error \(errno)")
      }
    #else
      throw Failure(description: "it cannot be mounted on this system")
    #endif
  }

  deinit {
    #if os(Linux)
      _ = unsafe umount2(path, CInt(MNT_DETACH))
    #endif
  }

  /// The path of a name in it.
  subscript(_ name: String) -> String { "\(path)/\(name)" }

  /// Lets nobody write there, or everybody again; fails while a file is open for writing or mapped so.
  func makeReadOnly(_ isReadOnly: Bool) throws {
    #if os(Linux)
      let flags = CUnsignedLong(MS_REMOUNT) | (isReadOnly ? CUnsignedLong(MS_RDONLY) : 0)
      // What closed a file may be about to give its memory back.
      for _ in 0..<100 {
        if unsafe mount("none", path, "tmpfs", flags, nil) == 0 { return }
        usleep(10_000)
      }
      throw Failure(description: "it cannot be mounted otherwise: error \(errno)")
    #endif
  }

  /// The bytes that files may still take.
  var freeByteCount: Int {
    var figures = statvfs()
    guard unsafe statvfs(path, &figures) == 0 else { return 0 }
    return Int(figures.f_bavail) * Int(figures.f_bsize)
  }

  /// Leaves so many bytes, in whole blocks, to all other files, as far as there are as many.
  func fill(leaving byteCount: Int) throws {
    while true {
      try empty()
      let ballast = freeByteCount - byteCount
      guard ballast > 0 else { return }
      do {
        return try Data(count: ballast).write(to: URL(fileURLWithPath: self["ballast"]))
      } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
        // A store's background took some of it meanwhile.
      }
    }
  }

  /// Gives so many of the bytes back that were taken from others.
  func release(_ byteCount: Int) throws {
    let ballast = try FileHandle(forUpdating: URL(fileURLWithPath: self["ballast"]))
    let end = try ballast.seekToEnd()
    try ballast.truncate(atOffset: end - min(UInt64(byteCount), end))
    try ballast.close()
  }

  /// Makes room again.
  func empty() throws {
    if FileManager.default.fileExists(atPath: self["ballast"]) {
      try FileManager.default.removeItem(atPath: self["ballast"])
    }
  }

  /// The names of its files.
  var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: path)) }
  }
}
