import SedimentDisk
import Synchronization

/// The machine's disk, whose random bits are the same in each run: where keys fall in the index, and with it what its
/// growth allocates, does not differ from one run to the next.
final class RepeatableDisk: Disk {
  private let disk = SystemDisk()
  private let state = Atomic<UInt64>(0)

  var pageByteCount: Int { disk.pageByteCount }

  func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> any DiskFile { try disk.open(path, mode) }

  func rename(_ path: String, to destination: String, _ rule: RenameRule) throws(DiskError) {
    try disk.rename(path, to: destination, rule)
  }

  func remove(_ path: String) throws(DiskError) { try disk.remove(path) }

  func syncDirectory(of path: String) throws(DiskError) { try disk.syncDirectory(of: path) }

  func wallClock() -> UInt64 { disk.wallClock() }

  func monotonicClock() -> UInt64 { disk.monotonicClock() }

  func random() -> UInt64 {
    var bits = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    bits = (bits ^ bits >> 31) &* 0x7FB5_D329_728E_A185
    bits = (bits ^ bits >> 27) &* 0x81DA_DEF4_BC2D_D44D
    return bits ^ bits >> 33
  }
}
