import Sediment
import SedimentDisk
import SedimentTesting

/// The machine's disk with the clock of a scheduler, so that no work takes any time.
struct ScheduledDisk: Disk {
  private let inner = SystemDisk()
  let scheduler: ManualScheduler

  var pageByteCount: Int { inner.pageByteCount }

  func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile { try inner.open(path, mode) }

  func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError) {
    try inner.rename(path, to: destination, rule)
  }

  func remove(_ path: String) throws(DiskError) { try inner.remove(path) }
  func syncDirectory(of path: String) throws(DiskError) { try inner.syncDirectory(of: path) }
  func createDirectories(of path: String) throws(DiskError) { try inner.createDirectories(of: path) }
  func wallClock() -> UInt64 { inner.wallClock() }
  func monotonicClock() -> UInt64 { scheduler.now }
  func random() -> UInt64 { inner.random() }
}
