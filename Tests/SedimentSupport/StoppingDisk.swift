package import SedimentDisk
import SedimentTesting
package import Synchronization

/// A disk whose syncs wait for a test.
package final class StoppingDisk: ForwardingDisk, @unchecked Sendable {
  package let entered = Counter()
  package let mayGo = Counter()
  package let stops = Atomic<Bool>(false)
  package let mappedByteCountMax = Atomic<UInt64>(.max)
  /// 0 for the disk's own.
  package let mappedPageByteCount = Atomic<Int>(0)

  package override func file(_ file: any DiskFile) -> any DiskFile { StoppingFile(file, self) }
}

private final class StoppingFile: ForwardingFile, @unchecked Sendable {
  private let disk: StoppingDisk

  init(_ inner: any DiskFile, _ disk: StoppingDisk) {
    self.disk = disk
    super.init(inner)
  }

  override func sync() throws(DiskError) {
    if disk.stops.load(ordering: .acquiring) {
      disk.entered.add()
      disk.mayGo.wait(for: disk.entered.value)
    }
    try inner.sync()
  }

  override func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
    let mapping = try inner.reserveMapping(
      byteCount: min(byteCount, disk.mappedByteCountMax.load(ordering: .relaxed)))
    let page = disk.mappedPageByteCount.load(ordering: .relaxed)
    return page == 0 ? mapping : ForwardingMapping(mapping).mapping(pageByteCount: page)
  }
}
