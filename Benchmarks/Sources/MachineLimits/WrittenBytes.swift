internal import CBench
internal import Foundation

/// What was written from one moment to another: by this process to the system, and by all of them to a device.
package struct WrittenBytes {
  private let folder: String
  private let byProcessBefore: Int?
  private let byDeviceBefore: Int?

  /// Begins, once all that was written before is on the disk.
  package init(folder: String) {
    self.folder = folder
    syncFileSystem(of: folder)
    byProcessBefore = try? writtenByteCount()
    byDeviceBefore = deviceWrittenByteCount(of: folder)
  }

  /// What was written since; nil where the system does not tell.
  package func end() -> (byProcess: Int?, byDevice: Int?) {
    syncFileSystem(of: folder)
    let byProcess = byProcessBefore.flatMap { before in (try? writtenByteCount()).map { $0 - before } }
    let byDevice = byDeviceBefore.flatMap { before in deviceWrittenByteCount(of: folder).map { $0 - before } }
    return (byProcess, byDevice)
  }
}

/// Writes everything that the file system of a folder has in memory to its device.
private func syncFileSystem(of folder: String) {
  let descriptor = unsafe open(folder, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  _ = bench_sync_file_system(descriptor)
  close(descriptor)
}

/// What the block layer has written to the device of a folder; nil if the folder lies on none.
package func deviceWrittenByteCount(of folder: String) -> Int? {
  var status = stat()
  guard unsafe lstat(folder, &status) == 0 else { return nil }
  let (major, minor) = deviceNumbers(UInt64(truncatingIfNeeded: status.st_dev))
  let path = "/sys/dev/block/\(major):\(minor)/stat"
  guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
  return writtenByteCount(inDeviceCounts: text)
}

/// The parts of a device's number as Linux packs them.
package func deviceNumbers(_ device: UInt64) -> (major: UInt64, minor: UInt64) {
  ((device >> 8 & 0xfff) | (device >> 32 & ~0xfff), (device & 0xff) | (device >> 12 & ~0xff))
}

/// The seventh number of `/sys/block/*/stat`, in sectors of 512 bytes whatever those of the device are.
package func writtenByteCount(inDeviceCounts text: String) -> Int? {
  let counts = text.split { $0 == " " || $0 == "\n" }.map { Int($0) }
  guard counts.count >= 7, let sectorCount = counts[6] else { return nil }
  return sectorCount * 512
}
