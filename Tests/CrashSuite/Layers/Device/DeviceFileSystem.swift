import CrashModel
import Foundation
import Synchronization

/// A file system of the running kernel, as the layer makes it.
enum DeviceFileSystem: String, CaseIterable, Sendable {
  case ext4
  case ext4Journal = "ext4 with data=journal"
  case xfs
  case btrfs

  /// That of a case: each in turn.
  init(seed: UInt64) { self = Self.allCases[Int(seed % UInt64(Self.allCases.count))] }

  /// How the kernel calls it.
  var type: String {
    switch self {
    case .ext4, .ext4Journal: "ext4"
    case .xfs: "xfs"
    case .btrfs: "btrfs"
    }
  }

  var mountOptions: String { self == .ext4Journal ? "data=journal" : "" }

  /// XFS makes none below 300 MiB, btrfs none below some 110.
  var byteCount: UInt64 {
    switch self {
    case .ext4, .ext4Journal: 64 << 20
    case .xfs: 300 << 20
    case .btrfs: 128 << 20
    }
  }

  private func creation(_ path: String) -> [String] {
    switch self {
    case .ext4, .ext4Journal: ["mkfs.ext4", "-q", "-F", "-b", "4096", path]
    case .xfs: ["mkfs.xfs", "-q", path]
    case .btrfs: ["mkfs.btrfs", "-q", path]
    }
  }

  /// Where its own superblocks lie, which it trusts a drive not to tear.
  func isSuperblock(_ offset: UInt64) -> Bool {
    switch self {
    case .ext4, .ext4Journal: offset < 4096
    case .xfs: offset < 512
    case .btrfs: offset == 64 << 10 || offset == 64 << 20
    }
  }

  /// The path of a device with a new one, nearly full or not, made once; to be read only.
  ///
  /// The file has no name, so it goes with the suite.
  func base(leaving freeByteCount: Int?) throws -> String {
    try Self.bases.withLock { bases in
      let name = "\(rawValue) \(freeByteCount ?? 0)"
      if let path = bases[name] { return path }
      let folder = try SuiteFolder(isInMemory: true)
      try make(folder["base"])
      if let freeByteCount { try fill(folder["base"], at: folder["mounted"], leaving: freeByteCount) }
      // Zeros take no memory.
      try DeviceProgram.run(["fallocate", "--dig-holes", folder["base"]])
      let file = unsafe open(folder["base"], O_RDONLY | O_CLOEXEC)
      let path = "/proc/\(getpid())/fd/\(file)"
      bases[name] = path
      return path
    }
  }

  private func make(_ path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      unsafe truncate(path, off_t(byteCount)) == 0
    else {
      throw DeviceFailure(description: "\(path) cannot be made")
    }
    try DeviceProgram.run(creation(path))
  }

  private func fill(_ path: String, at mount: String, leaving freeByteCount: Int) throws {
    try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
    try DeviceMachine.mount(path, self, at: mount)
    defer { DeviceMachine.unmount(mount) }
    var figures = statvfs()
    guard unsafe statvfs(mount, &figures) == 0 else { throw DeviceFailure(description: "statvfs: \(errno)") }
    let ballast = off_t(figures.f_bavail) * off_t(figures.f_frsize) - off_t(freeByteCount)
    let file = unsafe open("\(mount)/ballast", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    let error = posix_fallocate(file, 0, ballast)
    if error != 0 { throw DeviceFailure(description: "\(rawValue) cannot be filled: error \(error)") }
  }

  private static let bases = Mutex<[String: String]>([:])
}
