import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization

/// A simulated disk that counts the calls made to its files, and the bytes of these.
final class CountingDisk: ForwardingDisk, @unchecked Sendable {
  private let total = Mutex(DiskCost())

  override func file(_ file: any DiskFile) -> any DiskFile { CountedFile(file, self) }

  /// The calls that a body makes, in this thread or another.
  func cost(of body: () throws -> Void) rethrows -> DiskCost {
    let before = total.withLock { $0 }
    try body()
    return total.withLock { $0 } - before
  }

  fileprivate func count(_ change: (inout DiskCost) -> Void) { total.withLock { change(&$0) } }
}

/// Calls to the files of a disk, and their bytes.
struct DiskCost: Equatable {
  var readCount = 0
  var readByteCount = 0
  var writeCount = 0
  var writtenByteCount = 0
  var syncCount = 0

  static func - (left: DiskCost, right: DiskCost) -> DiskCost {
    DiskCost(
      readCount: left.readCount - right.readCount, readByteCount: left.readByteCount - right.readByteCount,
      writeCount: left.writeCount - right.writeCount,
      writtenByteCount: left.writtenByteCount - right.writtenByteCount,
      syncCount: left.syncCount - right.syncCount)
  }
}

private final class CountedFile: ForwardingFile, @unchecked Sendable {
  private let disk: CountingDisk

  init(_ inner: any DiskFile, _ disk: CountingDisk) {
    self.disk = disk
    super.init(inner)
  }

  override func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    let count = try super.read(into: &buffer, at: offset)
    disk.count {
      $0.readCount += 1
      $0.readByteCount += count
    }
    return count
  }

  override func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    disk.count {
      $0.writeCount += 1
      $0.writtenByteCount += bytes.byteCount
    }
    try super.write(bytes, at: offset)
  }

  override func sync() throws(DiskError) {
    disk.count { $0.syncCount += 1 }
    try super.sync()
  }
}
